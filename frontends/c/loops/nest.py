"""Reads the perfect loop nest after a `loop` pragma; whatever cannot be rewritten safely is a diagnostic there."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from tunepass.diagnostics import SourceError
from tunepass.frontends.c.loops.own_pragmas import OwnPragmas
from tunepass.frontends.c.pragmas.loop import LoopPragma
from tunepass.frontends.c.syntax.definitions import FunctionDefinition, canonical_type
from tunepass.frontends.c.syntax.lexical import Scan
from tunepass.frontends.c.syntax.statements import (
    TooDeepError,
    calls,
    changes,
    closing,
    declares,
    obstacles,
    skip_space,
    statement_end,
    word_at,
)
from tunepass.ir.loops import Directives, Factor, Loop, Nest

SIGNED = frozenset({"int", "long", "long long", "int32_t", "int64_t", "ptrdiff_t", "ssize_t", "intptr_t"})
UNSIGNED = frozenset({"unsigned int", "unsigned long", "unsigned long long", "size_t", "uint32_t", "uint64_t"})
INIT = re.compile(
    r"\s*(?P<type>(?:(?:std\s*::\s*)?[A-Za-z_]\w*\s+)+)(?P<name>[A-Za-z_]\w*)\s*"
    r"(?:=(?!=)\s*(?P<start>.*?)|\{\s*(?P<braced>.*?)\s*\})\s*\Z",
    re.DOTALL,
)
STANDARD = re.compile(r"\bstd\s*::\s*")
CONDITION = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\s*(?P<op><=|>=|<|>)\s*(?P<end>.*?)\s*\Z", re.DOTALL)
STEPS = (
    re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\s*(?P<op>\+\+|--)\s*\Z"),
    re.compile(r"\s*(?P<op>\+\+|--)\s*(?P<name>[A-Za-z_]\w*)\s*\Z"),
    re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\s*(?P<op>\+=|-=)\s*(?P<step>\d+)\s*\Z"),
    re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\s*=\s*(?P=name)\s*(?P<op>\+|-)\s*(?P<step>\d+)\s*\Z"),
)
BOUND = re.compile(r"[-+*/%()\s\w]*\Z")
DEREFERENCE = re.compile(r"(?:\A|[-+*/%(])\s*\*")
WORD = re.compile(r"[A-Za-z_]\w*")
DECLARES = (
    r"(?:\b(?!return\b|else\b|case\b|sizeof\b)[A-Za-z_]\w*\s"
    r"|\b(?:int|long|short|char|float|double|unsigned|\w+_t)\s*\*)"
)
STEP_LIMIT = 1 << 10  # times the largest tile, still an int
HEADER = "write `for (int i = 0; i < n; i++)`: an index of its own, plain bounds, a constant step"


@dataclass(frozen=True, slots=True)
class Header:
    loop: Loop
    end: int  # after the closing bracket
    bounds: tuple[int, int]  # the header's text between the brackets


def read_nest(pragma: LoopPragma, scanned: Scan, functions: tuple[FunctionDefinition, ...]) -> Nest:
    """The nest that follows `pragma`, with everything checked that rewriting it relies on."""
    reader = _NestReader(pragma, scanned)
    nest = reader.read()
    function = next((f for f in functions if f.body_start <= nest.span.start < f.body_end), None)
    reader.check_bounds(nest, function)
    return nest


class _NestReader:
    def __init__(self, pragma: LoopPragma, scanned: Scan):
        self.own = OwnPragmas(scanned)
        self.pragma, self.source, self.code = pragma, scanned.source, self.own.code
        self.directives = [directive for directive in scanned.directives if directive not in self.own.kept]
        defines = [WORD.findall(d.body) for d in scanned.directives if d.kind == "define"]
        self.macros = {words[0]: set(words[1:]) for words in defines if words}
        self.includes = any(d.kind == "include" and '"' in d.body for d in scanned.directives)
        self.taken = frozenset(re.findall(r"[A-Za-z_]\w*", scanned.code))

    def fail(self, message: str, start: int, end: int | None = None, hint: str | None = None) -> SourceError:
        stop = start + max(1, len(word_at(self.code, start))) if end is None else end
        return SourceError(message, self.source.span(start, stop), hint)

    def read(self) -> Nest:
        offset = skip_space(self.code, self.pragma.outer.end)
        start = self.own.first(self.pragma.outer.end, offset)
        headers: list[Header] = []
        ends: list[int] = []  # where the braces around the next loop close
        names = [n.name for n in self.pragma.indices]
        for depth, name in enumerate(names):
            before = offset if depth else self.pragma.outer.end
            offset = skip_space(self.code, offset)
            if depth and self.code[offset : offset + 1] == "{":
                ends.append(closing(self.code, offset))
                offset = skip_space(self.code, offset + 1)
            own = self.own.of_loop(before, offset, marked=self.is_marked(name))
            header = self.header(offset, name, depth, names)
            headers.append(replace(header, loop=replace(header.loop, pragmas=own)))
            offset = headers[-1].end
        body_start = skip_space(self.code, offset)
        text_start = self.own.first(offset, body_start)
        if body_start >= len(self.code):
            raise self.fail("expected a statement: this loop has no body", headers[-1].bounds[0], headers[-1].end)
        try:
            body_end = statement_end(self.code, body_start)
        except TooDeepError as error:
            raise self.fail("this statement is nested too deeply", error.offset) from None
        end = self.closed(body_end, ends)
        for directive in self.directives:
            if start <= directive.start < end:
                raise self.fail(
                    f"`#{directive.kind}` inside a nest that is rewritten", directive.start, hint="move it out"
                )
        self.check_body(body_start, body_end, names)
        return Nest(
            loops=tuple(h.loop for h in headers),
            directives=self.clauses(),
            body=self.source.span(text_start, body_end),
            pragma=self.pragma.outer,
            span=self.source.span(start, end),
            uses=self.uses(text_start, body_end, names),
            taken=self.taken,
        )

    def uses(self, start: int, end: int, names: list[str]) -> tuple[tuple[str, int], ...] | None:
        """Where the body names an index; None if it declares one of its own, or uses a macro that names one."""
        body = self.code[start:end]
        words = set(WORD.findall(body))
        pragmas = self.own.between(start, end)
        if any(name in WORD.findall(pragma.body) for pragma in pragmas for name in names):
            return None
        any_index = rf"(?P<name>{'|'.join(names)})\b"
        if words & self.hiding(set(names)) or re.search(rf"{DECLARES}\s*{any_index}\s*[=;,:\[)]", body):
            return None
        if self.includes and any(w.isupper() and w not in self.macros for w in words):
            return None  # perhaps a macro of an included file
        matches = re.finditer(rf"(?<![\w.])(?<!->){any_index}", body)
        return tuple((f["name"], start + f.start("name")) for f in matches)

    def is_marked(self, index: str) -> bool:
        """May a clause write a pragma of OpenMP's before this loop?"""
        return any(f.index == index for f in (*self.clauses().parallel, *self.clauses().vectorize))

    def hiding(self, names: set[str]) -> set[str]:
        """The macros whose text names one of `names`, also through other macros."""
        hiding: set[str] = set()
        while more := {macro for macro, words in self.macros.items() if words & (names | hiding)} - hiding:
            hiding |= more
        return hiding

    def clauses(self) -> Directives:
        def factors(clause: str) -> tuple[Factor, ...]:
            return tuple(Factor(f.index, f.setting) for f in self.pragma.factors.get(clause, ()))

        named = tuple(n.name for n in self.pragma.order)
        indices = {n.name for n in self.pragma.indices}
        by_parameter = len(named) == 1 and named[0] not in indices
        return Directives(
            tile=factors("tile"),
            order=named[0] if by_parameter else named,
            unroll=factors("unroll"),
            unroll_and_jam=factors("unroll_and_jam"),
            vectorize=factors("vectorize"),
            parallel=factors("parallel"),
        )

    def header(self, offset: int, name: str, depth: int, names: list[str]) -> Header:
        if word_at(self.code, offset) != "for":
            if not depth:
                raise self.fail(
                    "expected a `for` after this pragma", offset, hint="the pragma stands right before its nest"
                )
            raise self.fail(
                f"the nest is not perfect: this stands between the loops `{names[depth - 1]}` and `{name}`",
                offset,
                hint="move it into the innermost loop or out of the nest",
            )
        opening = skip_space(self.code, offset + len("for"))
        end = closing(self.code, opening)
        parts = self.code[opening + 1 : end - 1].split(";")
        if len(parts) != 3:
            ranged = len(parts) == 1 and re.search(r"(?<!:):(?!:)", parts[0])
            hint = f"a loop over a range has no index; {HEADER}" if ranged else HEADER
            raise self.fail("this loop's header cannot be read", offset, end, hint)
        init, condition = INIT.match(parts[0]), CONDITION.match(parts[1])
        step = next((match for pattern in STEPS if (match := pattern.match(parts[2]))), None)
        begin = opening + 1 + len(parts[0]) - len(parts[0].lstrip())
        if init is None:
            hint = f"write `for (int {name} = …`: what the index holds after the nest would be lost"
            raise self.fail("this loop does not declare its index", begin, hint=hint)
        if init["name"] != name:
            raise self.fail(
                f"expected the loop over `{name}`, found one over `{init['name']}`", opening + 1 + init.start("name")
            )
        second = opening + 1 + len(parts[0]) + 1
        if condition is None or condition["name"] != name:
            raise self.fail("this loop's condition cannot be rewritten", skip_space(self.code, second), hint=HEADER)
        third = second + len(parts[1]) + 1
        if step is None or step["name"] != name:
            raise self.fail("this loop's step cannot be rewritten", skip_space(self.code, third), hint=HEADER)
        given = "start" if init["braced"] is None else "braced"
        if init["braced"] != "":
            self.check_bound(init[given], opening + 1 + init.start(given), names)
        self.check_bound(condition["end"], second + condition.start("end"), names)
        return Header(self.loop(name, init, condition, step, offset, begin, end, third), end, (opening + 1, end - 1))

    def loop(
        self,
        name: str,
        init: re.Match[str],
        condition: re.Match[str],
        step: re.Match[str],
        offset: int,
        begin: int,
        end: int,
        third: int,
    ) -> Loop:
        written = re.sub(r"\bconst\b", "", init["type"])
        type_ = canonical_type(STANDARD.sub("", written))
        if type_ not in SIGNED | UNSIGNED:
            plain = "say its type: `int`, `long`, `std::size_t`" if type_ == "auto" else HEADER
            raise self.fail(f"an index of type `{init['type'].strip()}` cannot be rewritten", begin, hint=plain)
        down = step["op"][0] == "-"
        if down != (condition["op"][0] == ">"):
            raise self.fail("this loop steps away from its end", skip_space(self.code, third), hint=HEADER)
        if down and type_ in UNSIGNED:
            raise self.fail(
                "an unsigned index that counts down cannot be rewritten", begin, hint="count up, or use `long`"
            )
        size = int(step.groupdict().get("step") or 1)
        if not 1 <= size <= STEP_LIMIT:
            raise self.fail(f"a step is 1 to {STEP_LIMIT}, got {size}", skip_space(self.code, third))
        stop = " ".join(condition["end"].split())
        if condition["op"].endswith("="):
            stop = _plus_one(stop, down)
        start = " ".join((init["start"] or init["braced"] or "0").split())  # `{}` is zero
        spelled = f"std::{type_}" if STANDARD.search(written) else type_
        return Loop(
            index=name, type=spelled, start=start, end=stop, step=size, down=down, span=self.source.span(offset, end)
        )

    def check_bound(self, text: str, offset: int, names: list[str]) -> None:
        """Bounds are arithmetic on names and whole numbers: nothing that reads memory or has an effect."""
        if (
            not text
            or not BOUND.match(text)
            or DEREFERENCE.search(text)
            or any(True for _ in calls(text))
            or "++" in text
            or "--" in text
        ):
            hint = "copy it into a variable before the nest"
            raise self.fail("this bound is more than arithmetic on variables", offset, offset + max(1, len(text)), hint)
        for word in re.finditer(r"[A-Za-z_]\w*", text):
            if word.group() in names:
                raise self.fail(
                    f"this bound depends on `{word.group()}`: the nest is not rectangular",
                    offset + word.start(),
                    hint="leave the outer or the inner loop out of the pragma",
                )

    def closed(self, offset: int, ends: list[int]) -> int:
        """After the braces around the loops; nothing else may stand before they close."""
        for end in reversed(ends):
            after = skip_space(self.code, offset)
            if after != end - 1:
                raise self.fail(
                    "the nest is not perfect: this stands after an inner loop",
                    after,
                    hint="move it into the innermost loop or out of the nest",
                )
            offset = end
        return offset

    def check_body(self, start: int, end: int, names: list[str]) -> None:
        body = self.code[start:end]
        for obstacle in obstacles(body):
            raise self.fail(
                obstacle.message, start + obstacle.start, start + obstacle.end, "it cannot be rewritten safely"
            )
        for name in names:
            for first, last in changes(body, name):
                raise self.fail(f"the index `{name}` is changed inside the nest", start + first, start + last)

    def check_bounds(self, nest: Nest, function: FunctionDefinition | None) -> None:
        """What bounds are made of stays as it is while the nest runs."""
        start, end = nest.body.start, nest.body.end
        body, whole = self.code[start:end], self.code
        region = (function.body_start, function.body_end) if function else (0, len(whole))
        formals = {f.name for f in function.formals} if function else set()
        used = {w for loop in nest.loops for w in re.findall(r"[A-Za-z_]\w*", f"{loop.start} {loop.end}")}
        before = whole[region[0] : nest.span.start]
        for name in sorted(used):
            for first, last in changes(body, name):
                raise self.fail(f"the bound `{name}` is changed inside the nest", start + first, start + last)
            declared = declares(before, name)
            prototype = function.prototype if function else ""
            if re.search(rf"\b(?:float|double)\s+{name}\b", before + prototype):
                raise self.fail(
                    f"the bound `{name}` is not a whole number", nest.span.start, hint="copy it into an int"
                )
            local = name in formals or declared or name.isupper() or name in self.macros
            if not local and (called := next(calls(body), None)):
                raise self.fail(
                    f"`{called}` may change the bound `{name}`",
                    start + body.index(called),
                    hint=f"copy `{name}` into a variable before the nest",
                )
            for first, _ in _addresses(whole[region[0] : region[1]], name):
                raise self.fail(
                    f"the address of the bound `{name}` is taken, so it may change inside the nest",
                    region[0] + first,
                    hint=f"copy `{name}` into a variable before the nest",
                )


def _addresses(code: str, name: str) -> list[tuple[int, int]]:
    return [(a, b) for a, b in changes(code, name) if re.search(r"&\s*\Z", code[:a])]


def _plus_one(text: str, down: bool) -> str:
    """The exclusive end for an inclusive one."""
    if text.isdigit():
        return str(int(text) + (-1 if down else 1))
    less = re.fullmatch(r"(\w+) - 1", text)
    if less and not down:
        return less.group(1)
    return f"{text} {'-' if down else '+'} 1"
