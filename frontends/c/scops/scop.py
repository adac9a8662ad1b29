"""Reads the static control part that a pragma stands before: the whole way from text to `Scop`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from tunepass.diagnostics import Source, SourceError, Span
from tunepass.frontends.c.scops.accesses.arrays import MEMORY, AccessorLayout, AccessTarget, ArrayReader, KnownArray
from tunepass.frontends.c.scops.hindrances import hindrances
from tunepass.frontends.c.scops.lowering.callees import Callees
from tunepass.frontends.c.scops.lowering.casts import with_plain_casts
from tunepass.frontends.c.scops.lowering.lowering import lowered
from tunepass.frontends.c.scops.numbers.affine import isl_renamed, isl_text, isl_words
from tunepass.frontends.c.scops.numbers.c_types import UNSIGNED
from tunepass.frontends.c.scops.reading.listed import ListedReader
from tunepass.frontends.c.scops.reading.reader import RegionReader
from tunepass.frontends.c.scops.statements.branches import whole_branches
from tunepass.frontends.c.scops.statements.raw import RawStatement
from tunepass.frontends.c.scops.statements.region import Region, read_region
from tunepass.frontends.c.scops.substitution.forward import forwarded
from tunepass.frontends.c.scops.substitution.live import is_live_after
from tunepass.frontends.c.scops.substitution.pointers import apart_pointers, with_apart
from tunepass.frontends.c.scops.substitution.walks import with_distances
from tunepass.frontends.cfamily.text.lexemes import on_plain_lines
from tunepass.frontends.cfamily.unit import Unit
from tunepass.ir.scop import Scop, ScopAccess, ScopArray, ScopLoop, ScopParameter, ScopStatement

CONDITION_LIMIT = 200  # characters of what is checked before a schedule
NOT_PLAIN = frozenset({"exists", "mod", "floor", "false"})
INDEX_HINT = "declare the index in the loop's header, or compute the value it has"


def read_scop(
    pragma: Span,
    unit: Unit,
    overlapping: Sequence[tuple[str, str]] = (),
    listed: Sequence[str] = (),
    marked: Collection[str] = (),
) -> Scop:
    """The scop after the directive `pragma`. Macros that parameters set are symbols, whatever their text.

    Different formals, globals and restricted pointers are taken not to overlap, but for pairs in `overlapping`; rows of
    `T **` neither; subscripts to stay within their dimension. `listed` are the loops of a perfect nest, `marked` those
    that get OpenMP pragmas. Raises SourceError for what cannot be taken apart.
    """
    whole = with_plain_casts(read_region(pragma, unit, bool(listed)), unit)
    whole = replace(whole, statements=Callees(unit, whole.variables).statements(whole.statements))
    apart = apart_pointers(whole, {name for pair in overlapping for name in pair})
    with_apart(whole, apart)
    region, replaced = forwarded(with_distances(whole), apart)
    region = lowered(region, unit, region.function)
    taken = unit.text.raw.names | {t.text for t in region.inside}
    reader = ListedReader(region, unit, taken, listed, marked) if listed else RegionReader(region, unit.source, taken)
    reader.read()
    if not reader.loops:
        raise SourceError("there is no loop after this pragma", pragma, "it stands right before its loops")
    scop = _Assembly(region, reader, unit.source, overlapping, replaced).scop(pragma)
    return replace(scop, headers_declare=_headers_declare(unit))


def _headers_declare(unit: Unit) -> bool:
    """Whether the header of a `for` may declare its index: not with -std=gnu89."""
    version = unit.text.macros.get("__STDC_VERSION__", ())
    return unit.cxx or any(int(macro.body.rstrip("L")) >= 199901 for macro in version)


class _Assembly:
    """Texts, once all parameters are known."""

    def __init__(
        self,
        region: Region,
        reader: RegionReader,
        source: Source,
        overlapping: Sequence[tuple[str, str]],
        replaced: frozenset[str],
    ):
        self.region, self.reader, self.source, self.replaced = region, reader, source, replaced
        self.parameters = list(reader.parameters.values())
        self.arrays = ArrayReader(reader.statements, [p.name for p in self.parameters], self, overlapping)
        self.conditions: list[str] = []
        self.depth = max(len(s.loops) for s in reader.statements) if reader.statements else 0

    def scop(self, pragma: Span) -> Scop:
        reader = self.reader
        targets = self.arrays.targets()
        self.conditions = self.arrays.conditions()
        self.check_indices()
        self.parameters = self.named_parameters(targets)
        statements = [self.statement(n, raw, targets[n]) for n, raw in enumerate(reader.statements)]
        span = self.source.span(*whole_branches(self.region.unit, pragma, self.region.start, self.region.end))
        text = on_plain_lines(span.text)
        return Scop(
            parameters=tuple(self.parameters),
            context=self.prefixed("{ : " + self.context() + " }"),
            condition=self.prefixed("{ : " + " and ".join(self.conditions) + " }") if self.conditions else "",
            arrays=tuple(self.array(name, array) for name, array in self.arrays.arrays.items()),
            loops=tuple(reader.loops),
            statements=tuple(statements),
            pragma=pragma,
            span=span,
            declarations=tuple(reader.declarations.values()),
            after=self.after(),
            taken=reader.taken,
            hindrances=(*reader.hindrances, *hindrances(reader.statements, targets, self.arrays.unknown)),
            text="" if text == span.text else text,
        )

    def named_parameters(self, targets: Sequence[Sequence[AccessTarget]]) -> list[ScopParameter]:
        """Those that texts name: some were met only in what turned out not to be affine."""
        texts = [c for raw in self.reader.statements for c in raw.constraints] + list(self.reader.quantities.values())
        texts += self.conditions
        texts += [isl_text(value) for some in targets for t in some for value in t.values or ()]
        words = {word for text in texts for word in isl_words(text)}
        return [p for p in self.parameters if p.name in words]

    def prefixed(self, text: str) -> str:
        return f"[{', '.join(p.name for p in self.parameters)}] -> {text}"

    def context(self) -> str:
        """Unsigned parameters are not negative; of macros read as numbers, the numbers."""
        counted = self.reader.counted | self.arrays.counted
        known = [f"{p.name} >= 0" for p in self.parameters if p.type in UNSIGNED]
        known += [f"{p.name} = {p.value}" for p in self.parameters if p.text in counted]
        known += self.conditions
        return " and ".join(known) or "true"

    def statement(self, number: int, raw: RawStatement, targets: Sequence[AccessTarget]) -> ScopStatement:
        name = f"S{number}"
        tuple_ = f"{name}[{', '.join(loop.name for loop in raw.loops)}]"
        domain = self.restricted(tuple_, raw.constraints)
        return ScopStatement(
            name=name,
            loops=tuple(loop.name for loop in raw.loops),
            domain=domain,
            schedule=self.prefixed(f"{{ {tuple_} -> [{', '.join(self.times(raw))}] }}"),
            accesses=tuple(self.access(tuple_, target) for target in targets),
            text=raw.text,
            uses=raw.uses,
            span=raw.span,
            opaque=self.arrays.unknown.get(number),
        )

    def restricted(self, tuple_: str, constraints: Sequence[str]) -> str:
        """The set of the instances `tuple_` that satisfy all constraints."""
        condition = self.quantified(" and ".join(f"({c})" for c in constraints))
        return self.prefixed(f"{{ {tuple_}{' : ' if condition else ''}{condition} }}")

    def holds(self, raw: RawStatement, condition: str) -> bool:
        """Is `condition` true of every instance?"""
        import islpy as isl

        tuple_ = f"[{', '.join(loop.name for loop in raw.loops)}]"
        context = isl.Set(self.prefixed("{ : " + self.context() + " }"))
        instances = isl.Set(self.restricted(tuple_, raw.constraints)).intersect_params(context)
        return bool(instances.is_subset(isl.Set(self.restricted(tuple_, [condition]))))

    def implied_by(self, raw: RawStatement, condition: str) -> str | None:
        """Of the parameters with which there are instances, those with which `condition` holds at all of them."""
        import islpy as isl

        tuple_ = f"[{', '.join(loop.name for loop in raw.loops)}]"
        context = isl.Set(self.prefixed("{ : " + self.context() + " }"))
        instances = isl.Set(self.restricted(tuple_, raw.constraints)).intersect_params(context)
        outside = instances.subtract(isl.Set(self.restricted(tuple_, [condition])))
        some = instances.params()
        inside = some.subtract(outside.params()).coalesce()
        text = inside.gist(some).coalesce().to_str()
        plain = text[text.index(":") + 1 : text.rindex("}")].strip() if ":" in text else ""
        if inside.is_empty() or not plain or len(plain) > CONDITION_LIMIT or NOT_PLAIN & set(isl_words(plain)):
            return None
        numbers = " and ".join(f"{p.name} = {p.value}" for p in self.parameters if p.value is not None) or "true"
        possible = isl.Set(self.prefixed(f"{{ : ({plain}) and {numbers} }}"))
        return None if possible.is_empty() else f"({plain})"

    def quantified(self, condition: str) -> str:
        """`condition`, with the definitions of the quantities that it names."""
        quantities = self.reader.quantities
        needed: list[str] = []
        todo = [condition]
        while todo:
            found = [word for word in isl_words(todo.pop()) if word in quantities and word not in needed]
            needed += dict.fromkeys(found)
            todo += [quantities[word] for word in dict.fromkeys(found)]
        if not needed:
            return condition
        parts = " and ".join(f"({text})" for text in (*(quantities[word] for word in needed), condition))
        return f"exists ({', '.join(needed)} : {parts})"

    def times(self, raw: RawStatement) -> list[str]:
        """Position, index, position, ...: an index that counts down is negated."""
        times = [str(raw.positions[0])]
        for loop, position in zip(raw.loops, raw.positions[1:]):
            times += [f"-{loop.name}" if loop.step < 0 else loop.name, str(position)]
        return [*times, *["0"] * (2 * self.depth + 1 - len(times))]

    def access(self, tuple_: str, target: AccessTarget) -> ScopAccess:
        names = [f"o{k}" for k in range(target.rank)]
        values = [isl_text(value) for value in target.values] if target.values is not None else names
        condition = self.quantified(" and ".join(f"{n} = {v}" for n, v in zip(names, values)))
        quantified = condition.startswith("exists")
        elements = f"[{', '.join(names if quantified else values)}]{f' : {condition}' if quantified else ''}"
        return ScopAccess(
            array=target.array,
            map=self.prefixed(f"{{ {tuple_} -> {target.array}{elements} }}"),
            element_byte=self.arrays.arrays[target.array].element_byte,
            read=target.read,
            written=target.written,
            update=target.update,
            certain=target.certain,
            always=target.always,
            polynomial=target.polynomial,
        )

    def array(self, name: str, array: KnownArray) -> ScopArray:
        variable = array.variable
        local = (
            variable is not None
            and not variable.static
            and variable.scope != "global"
            and variable.pointers[:1] != (True,)
        )
        return ScopArray(
            name=name,
            text=array.text,
            element=variable.element if variable else "",
            element_byte=array.element_byte,
            extents=self.extents(array),
            private=name == MEMORY
            or (local and (array.text in self.reader.declarations or not self.read_later(array))),
        )

    def read_later(self, array: KnownArray) -> bool:
        """Is what the nest leaves in a local variable read after it? Of arrays nobody asks."""
        return array.variable is None or bool(array.variable.shape) or self.is_read_later(array.text)

    def is_read_later(self, name: str) -> bool:
        region = self.region
        return name in region.addressed or is_live_after(region.function.body, region.start, region.end, name)

    def extents(self, array: KnownArray) -> tuple[str, ...]:
        if isinstance(array.layout, AccessorLayout):
            return ("",) * array.rank
        if array.layout is not None:
            return ("", *(self.called(isl_text(extent)) for extent in array.layout.extents))
        shape = array.variable.shape if array.variable else (None,) * array.rank
        return tuple(self.reader.extent(e) if e is not None else "" for e in shape)

    def called(self, text: str) -> str:
        """isl's text of parameters as C text."""
        return isl_renamed(text, {p.name: p.text for p in self.reader.parameters.values()})

    # --- indices declared outside ---------------------------------------------------------------------------------

    def outer_indices(self) -> dict[str, ScopLoop]:
        """The last loop over each index that its header does not declare."""
        return {loop.index: loop for loop in self.reader.loops if not loop.declared}

    def check_indices(self) -> None:
        """An index is read inside its loops only: elsewhere it would be what new loops do not set."""
        outer = self.outer_indices()
        for raw in self.reader.statements:
            active = {loop.index for loop in raw.loops}
            for effect in raw.effects.found:
                name = effect.root.text
                if name in outer and name not in active and name not in raw.effects.written:
                    place = self.source.span(effect.root.token.start, effect.root.token.end)
                    raise SourceError(f"the index `{name}` is read outside of its loop", place, INDEX_HINT)

    def after(self) -> tuple[str, ...]:
        """For indices that are read later: their loops once more, empty, which leaves in them what the source does."""
        texts: list[str] = []
        for name, loop in self.outer_indices().items():
            variable = self.region.variables.get(name)
            outside = variable is None or variable.scope == "global" or variable.static
            along = self.region.set_along.get(loop.span.start, ())
            if outside or any(self.is_read_later(each) for each in (name, *along)):
                texts.append(self.emptied(loop))
        return (*texts, *self.mentioned())

    def mentioned(self) -> Iterator[str]:
        """For local variables that only the scop's own text names: else compilers warn that they are unused."""
        region = self.region
        around = Counter(t.text for t in (*region.before, *region.after))
        names = [name for name in (*self.outer_indices(), *sorted(self.replaced)) if around[name] == 1]
        local = [name for name in names if (v := region.variables.get(name)) is not None and v.scope == "local"]
        if local:
            yield " ".join(f"(void){name};" for name in local)

    def emptied(self, loop: ScopLoop) -> str:
        chain = [loop]
        while chain[0].parent is not None:
            chain.insert(0, next(other for other in self.reader.loops if other.name == chain[0].parent))
        if any(each.name in self.reader.guarded for each in chain):
            raise SourceError(f"what `{loop.index}` holds after this loop is read later", loop.span, INDEX_HINT)
        texts = [self.region.text(each.span.start, each.span.end) for each in chain]
        if "do" in texts:
            raise SourceError(f"what `{loop.index}` holds after this loop is read later", loop.span, INDEX_HINT)
        return " ".join(texts) + ";"
