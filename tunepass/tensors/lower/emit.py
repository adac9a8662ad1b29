"""A statement in C: declarations, loops and the update of the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import prod

from tunepass.tensors.lower.arrival import arrived, follow
from tunepass.tensors.lower.buffers import Buffers
from tunepass.tensors.lower.expressions import product_text
from tunepass.tensors.lower.intersection import begin_steps, enter_walk, look_up, look_up_first
from tunepass.tensors.lower.loops import LoopScope, bound, guards, head_of, open_positions
from tunepass.tensors.lower.places import number, place, reads
from tunepass.tensors.lower.positions import family_of
from tunepass.tensors.lower.results import ResultPlan, plan_of, simd
from tunepass.tensors.lower.statement import Producer, Statement
from tunepass.tensors.lower.storage import ZERO, product_of
from tunepass.tensors.lower.text import Lines, Quantity, atom, plus, times
from tunepass.tensors.lower.zeroing import set_to_zero, slice_of_pattern
from tunepass.tensors.schedule.nest import NestLoop

STACK = 2048  # numbers in a workspace that is on the stack


@dataclass(slots=True)
class Emitter:
    """Writes one statement. `target`: the C name of the array the result is in."""

    statement: Statement
    plan: ResultPlan
    lines: Lines
    buffers: Buffers
    build: Callable[[Producer, Statement, frozenset[str]], Iterable[Statement]]  # statements that compute a workspace
    target: str
    threads: str | None = None  # how many threads run what is written, where they may be several
    register: str = ""
    versioned: bool = False

    def body(self, depth: int, scope: LoopScope) -> None:
        """Emit the content of the first `depth` loops."""
        scope = self.settled(depth, scope)
        if self.plan.zeroed == depth:
            set_to_zero(self.statement, self.target, scope, self.lines)
        with ExitStack() as blocks:
            if self.statement.sought and depth == 0:
                scope = look_up_first(self.statement, scope, self.lines, blocks)
            if self.statement.others or self.statement.sought:
                scope = look_up(self.statement, scope, self.lines, blocks)
                if depth < len(self.statement.loops):
                    scope = replace(scope, read=reads(self.statement, scope, self.lines))
            self.inside(depth, scope)

    def inside(self, depth: int, scope: LoopScope) -> None:
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
            text = product_text(self.statement.term, lambda access: number(self.statement, access, scope), element)
            if self.plan.register < depth:
                self.lines.add(f"{self.register} += {text};")
            else:
                self.update(text, scope)

    # What becomes known

    def settled(self, depth: int, scope: LoopScope) -> LoopScope:
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
        return replace(scope, read=reads(statement, scope, self.lines)) if depth < len(statement.loops) else scope

    def roots(self) -> tuple[str, ...]:
        looped = [root for index in range(len(self.statement.loops)) for root in self.statement.roots_at(index)]
        names = (*self.statement.result.index, *self.statement.term.variables(), *self.statement.levels, *looped)
        return tuple(dict.fromkeys(names))

    # The result

    def update(self, amount: str, scope: LoopScope) -> None:
        """Stores `amount`, or adds it."""
        where = place(self.statement, self.statement.result, scope)
        negative = self.statement.term.negative
        if self.plan.overwrites:
            self.lines.add(f"{self.target}[{where}] = {f'-({amount})' if negative else amount};")
            return
        if self.plan.atomic:
            self.lines.pragma("omp atomic")
        self.lines.add(f"{self.target}[{where}] {'-' if negative else '+'}= {amount};")

    def produce(self, producer: Producer, scope: LoopScope) -> None:
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
            thread_copy = f"{everyone} + {product_of(sizes)} * omp_get_thread_num()"
            self.lines.add(f"{element} *restrict {name} = {thread_copy};")
        workspace = producer.workspace
        looped = {root for loop in workspace.loops for root in self.statement.variables.roots(loop.variable)}
        coordinates = dict(scope.coordinates)
        for variable, workspace_variable in zip(workspace.variables, workspace.workspace_variables, strict=True):
            if workspace_variable not in looped and variable in coordinates:  # no loop of its own: where the reader is
                coordinates[workspace_variable] = coordinates[variable]
        scope = replace(scope, coordinates=coordinates)
        for count, statement in enumerate(self.build(producer, self.statement, frozenset(coordinates))):
            follows = statement.sparse == self.statement.sparse
            inner = scope if follows else replace(scope, positions={}, opened={})
            plan = plan_of(statement, fresh=count == 0)
            with self.lines.block(""):
                emitter = Emitter(statement, plan, self.lines, self.buffers, self.build, name, self.threads)
                emitter.body(0, inner)

    # Loops

    def loop(self, depth: int, scope: LoopScope) -> None:
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

    def unrolled(self, depth: int, scope: LoopScope) -> tuple[str, Quantity, int] | None:
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

    def plain(self, depth: int, scope: LoopScope, pragmas: Sequence[str]) -> None:
        """The loop at `depth` with `pragmas` before it."""
        statement = self.statement
        leaf = statement.loops[depth].variable
        head = head_of(statement, depth, scope, self.lines)
        followed = {}
        if not pragmas or pragmas[0].startswith("GCC"):
            followed = follow(statement, leaf, head, scope, self.lines)
            scope = begin_steps(statement, leaf, scope, self.lines)
        outer_threads = self.threads
        if depth == self.plan.thread and not self.plan.private:
            self.threads = str(statement.loops[depth].threads or "omp_get_max_threads()")
        for pragma in pragmas:
            self.lines.pragma(pragma)
        with self.lines.block(head.text):
            scope = replace(scope, known={**scope.known, leaf: head.name})
            if leaf in statement.walked:
                scope = enter_walk(statement, leaf, head, scope, self.lines)
            if head.segments:
                scope = arrived(statement, leaf, head, scope, followed, self.lines)
            for condition in guards(statement, leaf, scope):
                self.lines.add(f"if ({condition}) continue;")
            self.body(depth + 1, scope)
        self.threads = outer_threads

    def private(self, depth: int, scope: LoopScope) -> None:
        """The threads' loop where each adds to a copy of the result, and the sum of these."""
        statement, storage, loop = self.statement, self.statement.storage, self.statement.loops[depth]
        result, shared = statement.result, self.target
        element = storage.element(result.tensor)
        count = storage.names.of("number", result.tensor, wish=f"{result.tensor}_count")
        team = storage.names.of("team", result.tensor, wish="team")
        copies = storage.names.of("copies", result.tensor, wish=f"{result.tensor}_copies")
        private_copy = storage.names.of("own", result.tensor, wish=f"{result.tensor}_own")
        at, copy = storage.names.of("zeroed", wish="at"), storage.names.of("copy", wish="copy")
        total = (
            slice_of_pattern(statement, len(result.index) - 1, LoopScope())[1]
            if storage.sparse(result)
            else product_of([statement.variables.extent(root) for root in result.index])
        )
        self.buffers.add(copies, element, (str(total), str(loop.threads or "omp_get_max_threads()")))
        self.lines.add(f"const long {count} = {total};")
        self.lines.add(f"const int {team} = {loop.threads or 'omp_get_max_threads()'};")
        self.lines.add(f"for (long {at} = 0; {at} < {count} * {team}; {at}++) {copies}[{at}] = {ZERO[element]};")
        self.lines.pragma(f"omp parallel num_threads({team})")
        with self.lines.block(""):
            self.lines.add(f"{element} *restrict {private_copy} = {copies} + {count} * omp_get_thread_num();")
            self.target, self.threads = private_copy, str(loop.threads or "omp_get_max_threads()")
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
