"""The functions of a CUDA or OpenCL file as C sees them, with what the two languages add to them.

The words that C does not know (`__global__`, `__local`, `__launch_bounds__(256)`) are blanked for the readers of C, and
read here from the text as it was. Every text keeps the source's length.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tunepass.frontends.c.arguments import formal_type
from tunepass.frontends.c.entry import with_arguments
from tunepass.frontends.c.macros import MacroDefault, macro_defaults
from tunepass.frontends.c.syntax.definitions import definitions, formal_of, split_arguments
from tunepass.frontends.c.syntax.lexical import Scan, blanked
from tunepass.frontends.c.syntax.statements import closing
from tunepass.frontends.c.syntax.types import declarations
from tunepass.frontends.c.syntax.visible import headers_beside, types_of
from tunepass.frontends.cfamily.declared import CType, Types
from tunepass.frontends.cfamily.definitions import Formal, FunctionDefinition
from tunepass.frontends.gpu.alignment import stated_alignments
from tunepass.frontends.gpu.branches import one_branch
from tunepass.ir.gpu import Memory
from tunepass.ir.gpu_elements import Dialect, numbers_of, plain_name

CUDA = re.compile(
    r"\b__(?:global|device|host|constant|shared|managed|forceinline|noinline|grid_constant|inline_hint|nv_pure)__\b"
    r"|\b__restrict\b|\b__restrict__\b"
)
CALLS = re.compile(
    r"\b(?:__launch_bounds__|__cluster_dims__|__maxnreg__|__block_size__|__align__|__builtin_align__|alignas"
    r"|_Alignas|__attribute__"
    r"|__nv_register_params__)\s*(?=\()"
)
OPENCL = re.compile(
    r"\b(?:__)?(?:kernel|global|local|constant|private|generic|read_only|write_only|read_write)\b|\brestrict\b"
    r"|\b__restrict\b|\b__restrict__\b"
)
LOCAL, CONSTANT = re.compile(r"\b(?:__)?local\b"), re.compile(r"\b(?:__)?constant\b")
KERNEL = {"cuda": re.compile(r"\b__global__\b"), "opencl": re.compile(r"\b(?:__)?kernel\b")}
SHARED = {"cuda": re.compile(r"\b__shared__\b"), "opencl": LOCAL}
WORD = re.compile(r"[A-Za-z_]\w*")
EXPANSIONS = 16  # of macros in macros


@dataclass(frozen=True, slots=True)
class GpuFormal:
    """A formal parameter: its text as written, what C sees of it, its resolved type."""

    text: str
    name: str
    type: CType
    constant: bool
    restrict: bool
    memory: Memory
    opaque: bool  # only the compiler knows its type: a macro or a name that this file does not define


@dataclass(frozen=True, slots=True)
class GpuFunction:
    definition: FunctionDefinition
    formals: tuple[GpuFormal, ...]
    is_kernel: bool


@dataclass(frozen=True, slots=True)
class GpuText:
    """A file: `scan` as C sees it, `text` with all words (comments, strings and directives blanked)."""

    dialect: Dialect
    scan: Scan
    text: str
    macros: Mapping[str, MacroDefault]  # of the file and the headers beside it; those that parameters set are left out
    types: Types
    functions: tuple[FunctionDefinition, ...]
    alignments: Mapping[str, tuple[str, ...]]  # that structs state, as texts

    def read(self, definition: FunctionDefinition, name: str) -> GpuFunction:
        """`name` is as the pragma writes it, with the template's arguments."""
        opening = self.text.index("(", definition.name_start)
        raw = split_arguments(self.text[opening + 1 : closing(self.text, opening) - 1])
        formals = [formal for part in raw for formal in self._formals(part)]
        read = tuple(self._formal(part, name, definition) for part in formals)
        is_kernel = KERNEL[self.dialect].search(self.expanded(self.head(definition))) is not None
        return GpuFunction(definition, read, is_kernel)

    def head(self, definition: FunctionDefinition) -> str:
        """What stands before the function's name."""
        return self.text[self._head_start(definition) : definition.name_start]

    def shared_arrays(self, definition: FunctionDefinition) -> Iterator[tuple[str, CType]]:
        """Declared in the function, else anywhere in the file."""
        body = (definition.body_start, definition.body_end)
        for start, end in (body, (0, len(self.text))):
            for word in SHARED[self.dialect].finditer(self.text, start, end):
                stop = self.text.find(";", word.end())
                for declared in declarations(self.scan.statements, word.end(), stop if stop >= 0 else end):
                    yield declared.name, self.types.resolved(declared.type)

    def in_constant_memory(self, place: int) -> bool:
        """Of the variable whose name stands there."""
        start = max(self.text.rfind(stop, 0, place) for stop in ";{}") + 1
        return CONSTANT.search(self.text[start:place].replace("__constant__", "constant")) is not None

    def _head_start(self, definition: FunctionDefinition) -> int:
        return max(self.text.rfind(stop, 0, definition.name_start) for stop in ";{}") + 1

    def expanded(self, text: str) -> str:
        """The object-like macros of the file in it replaced by their texts."""
        for _ in range(EXPANSIONS):
            words = {word for word in WORD.findall(text) if word in self.macros}
            if not words:
                return text
            for word in words:
                text = re.sub(rf"\b{word}\b", self.macros[word].text.replace("\\", " "), text)
        return text

    def _formals(self, part: str) -> list[str]:
        """A macro may stand for several parameters."""
        text = self.expanded(part)
        return [part] if text == part else split_arguments(text) or [part]

    def _formal(self, part: str, name: str, definition: FunctionDefinition) -> GpuFormal:
        written = with_arguments(part, name, definition) if "<" in name else part
        formal = formal_of(" ".join(without_words(written, self.dialect).split()))
        kind = self.types.resolved(formal_type(formal))
        kind = replace(kind, base=plain_name(kind.base))
        memory: Memory = "global"
        if self.dialect == "opencl":
            memory = "local" if LOCAL.search(written) else "constant" if CONSTANT.search(written) else "global"
        return GpuFormal(
            text=part,
            name=formal.name,
            type=kind,
            constant=formal.constant or memory == "constant",
            restrict=re.search(r"\b(?:__)?restrict(?:__)?\b", written) is not None,
            memory=memory,
            opaque=self._is_opaque(formal, kind),
        )

    def _is_opaque(self, formal: Formal, kind: CType) -> bool:
        named = numbers_of(kind.base, self.dialect) is not None or kind.base in self.types.records
        return not (named or kind.base in self.types.enums) or "(" in formal.text


def gpu_text(scanned: Scan, dialect: Dialect, tuned: frozenset[str]) -> GpuText:
    """`tuned` are the macros that parameters set."""
    written = headers_beside(scanned.source)
    headers = [_seen(header, dialect) for header in written]
    macros: dict[str, MacroDefault] = {}
    for each_scan in (*headers[::-1], scanned):
        macros |= macro_defaults(each_scan)
    several = repeated([scanned, *headers])
    plain = {name: m for name, m in macros.items() if m.text and name not in several and name not in tuned}
    chosen = one_branch(scanned, frozenset(macros) | tuned)
    seen = _seen(chosen, dialect)
    alignments: dict[str, tuple[str, ...]] = {}
    for raw, blank in (*zip(written, headers), (chosen, seen)):
        alignments |= dict(stated_alignments(raw.statements, blank.statements))
    return GpuText(dialect, seen, chosen.statements, plain, types_of([seen, *headers]), definitions(seen), alignments)


def _seen(scanned: Scan, dialect: Dialect) -> Scan:
    """As C sees it."""
    return replace(scanned, code=without_words(scanned.code, dialect))


def repeated(scans: Sequence[Scan]) -> frozenset[str]:
    """Macros that are defined more than once: which definition holds, only the compiler knows."""
    names = Counter(
        d.body.split("(")[0].split()[0] for s in scans for d in s.directives if d.kind == "define" and d.body.split()
    )
    return frozenset(name for name, count in names.items() if count > 1)


def without_words(text: str, dialect: Dialect) -> str:
    """`text` with what the two languages add to C blanked."""
    regions = [(m.start(), closing(text, m.end())) for m in CALLS.finditer(text)]
    regions += [m.span() for m in (CUDA if dialect == "cuda" else OPENCL).finditer(text)]
    kept: list[tuple[int, int]] = []
    for start, end in sorted(regions):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return blanked(text, kept)
