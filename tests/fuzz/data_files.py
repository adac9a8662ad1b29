"""Data files of tensors, wrong in some way, read into several formats; and the cached form of those that are accepted,
damaged, from which the same tensor has to come again."""

from __future__ import annotations

import gzip
import random
import shutil
from pathlib import Path

import numpy as np

from tests.fuzz.mutation import mutated, mutated_bytes
from tunepass.diagnostics import TunepassError
from tunepass.ir.tensor import BoundFile, Element, Format, Tensor
from tunepass.tensors.data.load import load
from tunepass.tensors.data.stored import StoredTensor
from tunepass.tensors.data.structure import well_formed

FIELDS = ("real", "integer", "pattern", "double", "complex")
SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")
NUMBERS = ("1", "2", "-3", "0.5", "1e-3", "+4.25E+2", "7", "nan", "1e999", "9007199254740993", "0")
FORMATS = (
    Format(("dense", "compressed"), (0, 1)),
    Format(("compressed", "dense"), (1, 0)),
    Format(("compressed",) * 3, (0, 1, 2)),
    Format(("dense", "dense", "compressed"), (2, 0, 1)),
    Format(("dense",), (0,)),
)
ELEMENTS: tuple[Element, ...] = ("double", "int", "long", "float")


def case(rng: random.Random, path: Path) -> str:
    """A file at `path`; returns its text, or what it is."""
    text = rng.choice((_matrix, _tensor))(rng)
    if rng.random() < 0.2:
        text = mutated(rng, text, (text, _matrix(rng), _tensor(rng)))
    data = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.1:
        data = mutated_bytes(rng, data, 3)
    if rng.random() < 0.2:
        data = gzip.compress(data, mtime=0)
        data = mutated_bytes(rng, data, 2) if rng.random() < 0.5 else data
    path.write_bytes(data)
    return data.decode("utf-8", "backslashreplace")


def check(path: Path) -> None:
    """As either kind of file, in every format of as many modes as it may have. Refused: every time."""
    refused = None
    for number, format in enumerate(FORMATS):
        for suffix in (".mtx", ".tns"):
            copy = path.with_suffix(suffix)
            shutil.copy(path, copy)
            try:
                _load_twice(copy, format, ELEMENTS[number % len(ELEMENTS)])
                return
            except TunepassError as error:
                refused = error
    if refused is not None:
        raise refused


def _load_twice(path: Path, format: Format, element: Element) -> None:
    tensor = Tensor(name="B", index=tuple("ijk"[: len(format.levels)]), format=format, element=element)
    cache = path.with_name("cache")
    first = load(BoundFile("B", Path(path.name)), tensor, path.parent, cache)
    assert well_formed(first) and first.path is not None
    whole = first.path.read_bytes()
    kept = _arrays(first)
    first.path.unlink()  # its bytes are mapped no more when another file has its name
    first.path.write_bytes(mutated_bytes(random.Random(len(whole)), whole, 2))
    again = load(BoundFile("B", Path(path.name)), tensor, path.parent, cache)
    assert all(np.array_equal(a, b) for a, b in zip(kept, _arrays(again)))


def _arrays(tensor: StoredTensor) -> list[np.ndarray]:
    levels = [array for level in tensor.levels for array in (level.pos, level.crd) if array is not None]
    return [np.array(array) for array in (*levels, tensor.vals)]


def _matrix(rng: random.Random) -> str:
    """A Matrix Market file, in most cases right."""
    rows, columns, count = rng.randrange(1, 9), rng.randrange(1, 9), rng.randrange(9)
    field, symmetry = rng.choice(FIELDS), rng.choice(SYMMETRIES) if rng.random() < 0.4 else "general"
    if symmetry != "general":
        columns = rows
    array = rng.random() < 0.2
    head = f"%%MatrixMarket matrix {'array' if array else 'coordinate'} {field} {symmetry}\n% comment\n{rows} {columns}"
    if array:
        return f"{head}\n" + "".join(f"{_number(rng)}\n" for _ in range(rows * columns))
    value = "" if field == "pattern" else " "
    entries = [
        f"{rng.randint(1, rows)} {rng.randint(1, columns)}{value and value + _number(rng)}" for _ in range(count)
    ]
    return f"{head} {count}\n" + "".join(f"{entry}\n" for entry in entries)


def _tensor(rng: random.Random) -> str:
    """A FROSTT file."""
    modes = rng.choice((2, 3, 3, 3))
    head = rng.choice(("", "", "# comment\n", f"{modes}\n{' '.join('9' * modes)}\n"))
    lines = [" ".join(str(rng.randint(1, 9)) for _ in range(modes)) for _ in range(rng.randrange(1, 9))]
    return head + "".join(f"{line} {_number(rng)}\n" for line in lines)


def _number(rng: random.Random) -> str:
    return rng.choice(NUMBERS) if rng.random() < 0.1 else str(rng.randint(1, 99) / rng.choice((1, 4)))
