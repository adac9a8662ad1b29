"""From a scheduled nest to a C function."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tunepass.ir.tensor import Access, Format, Level, Tensor
from tunepass.tensors.lower.buffers import Buffers
from tunepass.tensors.lower.emit import Emitter
from tunepass.tensors.lower.function import (
    Argument,
    CFunction,
    Coordinates,
    Extent,
    LoweringError,
    Positions,
    ResultPattern,
    StatedExtent,
    Values,
)
from tunepass.tensors.lower.loops import LoopScope
from tunepass.tensors.lower.results import plan_of
from tunepass.tensors.lower.statement import Producer, Statement, plain_loops, usable_loops
from tunepass.tensors.lower.storage import Storage
from tunepass.tensors.lower.text import Lines, Names, Quantity, helpers_of
from tunepass.tensors.lower.unused import used_lines
from tunepass.tensors.lower.variables import Variables
from tunepass.tensors.schedule.nest import BoundOf, NestLoop, ScheduledNest, Workspace
from tunepass.tensors.schedule.operands import sparse_operand
from tunepass.tensors.terms import Term, accesses, sum_of_products

# Without OpenMP its pragmas are passed over; clang says so too where it cannot vectorise as one asks.
QUIET = (
    '#pragma GCC diagnostic ignored "-Wunknown-pragmas"',
    "#ifdef __clang__",
    '#pragma clang diagnostic ignored "-Wpass-failed"',
    "#endif",
    "",
)
ALONE = {
    "omp_get_max_threads": "static inline int omp_get_max_threads(void) { return 1; }",
    "omp_get_thread_num": "static inline int omp_get_thread_num(void) { return 0; }",
}


def lower(nest: ScheduledNest, name: str) -> CFunction:
    """The C function `name` that computes the nest's assignment anew at every call; it adds to the result where the
    assignment does."""
    return Lowering.of(nest, name).function()


@dataclass(frozen=True, slots=True)
class Lowering:
    nest: ScheduledNest
    name: str
    storage: Storage
    sizes: Mapping[str, Quantity]  # extents of index variables
    arguments: tuple[Argument, ...]

    @classmethod
    def of(cls, nest: ScheduledNest, name: str) -> Lowering:
        names = Names()
        names.taken.add(name)
        tensors = {tensor.name: tensor for tensor in nest.tensors}
        left = nest.assignment.left
        for workspace in nest.workspaces:
            levels: list[Level] = ["dense" for _ in workspace.variables]
            dense = Format(tuple(levels), tuple(range(len(levels))))
            element = tensors[left.tensor].element
            tensors[workspace.name] = Tensor(
                name=workspace.name, index=workspace.variables, format=dense, element=element
            )
        storage = Storage(tensors, names)
        used = used_accesses(nest)
        if left.tensor in {access.tensor for access in used}:
            raise LoweringError(f"{left.tensor} is read while it is computed", left.span)
        pairs = [(workspace.variables, workspace.workspace_variables) for workspace in nest.workspaces]
        looped = {*left.index, *(root for loop in nest.loops for root in nest.roots(loop.variable))}
        alias = {w: v for old, new in pairs for v, w in zip(old, new, strict=True) if w not in looped and v != w}
        roots = dict.fromkeys(original(v, alias) for access in (left, *used) for v in access.index)
        sizes: dict[str, Quantity] = {root: storage.size(root) for root in roots}
        sizes |= {w: sizes[original(w, alias)] for w in alias}
        operands = tuple(dict.fromkeys(access.tensor for access in used))
        arguments = tuple(arguments_of(nest, storage, tuple(roots), operands))
        return cls(nest, name, storage, sizes, arguments)

    def function(self) -> CFunction:
        nest, storage = self.nest, self.storage
        left = replace(nest.assignment.left, span=None)
        terms = sum_of_products(nest.assignment.right, left.index, nest.tensors)
        lines, buffers = Lines(), Buffers()
        pattern = None
        statements = [self.statement(left, term, nest.loops, None, 0) for term in terms]
        for number, statement in enumerate(statements):
            if storage.sparse(left):
                pattern = self.pattern(statement)
            fresh = number == 0 and not nest.assignment.accumulates
            plan = plan_of(statement, fresh)
            emitter = Emitter(statement, plan, lines, buffers, self.producing, storage.values(left.tensor))
            if len(statements) > 1:
                with lines.block(""):
                    emitter.body(0, LoopScope())
            else:
                emitter.body(0, LoopScope())
        stated = self.stated()
        text = self.text(used_lines(lines.lines), buffers, stated)
        return CFunction(self.name, text, self.signature(), self.arguments, pattern, stated)

    # Statements

    def statement(
        self,
        result: Access,
        term: Term,
        loops: tuple[NestLoop, ...],
        parent: Workspace | None,
        around: int,
        outside: Statement | None = None,
        given: frozenset[str] = frozenset(),
    ) -> Statement:
        """`result += term` inside `loops`, those of `outside` being around them."""
        producers = tuple(self.producers(term, parent, around))
        sparse = sparse_operand(self.nest, term)
        if sparse is None and outside is not None and outside.sparse is not None and given:
            sparse = outside.sparse
        levels = self.storage.stored(sparse) if sparse else ()
        produced = {name for producer in producers for name in self.used_by(producer)}
        deepest = max((producer.depth for producer in producers), default=0)
        roots = [*result.index, *term.variables()]
        roots += [root for loop in loops[:deepest] for root in self.nest.roots(loop.variable) if root in produced]
        roots = [root for root in dict.fromkeys(roots) if root not in given]
        derivations = self.nest.derivations
        usable = usable_loops(loops, derivations, roots, sparse, levels, self.sizes)
        if usable is None:
            if producers:
                raise LoweringError("the loops around a workspace are not those of the term that reads it")
            usable = plain_loops(loops, derivations, roots, levels), Variables((), dict(self.sizes))
        statement_loops, variables = usable
        placed = [replace(p, depth=sum(loop in statement_loops for loop in loops[: p.depth])) for p in producers]
        return Statement(
            result=result,
            term=term,
            loops=statement_loops,
            variables=variables,
            storage=self.storage,
            sparse=sparse,
            others=tuple(a for a in term.accesses() if self.storage.sparse(a) and a != sparse),
            producers=tuple(placed),
            given=given,
            sought=outside is not None and outside.sparse != sparse,
        )

    def used_by(self, producer: Producer) -> Iterator[str]:
        """The index variables of all that a workspace is computed from, but for those of its own loops."""
        roots = {root for loop in producer.workspace.loops for root in self.nest.roots(loop.variable)}
        for term in producer.terms:
            inner = [name for nested in self.producers(term, producer.workspace, 0) for name in self.used_by(nested)]
            yield from (name for name in (*term.variables(), *inner) if name not in roots)

    def producers(self, term: Term, parent: Workspace | None, around: int) -> Iterator[Producer]:
        """The workspaces a term reads, of the statement that computes `parent`."""
        read = {access.tensor for access in term.accesses()}
        for workspace in self.nest.workspaces:
            if workspace.name in read and workspace.parent == (parent.name if parent else None):
                terms = sum_of_products(workspace.expression, workspace.workspace_variables, self.nest.tensors)
                yield Producer(
                    workspace,
                    Access(workspace.name, workspace.workspace_variables),
                    terms,
                    max(workspace.outer - around, 0),
                )

    def producing(self, producer: Producer, outside: Statement, given: frozenset[str]) -> Iterator[Statement]:
        """The statements that compute a workspace inside the loops of `outside` around it."""
        workspace = producer.workspace
        for term in producer.terms:
            yield self.statement(producer.access, term, workspace.loops, workspace, workspace.outer, outside, given)

    def pattern(self, statement: Statement) -> ResultPattern:
        """The sparse operand's levels that a sparse result has."""
        left, sparse = self.nest.assignment.left, statement.sparse
        count = len(left.index)
        fits = (
            sparse is not None
            and self.storage.stored(left) == self.storage.stored(sparse)[:count]
            and self.storage.tensors[left.tensor].format.levels
            == self.storage.tensors[sparse.tensor].format.levels[:count]
        )
        if not fits or sparse is None:
            message = f"the sparse result {left.tensor} must have the levels of the sparse operand of every term"
            raise LoweringError(message, left.span)
        return ResultPattern(sparse.tensor, count)

    # Text

    def stated(self) -> tuple[StatedExtent, ...]:
        return tuple(
            StatedExtent(d.variable, d.extent)
            for d in self.nest.derivations
            if isinstance(d, BoundOf) and d.variable in self.sizes
        )

    def signature(self) -> str:
        return f"int {self.name}({', '.join(parameter(argument) for argument in self.arguments)})"

    def text(self, lines: list[str], buffers: Buffers, stated: tuple[StatedExtent, ...]) -> str:
        head = [f"  if ({self.sizes[s.variable]} != {s.extent}) return 1;" for s in stated]
        if buffers.wanted:
            head += ["  " + line for line in buffers.allocation()]
            head.append(f"  if ({buffers.failure()}) {{")
            head += ["    " + line for line in buffers.release()]
            head += ["    return 2;", "  }"]
        body = "\n".join([*head, *lines, *("  " + line for line in buffers.release()), "  return 0;"])
        unused = [a.name for a in self.arguments if not re.search(rf"\b{a.name}\b", body)]
        silenced = [f"  (void){name};" for name in unused]
        includes = ["#include <stdlib.h>"] * bool(buffers.wanted)
        if alone := [line for function, line in ALONE.items() if function in body]:
            includes += ["#ifdef _OPENMP", "#include <omp.h>", "#else", *alone, "#endif"]
        top = [*includes, *([""] if includes else []), *(QUIET if "#pragma" in body else ()), *helpers_of(body)]
        parameters = ",\n    ".join(parameter(argument) for argument in self.arguments)
        return "\n".join([*top, f"int {self.name}(\n    {parameters}) {{", *silenced, body, "}", ""])


def used_accesses(nest: ScheduledNest) -> tuple[Access, ...]:
    """Every access of a tensor that is no workspace."""
    workspace_names = {workspace.name for workspace in nest.workspaces}
    expressions = (nest.assignment.right, *(workspace.expression for workspace in nest.workspaces))
    return tuple(dict.fromkeys(a for e in expressions for a in accesses(e) if a.tensor not in workspace_names))


def original(variable: str, alias: Mapping[str, str]) -> str:
    """The index variable that a workspace's variable stands for."""
    for _ in alias:
        variable = alias.get(variable, variable)
    return variable


def arguments_of(
    nest: ScheduledNest, storage: Storage, roots: tuple[str, ...], operands: tuple[str, ...]
) -> Iterator[Argument]:
    for root in roots:
        yield Extent(storage.size(root), root)
    result = nest.assignment.left.tensor
    name, element = storage.values(result), storage.element(result)
    yield Values(name, result, element, "inout" if nest.assignment.accumulates else "out")
    for tensor in operands:
        for level, kind in enumerate(storage.tensors[tensor].format.levels):
            if kind == "compressed":
                yield Positions(storage.pos(tensor, level), tensor, level)
                yield Coordinates(storage.crd(tensor, level), tensor, level)
        yield Values(storage.values(tensor), tensor, storage.element(tensor), "in")


def parameter(argument: Argument) -> str:
    match argument:
        case Extent(name):
            return f"int {name}"
        case Positions(name) | Coordinates(name):
            return f"const int *restrict {name}"
        case Values(name, _, element, direction):
            return f"{'const ' * (direction == 'in')}{element} *restrict {name}"
