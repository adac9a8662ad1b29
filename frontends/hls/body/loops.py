"""Loops: their headers, their pragmas, their bodies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.expr.nodes import Name as ExprName
from tunepass.frontends.cfamily.syntax.tree import Declaration, Expression, For, ForEach, PragmaWords, Statement, While
from tunepass.frontends.cfamily.syntax.walk import assigned, ends_early, pragmas_of
from tunepass.frontends.cfamily.text.tokens import Token
from tunepass.frontends.hls.body.headers import Headers, Shape
from tunepass.frontends.hls.body.linear import Linear
from tunepass.frontends.hls.body.state import known
from tunepass.frontends.hls.body.trips import ActiveLoop
from tunepass.frontends.hls.body.values import Place, ScalarName, Value
from tunepass.frontends.hls.pragmas.asks import LOOP_WORDS, AskReader, Asks
from tunepass.frontends.hls.pragmas.options import Option
from tunepass.ir.hardware import INT
from tunepass.ir.hls import ONE, ZERO, HlsItem, HlsLoop, items_of


@dataclass(slots=True)
class Loops(Headers, ABC):
    knobs: dict[str, Expr] = field(default_factory=dict)  # the values of `auto{NAME}`, by name
    factors: dict[str, Expr] = field(default_factory=dict)  # the most that each knob of a factor may be
    stated: dict[int, Expr] = field(default_factory=dict)  # iterations that `hls trip(N)` states, by where loops begin

    @abstractmethod
    def local_pragma(self, pragma: PragmaWords) -> None:
        """A pragma that is about variables or the function."""

    @abstractmethod
    def mode_of(self, name: Token, mode: str) -> Expr:
        """1 where the parameter of a Merlin `pipeline` has that value."""

    @property
    def asking(self) -> AskReader:
        return AskReader(
            number=self.pragma_number,
            mode=lambda option, mode: self.mode_of(option.knob or option.token, mode),
            span=self.span,
            warn=self.warn,
        )

    def pragma_number(self, words: Sequence[Token]) -> Expr | None:
        """A number in a pragma; of `auto{NAME}`, the parameter."""
        option = Option("", words[0], tuple(words)) if words else None
        if option is not None and option.knob is not None:
            self.used.add(option.knob.text)
            return self.knobs.get(option.knob.text)
        if not words:
            return None
        return self.constant(self.file.expression(words))

    # --- a loop ---------------------------------------------------------------------------------------------------

    def loop(self, loop: For | While | ForEach, pragmas: Sequence[PragmaWords], label: Token | None) -> None:
        with self.scope():
            if isinstance(loop, For) and loop.begin is not None:
                self._begin(loop.begin)
            if isinstance(loop, (For, While)) and loop.condition is not None:
                self.hoist(loop.condition)
            shape = self.shape_of(loop)
            if algebra.number(shape.most) == 0:
                return
            if shape.assumed and isinstance(loop, (For, While)) and loop.condition is not None:
                bound = self.value(loop.condition)
                if bound.linear is None and bound.op is not None:
                    self.keep(bound, shape.index or "while", self.span(loop.first))
            self._read(loop, shape, pragmas, label)

    def _begin(self, begin: Declaration | Expression) -> None:
        if isinstance(begin, Declaration):
            self.declare(begin)
        else:
            self.hoist(begin)
            self.value(begin)

    def _read(
        self, loop: For | While | ForEach, shape: Shape, pragmas: Sequence[PragmaWords], label: Token | None
    ) -> None:
        statements = getattr(loop.body, "statements", None) or ((loop.body,) if loop.body is not None else ())
        own = loop_pragmas(statements)
        asks = self.asking.read([*pragmas, *own])
        shape = self._stated(loop, shape, asks)
        self.flush(self.span(loop.first))
        name = self.fresh(label.text if label is not None else shape.index or "loop", "loop")
        body = [s for s in statements if s not in own]
        moved = assigned(loop)
        changes = self._changes(body, shape.index)
        before = dict(self.held)
        self.loops.append(ActiveLoop(name, shape.trip, shape.most, shape.count))
        self._enter(loop, shape, name, moved, changes, before)
        self.items.append([])
        with self.scope():
            if isinstance(loop, ForEach):
                self.scopes[-1][loop.name.text] = self._element(loop, name)
            self.run(body)
        if isinstance(loop, For) and loop.advance is not None and not _only(loop.advance, shape.index):
            self.value(loop.advance)
        if isinstance(loop, While) and shape.count is None:
            again = self.value(loop.condition)
            if again.op is not None and again.block == self.block.serial:
                self.keep(again, name, self.span(loop.first))
        self.flush(self.span(loop.first))
        self.loops.pop()
        items = tuple(self.items.pop())
        self._leave(shape, moved, changes, before)
        self.items[-1].append(self._made(name, shape, asks, items, loop))
        if shape.assumed is not None:
            hint = "state it: `#pragma HLS loop_tripcount avg=N`, or a size: `#pragma tunepass hls NAME(n = 512)`"
            self.warn(f"loop `{name}`: {shape.assumed}", self.span(loop.first), hint)

    def _element(self, loop: ForEach, name: str) -> Place | ScalarName | Value:
        place = self.place(loop.array)
        if not isinstance(place, Place):
            return known(0, INT)
        index = Value(INT, linear=Linear.of(0, **{name: 1}))
        return Place(place.array, (*place.subscripts, index))

    def _stated(self, loop: For | While | ForEach, shape: Shape, asks: Asks) -> Shape:
        """With the iterations that a pragma states, where the source does not give them."""
        number = self.stated.get(loop.first.start)
        if number is not None:
            return replace(shape, trip=number, most=number, count=Linear(number), assumed=None)
        if shape.assumed is None and ends_early(loop):
            shape = replace(shape, assumed="data may end it early; taken to run to its end")
        if asks.count is None or (shape.assumed is None and shape.count is not None and not shape.count.terms):
            return shape
        if shape.assumed is None:
            return shape
        return replace(shape, trip=asks.count[2], most=asks.count[1], assumed=None)

    def _changes(self, body: Sequence[Statement], index: str | None) -> dict[str, int]:
        """What the body adds to scalars in each iteration, always and once."""
        found: dict[str, int] = {}
        for statement in body:
            for name in assigned(statement):
                if name != index and name not in found:
                    counts = [s for s in body if name in assigned(s)]
                    step = self._step_of(name, getattr(statement, "expression", None)) if len(counts) == 1 else None
                    if step is not None:
                        found[name] = step
        return found

    def _enter(
        self, loop: For | While | ForEach, shape: Shape, name: str, moved: frozenset[str], changes: dict[str, int],
        before: dict[str, Value],
    ) -> None:  # fmt: skip
        """What is known of the variables that the loop changes: of the index, and of those that change evenly."""
        for variable in moved:
            binding = self.lookup(variable)
            if not isinstance(binding, ScalarName):
                continue
            held = before.get(binding.array)
            start, step = held, changes.get(variable)
            if variable == shape.index:
                inside = isinstance(loop, For) and loop.advance is not None and variable in assigned(loop.body)
                start, step = shape.start, None if inside else shape.step
            if start is not None and start.linear is not None and step is not None:
                linear = start.linear.plus(Linear.of(0, **{name: step}))
                self.held[binding.array] = Value(binding.element, linear=linear)
            elif variable == shape.index and shape.step is not None:
                self.held[binding.array] = Value(
                    binding.element, moves=frozenset({name}) | (start.loops if start else frozenset())
                )
            else:
                self.held.pop(binding.array, None)

    def _leave(self, shape: Shape, moved: frozenset[str], changes: dict[str, int], before: dict[str, Value]) -> None:
        for variable in moved:
            binding = self.lookup(variable)
            if not isinstance(binding, ScalarName):
                continue
            start, step = before.get(binding.array), changes.get(variable)
            if variable == shape.index:
                start, step = shape.start, shape.step
            exact = shape.count is not None and not shape.count.terms
            if exact and start is not None and start.linear is not None and step is not None:
                self.held[binding.array] = Value(
                    binding.element, linear=start.linear.plus(Linear(algebra.mul(step, shape.trip)))
                )
            elif variable == shape.index:
                self.held[binding.array] = Value(binding.element, moves=frozenset(x.name for x in self.loops))
            else:
                self.held.pop(binding.array, None)

    # --- what pragmas ask -----------------------------------------------------------------------------------------

    def _made(
        self, name: str, shape: Shape, asks: Asks, items: tuple[HlsItem, ...], loop: For | While | ForEach
    ) -> HlsLoop:
        deep = any(isinstance(inside, HlsLoop) for item in items for inside in items_of(item))
        unroll = shape.most if asks.whole else asks.unroll or ONE
        for e in (unroll, asks.tile):
            if isinstance(e, ExprName):
                least = self.factors.get(e.name)
                self.factors[e.name] = shape.most if least is None else algebra.minimum(least, shape.most)
        plain, flatten = asks.plain, asks.flatten
        if asks.inner and deep:
            flatten = plain
        pipelined = flatten if deep else algebra.add(plain, flatten)
        return HlsLoop(
            name=name,
            trip=shape.trip,
            items=items,
            most=None if shape.most == shape.trip else shape.most,
            unroll=unroll,
            pipelined=plain if asks.inner else pipelined,
            flattened=flatten,
            coarse=plain if deep and not asks.inner else ZERO,
            interval=asks.interval,
            tile=asks.tile,
            dataflow=asks.dataflow,
            reductions=self._names(asks.reductions),
            independent=self._names(asks.independent) + (self._all_arrays(items) if asks.all_independent else ()),
            guarded=self.guarded > 0,
            assumed=shape.assumed,
            span=self.span(loop.first),
        )

    def _names(self, names: Sequence[str]) -> tuple[str, ...]:
        """The kernel's names of variables."""
        found = (self.lookup(name) for name in names)
        return tuple(b.array for b in found if isinstance(b, (Place, ScalarName)))

    def _all_arrays(self, items: Sequence[HlsItem]) -> tuple[str, ...]:
        inside = (i for item in items for i in items_of(item))
        used = {o.array: None for i in inside for o in getattr(i, "operations", ()) if o.array is not None}
        return tuple(name for name in used if self.arrays[name].dims and self.arrays[name].storage != "stream")


def loop_pragmas(statements: Sequence[Statement]) -> list[PragmaWords]:
    """Those of Vitis among a body's statements that are about the loop, or the function, of the body."""
    vitis = [p for p in pragmas_of(statements) if p.words[0].text.upper() in ("HLS", "AP") and len(p.words) > 1]
    return [p for p in vitis if p.words[1].text.lower() in LOOP_WORDS]


def _only(e: Expression, index: str | None) -> bool:
    """Whether an advance moves nothing but the index."""
    return index is not None and assigned(e) <= {index}
