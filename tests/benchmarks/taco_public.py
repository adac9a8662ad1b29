"""TACO's own tests and documentation: how many expressions and schedules parse, are legal, and compute what they say.

    python -m tests.benchmarks.taco_public TACO_CHECKOUT

Command lines are those of README.md and of test/taco-cli-test.bats (those that "should die" have to be refused).
Schedules of C++ are those chains of `stmt.split(…).reorder(…)` in test/tests-scheduling*.cpp whose expression, formats
and numbers can be read without running the program; `scheduleX(stmt, …)` stands for the function's own chain.

What is accepted is compiled under gcc's sanitizers and run on small random tensors (empty rows, a dense row,
rectangular), and held against a dense interpreter of the expression.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.tensors.lower.matrices import SHAPES, extents_of, numbers
from tests.tensors.lower.running import Case as Running
from tests.tensors.lower.running import run
from tunepass.diagnostics import TunepassError
from tunepass.frontends.taco.commandline import source_of
from tunepass.frontends.taco.lowering import lower, lower_body
from tunepass.frontends.taco.reading import read_file
from tunepass.ir.tensor import TensorKernel
from tunepass.tensors.lower import Extent
from tunepass.tensors.lower import lower as lower_to_c
from tunepass.tensors.schedule.nest import scheduled_nest

FORMATS = {"CSR": "ds", "CSC": "ds:1,0", "COO": "cq", "taco::dense": "d", "dense": "d", "sparse": "s"}
LEVELS = {"Dense": "d", "dense": "d", "Sparse": "s", "Compressed": "s", "compressed": "s", "sparse": "s"}
METHOD = re.compile(
    r"\.(split|divide|fuse|pos|reorder|bound|unroll|precompute|parallelize|mergeby|assemble)\((?!\))"
)  # not `y.assemble()`, which runs a kernel
TENSOR = re.compile(r'Tensor<(\w+)>\s+(\w+)\("\w*"(?:,\s*\{[^}]*\})?(?:,\s*(.*?))?\);')
ASSIGNMENT = re.compile(r"^\s*(\w+)\(([\w, ]*)\)\s*(\+?=)\s*([^;]+);", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    name: str
    expression: str
    words: tuple[tuple[str, str], ...]
    wrong: bool = False  # TACO refuses it


def command_lines(folder: Path) -> Iterator[Case]:
    for number, line in enumerate(re.findall(r'^\s*taco (".*)$', (folder / "README.md").read_text(), re.MULTILINE)):
        expression, _, rest = line[1:].partition('"')
        words = tuple((word, text) for word, text in re.findall(r"-(\w)=(\S+)", rest.partition("#")[0]))
        yield Case(f"README {number}", expression, words)
    text = (folder / "test" / "taco-cli-test.bats").read_text()
    for test in re.split(r"^@test ", text, flags=re.MULTILINE)[1:]:
        name = test.split("'")[1] if "'" in test else "?"
        found = re.search(r'expression="([^"]*)"', test)
        format_ = tuple(re.findall(r'format="-(\w)=([^"]*)"', test))
        for match in re.finditer(r'^\s*(directive=)?"-s=([^"]*)"', test, re.MULTILINE) if found else ():
            assert found is not None
            wrong = match[1] is not None or "should all die" in test[: match.start()]
            yield Case(f"bats {name}", found[1], (*format_, ("s", match[2])), wrong)


def bodies(text: str, head: str) -> Iterator[tuple[re.Match[str], str]]:
    """What matches `head`, and the text inside the braces after it."""
    for match in re.finditer(head, text, re.MULTILINE):
        start = text.index("{", match.end())
        yield match, text[start + 1 : closing(text, start)]


def closing(text: str, start: int) -> int:
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] in "({") - (text[place] in ")}")
        if not depth:
            return place
    return len(text)


def arguments(text: str) -> list[str]:
    parts, depth = [""], 0
    for character in text:
        depth += (character in "({") - (character in ")}")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def cpp_cases(path: Path) -> Iterator[Case]:
    text = re.sub(r"//[^\n]*", "", path.read_text())
    helpers = {
        m[1]: (arguments(m[2]), body) for m, body in bodies(text, r"^IndexStmt (schedule\w+)\(([^{]*)\)\s*(?=\{)")
    }
    for match, body in bodies(text, r"^TEST(?:_P)?\(\w+, (\w+)\)"):
        chain = inlined(body, helpers)
        parts = re.split(r"IndexStmt stmt\w* =", chain, maxsplit=1)
        tensors = {name: (type_, format_) for type_, name, format_ in TENSOR.findall(body)}
        assigned = [m for m in ASSIGNMENT.finditer(parts[0]) if m[1] in tensors]
        if len(parts) < 2 or not assigned or not METHOD.search(parts[1]):
            continue
        yield cpp_case(f"{path.stem} {match[1]}", assigned[-1], tensors, body, re.split(r"\bexpected\(", parts[1])[0])


def cpp_case(name: str, assigned: re.Match[str], tensors: dict[str, tuple[str, str]], body: str, chain: str) -> Case:
    values = dict(re.findall(r"IndexExpr (\w+) = ([^;]+);", body))
    values |= dict(re.findall(r"(?<!\()int (\w+) = (\d+);", body))
    values |= dict(re.findall(r"vector<IndexVar> (\w+) = (\{[^}]*\});", chain))
    right = substituted(assigned[4], values)
    left_factors = right.rpartition("*")[0].strip()
    values |= dict.fromkeys(re.findall(r"IndexExpr (\w+) = stmt[^;]*\.as<Mul>\(\)\.getA\(\);", chain), left_factors)
    words = [
        ("f", f"{tensor}:{letters(text)}") for tensor, (_, text) in tensors.items() if used(tensor, assigned[0], right)
    ]
    directives = []
    for method in METHOD.finditer(chain):
        start = method.end() - 1
        given = arguments(chain[start + 1 : closing(chain, start)])
        workspace = given[3:] if method[1] == "precompute" else []
        inner = ", ".join([*(substituted(text, values) for text in given[: len(given) - len(workspace)]), *workspace])
        inner = re.sub(r"\b(?:ParallelUnit|OutputRaceStrategy|BoundType|MergeStrategy|AssembleStrategy)::", "", inner)
        inner = re.sub(r"^\{(.*)\}$", r"\1", inner.strip()) if method[1] == "reorder" else inner
        directives.append(f"{method[1]}({' '.join(inner.split())})")
    return Case(
        name,
        f"{assigned[1]}({assigned[2]}) {assigned[3]} {right}",
        (*words, ("s", ", ".join(directives))),
        "_THROW" in body,
    )


def used(tensor: str, left: str, right: str) -> bool:
    return re.search(rf"\b{tensor}\b", f"{left} {right}") is not None


def substituted(text: str, values: dict[str, str]) -> str:
    for _ in range(3):
        text = re.sub(r"\b\w+\b", lambda m: values.get(m[0], m[0]), text)
    return text


def inlined(body: str, helpers: dict[str, tuple[list[str], str]]) -> str:
    """`scheduleX(stmt, A)` as the chain of the function, with what it is given."""

    def chain(match: re.Match[str]) -> str:
        if match[1] not in helpers:
            return match[0]
        formals, inner = helpers[match[1]]
        values = {}
        for formal, given in zip(formals, [*arguments(match[2]), *[""] * len(formals)]):
            name, _, default = formal.partition("=")
            values[name.split()[-1]] = given or default.strip()
        values.pop("stmt", None)
        return substituted(inner, values)

    return re.sub(r"\b(schedule\w+)\(((?:[^()]|\([^()]*\))*)\)", chain, body)


def letters(text: str) -> str:
    text = text.strip()
    if text in FORMATS:
        return FORMATS[text]
    kinds = re.findall(r"\b(?:ModeFormat::)?(Dense|Sparse|Compressed|dense|sparse|compressed)\b", text)
    order = re.search(r"\{([\d, ]+)\}", text)
    return "".join(LEVELS[kind] for kind in kinds) + (":" + order[1].replace(" ", "") if order else "")


def outcome(case: Case) -> tuple[str, str]:
    """How far it comes, and what stops it."""
    if "GPU" in str(case.words):
        return "for a GPU", ""
    try:
        lower_body(read_file(source_of(case.expression, case.words)))
    except TunepassError as error:
        return ("refused, as by TACO" if case.wrong else "not read"), error.diagnostics[0].message
    try:
        lower(read_file(source_of(case.expression, case.words)), 2)
    except TunepassError as error:
        return ("refused, as by TACO" if case.wrong else "refused"), error.diagnostics[0].message
    return ("accepted, not by TACO" if case.wrong else "accepted"), ""


def runs(case: Case) -> str:
    """Whether its C computes the expression: "right", else what was wrong."""
    kernel, _ = lower(read_file(source_of(case.expression, case.words)), 2)
    body = kernel.body_as(TensorKernel)
    nest = scheduled_nest(body, {parameter.name: parameter.default for parameter in kernel.parameters})
    cases = []
    for number, shape in enumerate(SHAPES[:3]):
        function, rng = lower_to_c(nest, f"kernel_{number}"), np.random.default_rng(number)
        variables = [argument.variable for argument in function.arguments if isinstance(argument, Extent)]
        extents = extents_of(variables, shape, rng) | {stated.variable: stated.extent for stated in function.stated}
        cases.append(
            Running(function, body.assignment, body.tensors, extents, *numbers(body.tensors, extents, shape, rng))
        )
    try:
        with tempfile.TemporaryDirectory() as folder:
            run(cases, Path(folder))
    except AssertionError as error:
        return f"WRONG: {str(error)[:200]}"
    return "right"


def main(folder: Path) -> None:
    cases = list(command_lines(folder))
    for path in sorted((folder / "test").glob("tests-scheduling*.cpp")):
        cases += cpp_cases(path)
    found = [(case, *outcome(case)) for case in cases]
    ran = Counter[str]()
    for case, how, why in found:
        if how.startswith("accepted"):
            why = runs(case)
            ran[why.partition(":")[0]] += 1
        print(f"{how:22} {case.name:45} {why}")
    print(
        f"{len(found)} in all: {', '.join(f'{count} {how}' for how, count in Counter(h for _, h, _ in found).items())}"
    )
    print(f"of those accepted, run on {len(SHAPES[:3])} shapes: {', '.join(f'{n} {how}' for how, n in ran.items())}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
