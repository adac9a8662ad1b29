"""What `tunepass cc` has done with each annotated source: a line for each time, in the cache folder. Sources without
annotations are not among them, so that their calls cost nothing."""

from __future__ import annotations

import os

from tunepass.launcher import sealed

TYPE_CHECKING = False  # of `typing`, which takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Iterable

FILE = "cc-outcomes"
LONGEST = 1 << 20  # bytes, from which the older half goes
TUNED, UNTUNED = "tuned", "not tuned"


def outcome(source: str, how: str, why: str) -> str:
    """A line of the file: `how` is TUNED or UNTUNED."""
    name = source if source == "-" else os.path.abspath(source)
    return "\t".join(part.replace("\t", " ").replace("\n", " ") for part in (how, name, why))


def add(lines: Iterable[str]) -> None:
    """Each written at once, so that compilers side by side do no harm; where nothing can be written, nothing is."""
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
    path = _path()
    if not data or not sealed.open_folder(os.path.dirname(path)):
        return
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(path, flags, 0o600), "ab", buffering=0) as file:
            file.write(data)
            long = file.tell() > LONGEST
        if long:
            os.replace(path, f"{path}.old")
    except OSError:
        pass


def read() -> list[list[str]]:
    """The last [how, source, why] of each source, in the order of their first."""
    last: dict[str, list[str]] = {}
    for path in (f"{_path()}.old", _path()):
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                lines = file.read().split("\n")
        except OSError:
            continue
        fields = [line.split("\t") for line in lines]
        last |= {line[1]: line for line in fields if len(line) == 3}
    return list(last.values())


def zero() -> None:
    for path in (f"{_path()}.old", _path()):
        if os.path.lexists(path):
            os.unlink(path)


def _path() -> str:
    return os.path.join(os.path.dirname(sealed.folder()), FILE)
