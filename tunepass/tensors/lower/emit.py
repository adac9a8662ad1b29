"""A statement in C: declarations, loops and the update of the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod

from tunepass.ir.tensor import Access
from tunepass.tensors.lower.buffers import Buffers
from tunepass.tensors.lower.expressions import product_text
from tunepass.tensors.lower.loops import Head, Scope, bound, guards, head_of, open_positions
from tunepass.tensors.lower.positions import Segment, family_of
from tunepass.tensors.lower.results import Plan, plan_of, simd
from tunepass.tensors.lower.statement import Producer, Statement
from tunepass.tensors.lower.storage import ZERO, product_of
from tunepass.tensors.lower.text import Lines, Quantity, atom, minus, plus, times
from tunepass.tensors.schedule.nest import NestLoop

STACK = 2048  # numbers in a workspace that is on the stack


@dataclass(slots=True)
class Emitter:
    """Writes one statement. `target`: the C name of the array the result is in."""

    statement: Statement
    plan: Plan
    lines: Lines
    buffers: Buffers
    build: Callable[[Producer, Statement, frozenset[str]], Iterable[Statement]]  # statements that compute a workspace
    target: str
    threads: str | None = None  # how many threads run what is written, where they may be several
    register: str = ""
    versioned: bool = False

    def body(self, depth: int, scope: Scope) -> None:
        """What is inside the first `depth` loops."""
        scope = self.settled(depth, scope)
        if self.plan.zeroed == depth:
            self.zero(scope)
        for producer in self.statement.producers:
            if producer.depth == depth:
                self.produce(producer, scope)
        loops = self.statement.loops
        if depth == self.plan.register and depth < len(loops):
            element = self.statement.storage.element(self.statement.result.tensor)
            self.register = self.statement.storage.names.of("register", self.statement.result.tensor, wish="sum")
            self.lines.add(f"{element} {self.register} = {ZERO[element]};")
            self.loop(depth, scope)
            self.update(self.register, scope)
        elif depth < len(loops):
            self.loop(depth, scope)
        else:
            element = self.statement.storage.element(self.statement.result.tensor)
            text = product_text(self.statement.term, lambda access: self.number(access, scope), element)
            if self.plan.register < depth:
                self.lines.add(f"{self.register} += {text};")
            else:
                self.update(text, scope)

    # What becomes known

    def settled(self, depth: int, scope: Scope) -> Scope:
        """The coordinates, positions and numbers that are known now, declared."""
        statement, storage, variables = self.statement, self.statement.storage, self.statement.variables
        coordinates, positions = dict(scope.coordinates), dict(scope.positions)
        for root in self.roots():
            if root in coordinates:
                continue
            value = variables.value(root, scope.known)
            if value is None:
                continue
            name = storage.names.of("variable", root)
            if value != name:
                self.lines.add(f"const int {name} = {value};")
            coordinates[root] = name
        for level, root in enumerate(statement.levels):
            if level in positions or statement.compressed(level) or root not in coordinates:
                continue
            if level == 0:
                positions[0] = coordinates[root]
            elif level - 1 in positions:
                assert statement.sparse
                tensor = statement.sparse.tensor
                name = storage.names.of("position", root, tensor, wish=f"{root}{tensor}")
                base = times(f"(long){atom(positions[level - 1])}", variables.extent(root))
                self.lines.add(f"const long {name} = {plus(base, coordinates[root])};")
                positions[level] = name
        scope = replace(scope, coordinates=coordinates, positions=positions)
        return replace(scope, read=self.reads(scope)) if depth < len(statement.loops) else scope

    def roots(self) -> tuple[str, ...]:
        looped = [root for index in range(len(self.statement.loops)) for root in self.statement.roots_at(index)]
        names = (*self.statement.result.index, *self.statement.term.variables(), *self.statement.levels, *looped)
        return tuple(dict.fromkeys(names))

    def reads(self, scope: Scope) -> dict[Access, str]:
        """Numbers that inner loops do not change, read before these."""
        read = dict(scope.read)
        storage = self.statement.storage
        for access in self.statement.term.accesses():
            if access in read or not self.reached(access, scope):
                continue
            wish = f"{access.tensor}_{'_'.join(access.index)}" if access.index else f"{access.tensor}_value"
            name = storage.names.of("read", access.tensor, *access.index, wish=wish)
            self.lines.add(f"const {storage.element(access.tensor)} {name} = {self.number(access, scope)};")
            read[access] = name
        return read

    def reached(self, access: Access, scope: Scope) -> bool:
        if self.statement.storage.sparse(access):
            return len(access.index) - 1 in scope.positions
        written = any(access.tensor == producer.access.tensor for producer in self.statement.producers)
        return not written and set(access.index) <= set(scope.coordinates)

    def number(self, access: Access, scope: Scope) -> str:
        if access in scope.read:
            return scope.read[access]
        return f"{self.statement.storage.values(access.tensor)}[{self.place(access, scope)}]"

    def place(self, access: Access, scope: Scope) -> Quantity:
        storage = self.statement.storage
        if storage.sparse(access):
            return scope.positions[len(access.index) - 1]
        extents = {root: self.statement.variables.extent(root) for root in access.index}
        return storage.place(access, scope.coordinates, extents)

    # The result

    def update(self, amount: str, scope: Scope) -> None:
        """Stores `amount`, or adds it."""
        place = self.place(self.statement.result, scope)
        negative = self.statement.term.negative
        if self.plan.overwrites:
            self.lines.add(f"{self.target}[{place}] = {f'-({amount})' if negative else amount};")
            return
        if self.plan.atomic:
            self.lines.pragma("omp atomic")
        self.lines.add(f"{self.target}[{place}] {'-' if negative else '+'}= {amount};")

    def zero(self, scope: Scope) -> None:
        """Sets to zero the slice of the result that the loops inside add to."""
        statement, storage, variables = self.statement, self.statement.storage, self.statement.variables
        result = statement.result
        zero = ZERO[storage.element(result.tensor)]
        place = storage.names.of("zeroed", wish="at")
        if storage.sparse(result):
            begin, end = self.slice_of_pattern(len(result.index) - 1, scope)
            self.lines.add(f"for (long {place} = {begin}; {place} < {end}; {place}++) {self.target}[{place}] = {zero};")
            return
        rest = [root for root in storage.stored(result) if root not in scope.coordinates]
        if len(rest) == len(result.index) and rest:
            count = product_of([variables.extent(root) for root in rest])
            self.lines.add(f"for (long {place} = 0; {place} < {count}; {place}++) {self.target}[{place}] = {zero};")
            return
        inner = replace(scope, coordinates=dict(scope.coordinates))
        self.zero_rest(rest, inner, zero)

    def zero_rest(self, rest: Sequence[str], scope: Scope, zero: str) -> None:
        if not rest:
            self.lines.add(f"{self.target}[{self.place(self.statement.result, scope)}] = {zero};")
            return
        root = rest[0]
        name = self.statement.storage.names.of("variable", root)
        with self.lines.block(f"for (int {name} = 0; {name} < {self.statement.variables.extent(root)}; {name}++)"):
            scope.coordinates[root] = name
            self.zero_rest(rest[1:], scope, zero)

    def slice_of_pattern(self, last: int, scope: Scope) -> tuple[Quantity, Quantity]:
        """The positions at level `last` below the deepest level whose position is known."""
        statement = self.statement
        assert statement.sparse
        known = [level for level in scope.positions if level <= last]
        level = max(known, default=-1)
        begin: Quantity = scope.positions[level] if known else 0
        end = plus(begin, 1)
        for below in range(level + 1, last + 1):
            if statement.compressed(below):
                pos = statement.storage.pos(statement.sparse.tensor, below)
                begin, end = 0 if begin == 0 else f"{pos}[{begin}]", f"{pos}[{end}]"
            else:
                size = statement.variables.extent(statement.levels[below])
                begin, end = (times(f"(long){atom(x)}" if x not in (0, 1) else x, size) for x in (begin, end))
        return begin, end

    def produce(self, producer: Producer, scope: Scope) -> None:
        """Computes a workspace, which the loops inside read."""
        storage, access = self.statement.storage, producer.access
        element = storage.element(access.tensor)
        sizes = [self.statement.variables.extent(variable) for variable in access.index]
        name = storage.values(access.tensor)
        total = prod(size for size in sizes if isinstance(size, int))
        if all(isinstance(size, int) for size in sizes) and total <= STACK:
            self.lines.add(f"{element} {name}[{max(total, 1)}];")
        elif self.threads is None:
            self.buffers.add(name, element, (product_of(sizes),))
        else:
            everyone = storage.names.of("copies", access.tensor, wish=f"{access.tensor}_of_all")
            self.buffers.add(everyone, element, (product_of(sizes), self.threads))
            own = f"{everyone} + {product_of(sizes)} * omp_get_thread_num()"
            self.lines.add(f"{element} *restrict {name} = {own};")
        made = producer.workspace
        looped = {root for loop in made.loops for root in self.statement.variables.roots(loop.variable)}
        coordinates = dict(scope.coordinates)
        for variable, own in zip(made.variables, made.workspace_variables, strict=True):
            if own not in looped and variable in coordinates:  # no loop of its own: where the reader is
                coordinates[own] = coordinates[variable]
        scope = replace(scope, coordinates=coordinates)
        for number, statement in enumerate(self.build(producer, self.statement, frozenset(coordinates))):
            follows = statement.sparse == self.statement.sparse
            inner = scope if follows else replace(scope, positions={}, opened={})
            plan = plan_of(statement, fresh=number == 0)
            with self.lines.block(""):
                emitter = Emitter(statement, plan, self.lines, self.buffers, self.build, name, self.threads)
                emitter.body(0, inner)

    # Loops

    def loop(self, depth: int, scope: Scope) -> None:
        """The loop at `depth` and what is inside it."""
        leaf = self.statement.loops[depth]
        if family_of(self.statement, leaf.variable) is not None:
            scope = open_positions(self.statement, leaf.variable, scope, self.lines)
        if not self.versioned and (split := self.unrolled(depth, scope)) is not None:
            inner, end, whole = split
            name = self.statement.storage.names.of("end", inner, wish=f"{inner}_end")
            self.lines.add(f"const int {name} = {end};")
            self.versioned = True
            with self.lines.block(f"if ({name} == {whole})"):
                self.loop(depth, replace(scope, ends={**scope.ends, inner: whole}))
            with self.lines.block("else"):
                self.loop(depth, replace(scope, ends={**scope.ends, inner: name}))
            self.versioned = False
            return
        if depth == self.plan.thread and self.plan.private:
            self.private(depth, scope)
        else:
            self.plain(depth, scope, self.pragmas(depth))

    def unrolled(self, depth: int, scope: Scope) -> tuple[str, Quantity, int] | None:
        """An inner loop to be unrolled whose trip count is constant but for partial tiles, and known here."""
        for loop in self.statement.loops[depth:]:
            if (
                loop.unroll <= 1
                or loop.variable in scope.ends
                or loop.variable in self.statement.by_positions() - set(self.statement.position_variables())
            ):
                continue
            family = family_of(self.statement, loop.variable)
            if family is not None and (family.position not in scope.opened or family.position == loop.variable):
                continue
            whole = self.statement.variables.extent(loop.variable)
            end = bound(self.statement, loop.variable, scope)
            if isinstance(whole, int) and isinstance(end, str):
                return loop.variable, end, whole
        return None

    def pragmas(self, depth: int) -> list[str]:
        loop = self.statement.loops[depth]
        pragmas = []
        if depth == self.plan.thread:
            reduction = f" reduction(+:{self.register})" if self.plan.reduced else ""
            pragmas.append("omp parallel for" + clauses(loop) + reduction)
        elif (vector := simd(self.statement, self.plan, depth)) is not None:
            pragmas.append(vector.format(register=self.register))
        elif loop.unroll > 1:
            pragmas.append(f"GCC unroll {loop.unroll}")
        return pragmas

    def plain(self, depth: int, scope: Scope, pragmas: Sequence[str]) -> None:
        """The loop at `depth` with `pragmas` before it."""
        statement = self.statement
        leaf = statement.loops[depth].variable
        head = head_of(statement, depth, scope, self.lines)
        followed = self.follow(leaf, head, scope) if not pragmas or pragmas[0].startswith("GCC") else {}
        outer_threads = self.threads
        if depth == self.plan.thread and not self.plan.private:
            self.threads = str(statement.loops[depth].threads or "omp_get_max_threads()")
        for pragma in pragmas:
            self.lines.pragma(pragma)
        with self.lines.block(head.text):
            scope = replace(scope, known={**scope.known, leaf: head.name})
            if head.segments:
                scope = self.arrived(leaf, head, scope, followed)
            for condition in guards(statement, leaf, scope):
                self.lines.add(f"if ({condition}) continue;")
            self.body(depth + 1, scope)
        self.threads = outer_threads

    def follow(self, leaf: str, head: Head, scope: Scope) -> dict[int, str]:
        """Positions at upper levels that are followed step by step as the loop goes on: declared, by level."""
        statement = self.statement
        if len(head.segments) < 2:
            return {}
        family = family_of(statement, leaf)
        first: Quantity = head.begin
        if family is not None and family.position != leaf:
            value = statement.variables.value(family.position, {**scope.known, leaf: "0"})
            assert value is not None
            first = plus(head.segments[-1].begin, value)
        followed = {}
        for above, segment in reversed(list(zip(head.segments, head.segments[1:], strict=False))):
            if not statement.compressed(segment.level):
                break
            followed[above.level] = self.upper_name(above.level)
            self.lines.add(f"int {followed[above.level]} = {self.search(above, segment.level, first)};")
            first = followed[above.level]
        return followed

    def upper_name(self, level: int) -> str:
        statement = self.statement
        root = statement.levels[level]
        if level == 0 and not statement.compressed(0):
            return statement.storage.names.of("variable", root)
        assert statement.sparse
        return statement.storage.names.of(
            "position", root, statement.sparse.tensor, wish=f"{root}{statement.sparse.tensor}"
        )

    def search(self, above: Segment, level: int, position: Quantity) -> str:
        assert self.statement.sparse
        pos = self.statement.storage.pos(self.statement.sparse.tensor, level)
        return f"segment_of({pos}, {above.begin}, {above.end}, {position})"

    def arrived(self, leaf: str, head: Head, scope: Scope, followed: dict[int, str]) -> Scope:
        """At a position of the sparse operand: its coordinates, and the positions above it."""
        statement, storage = self.statement, self.statement.storage
        assert statement.sparse
        tensor = statement.sparse.tensor
        family = family_of(statement, leaf)
        position = head.name
        if family is not None and family.position != leaf:
            value = statement.variables.value(family.position, scope.known)
            assert value is not None
            position = storage.names.of("variable", family.position)
            self.lines.add(f"const int {position} = {plus(head.segments[-1].begin, value)};")
        coordinates, positions = dict(scope.coordinates), dict(scope.positions)
        for index in reversed(range(len(head.segments))):
            level = head.segments[index].level
            root = statement.levels[level]
            positions[level] = position
            name = storage.names.of("variable", root)
            above = position
            if index > 0 and statement.compressed(level):
                upper = head.segments[index - 1]
                if upper.level in followed:
                    above = followed[upper.level]
                    pos = storage.pos(tensor, level)
                    self.lines.add(f"while ({pos}[{above} + 1] <= {position}) {above}++;")
                else:
                    above = self.upper_name(upper.level)
                    self.lines.add(f"const int {above} = {self.search(upper, level, position)};")
            elif index > 0:
                above = self.upper_name(level - 1)
                self.lines.add(f"const int {above} = {position} / {statement.variables.extent(root)};")
            coordinates[root] = name
            if statement.compressed(level):
                self.lines.add(f"const int {name} = {storage.crd(tensor, level)}[{position}];")
            elif name != position:
                base = positions.get(level - 1, 0) if index == 0 else above
                start = times(f"(long){atom(base)}" if base != 0 else 0, statement.variables.extent(root))
                self.lines.add(f"const int {name} = {minus(position, start)};")
            position = above
        resolved = {statement.levels[segment.level] for segment in head.segments}
        self.filter(resolved, leaf, head, scope, coordinates)
        return replace(scope, coordinates=coordinates, positions=positions)

    def filter(self, resolved: set[str], leaf: str, head: Head, scope: Scope, coordinates: dict[str, str]) -> None:
        """Leaves out what outer loops, which the range of positions does not hold to, do not want."""
        variables, counted = self.statement.variables, self.statement.position_variables()
        for root in sorted(resolved):
            for other in sorted(variables.leaves(root) & set(scope.known)):
                if other != leaf and other not in head.used and other not in counted:
                    value = variables.derived(other, coordinates)
                    self.lines.add(f"if ({value} != {scope.known[other]}) continue;")

    def private(self, depth: int, scope: Scope) -> None:
        """The threads' loop where each adds to a copy of the result, and the sum of these."""
        statement, storage, loop = self.statement, self.statement.storage, self.statement.loops[depth]
        result, shared = statement.result, self.target
        element = storage.element(result.tensor)
        count = storage.names.of("number", result.tensor, wish=f"{result.tensor}_count")
        team = storage.names.of("team", result.tensor, wish="team")
        copies = storage.names.of("copies", result.tensor, wish=f"{result.tensor}_copies")
        own = storage.names.of("own", result.tensor, wish=f"{result.tensor}_own")
        at, copy = storage.names.of("zeroed", wish="at"), storage.names.of("copy", wish="copy")
        total = (
            self.slice_of_pattern(len(result.index) - 1, Scope())[1]
            if storage.sparse(result)
            else product_of([statement.variables.extent(root) for root in result.index])
        )
        self.buffers.add(copies, element, (str(total), str(loop.threads or "omp_get_max_threads()")))
        self.lines.add(f"const long {count} = {total};")
        self.lines.add(f"const int {team} = {loop.threads or 'omp_get_max_threads()'};")
        self.lines.add(f"for (long {at} = 0; {at} < {count} * {team}; {at}++) {copies}[{at}] = {ZERO[element]};")
        self.lines.pragma(f"omp parallel num_threads({team})")
        with self.lines.block(""):
            self.lines.add(f"{element} *restrict {own} = {copies} + {count} * omp_get_thread_num();")
            self.target, self.threads = own, str(loop.threads or "omp_get_max_threads()")
            self.plain(depth, scope, ["omp for" + clauses(replace(loop, threads=None))])
            self.target, self.threads = shared, None
        with self.lines.block(f"for (int {copy} = 0; {copy} < {team}; {copy}++)"):
            self.lines.add(
                f"for (long {at} = 0; {at} < {count}; {at}++) {shared}[{at}] += {copies}[{count} * {copy} + {at}];"
            )


def clauses(loop: NestLoop) -> str:
    text = ""
    if loop.policy is not None:
        text += f" schedule({loop.policy}{'' if loop.chunk is None else f', {loop.chunk}'})"
    return text + ("" if loop.threads is None else f" num_threads({loop.threads})")
