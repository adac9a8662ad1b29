"""Pragmas about variables and functions: how arrays are partitioned and stored, interfaces, limits of operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tunepass.diagnostics import SourceError, Span, nearest
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.cfamily.syntax.expressions import parse_expression
from tunepass.frontends.cfamily.syntax.tree import Expression, PragmaWords, SyntaxFault
from tunepass.frontends.cfamily.text.tokens import Token
from tunepass.frontends.hls.body.values import ArrayFacts, Binding, Place, RecordName, ScalarName
from tunepass.frontends.hls.pragmas.known import PARTITIONS, VITIS, WORDS
from tunepass.frontends.hls.pragmas.options import Option, options
from tunepass.ir.hls import ONE, HlsPartition

OPERATORS = {"mul": "fix_mul", "add": "fix_add", "sub": "fix_sub", "div": "fix_div", "sdiv": "fix_div",
             "udiv": "fix_div", "fmul": "flt_mul", "fadd": "flt_add", "fsub": "flt_sub", "fdiv": "flt_div",
             "dmul": "flt_mul", "dadd": "flt_add", "dsub": "flt_sub", "ddiv": "flt_div", "fsqrt": "flt_sqrt",
             "fexp": "flt_exp", "flog": "flt_log", "icmp": "fix_lt", "urem": "fix_mod", "srem": "fix_mod"}  # fmt: skip


class Names(Protocol):
    """What the reader of a kernel knows of names."""

    arrays: dict[str, ArrayFacts]

    def place(self, e: Expression) -> Binding | None: ...
    def pragma_number(self, words: Sequence[Token]) -> Expr | None: ...
    def span(self, token: Token) -> Span: ...
    def warn(self, message: str, span: Span | None, hint: str | None = None) -> None: ...


@dataclass(frozen=True, slots=True)
class VariablePragmas:
    """Changes what is known of arrays; limits of operators go to `allocation`."""

    names: Names
    allocation: list[tuple[str, Expr]]

    def read(self, pragma: PragmaWords) -> None:
        family = pragma.words[0].text.upper()
        if family not in ("HLS", "AP") or len(pragma.words) < 2:
            return
        word = pragma.words[1]
        kind = word.text.lower()
        given = {option.name: option for option in options(pragma.words[2:])}
        self._known(kind, given)
        match kind:
            case "array_partition" | "array_reshape":
                self._partition(kind, word, given)
            case "bind_storage" | "resource":
                self._storage(given)
            case "stream":
                self._depth(given)
            case "interface":
                self._interface(given)
            case "allocation":
                self._allocation(given)
            case _ if kind not in VITIS:
                close = nearest(kind, VITIS)
                hint = f"did you mean `{close}`?" if close else "it changes nothing here"
                self.names.warn(f"unknown pragma `HLS {word.text}`", self.names.span(word), hint)

    def _known(self, kind: str, given: Mapping[str, Option]) -> None:
        """Tells of words that the pragma does not have."""
        words = WORDS.get(kind, frozenset(given))
        for name, option in given.items():
            if name not in words:
                close = nearest(name, words)
                hint = f"did you mean `{close}`?" if close else "it changes nothing here"
                self.names.warn(f"`{kind}` has no `{option.token.text}`", self.names.span(option.token), hint)

    def _arrays(self, option: Option | None) -> list[ArrayFacts]:
        """Of a variable, or of all members of a record."""
        if option is None or not option.value:
            return []
        try:
            binding = self.names.place(parse_expression(option.value))
        except SyntaxFault:
            return []
        found = list(_arrays_of(binding, self.names.arrays))
        if not found:
            self.names.warn(f"no variable `{option.text}` is declared here", self.names.span(option.value[0]))
        return found

    def _partition(self, word: str, token: Token, given: Mapping[str, Option]) -> None:
        if "variable" not in given:
            raise SourceError(f"`{word}` names no variable", self.names.span(token), "write `variable=NAME`")
        text = given["type"].text.lower() if "type" in given else ""
        bare = next((o for o in given.values() if o.value is None and o.name not in WORDS[word]), None)
        if bare is not None and not text and not set(PARTITIONS) & set(given):
            hint = f"known are {', '.join(PARTITIONS)}"
            raise SourceError(f"unknown kind of partition `{bare.token.text}`", self.names.span(bare.token), hint)
        stated = next((k for k in PARTITIONS if k == text or (not text and k in given)), PARTITIONS[0])
        if text and stated != text:
            hint = f"known are {', '.join(PARTITIONS)}"
            raise SourceError(f"unknown kind of partition `{text}`", self.names.span(given["type"].token), hint)
        dim = self._number(given.get("dim"))
        dim = 1 if dim is None else dim
        factor: Expr = ONE
        if stated != "complete":
            read = self.names.pragma_number(given["factor"].value or ()) if "factor" in given else None
            if read is None:
                at = given["factor"].token if "factor" in given else token
                self.names.warn(f"the factor of `{word}` is not known; taken as 1", self.names.span(at))
            factor = read or ONE
        for facts in self._arrays(given["variable"]):
            if facts.dims and dim > len(facts.dims):
                message = f"`{given['variable'].text}` has {len(facts.dims)} dimensions, got dim={dim}"
                raise SourceError(message, self.names.span(given["dim"].token))
            facts.partitions.append(HlsPartition(kind=stated, dim=dim, factor=factor, span=self.names.span(token)))

    def _number(self, option: Option | None) -> int | None:
        value = None if option is None else self.names.pragma_number(option.value or ())
        number = None if value is None else algebra.number(value)
        return number if isinstance(number, int) else None

    def _storage(self, given: Mapping[str, Option]) -> None:
        stated = " ".join(given[word].text.lower() for word in ("impl", "core", "type") if word in given)
        resource = "uram" if "uram" in stated else "lutram" if "lut" in stated else "bram" if "ram" in stated else None
        for facts in self._arrays(given.get("variable")) if resource is not None else ():
            facts.resource = resource

    def _depth(self, given: Mapping[str, Option]) -> None:
        depth = self.names.pragma_number(given["depth"].value or ()) if "depth" in given else None
        number = None if depth is None else algebra.number(depth)
        if number is not None and number < 0:
            raise SourceError(f"a depth is no less than 0, got {number}", self.names.span(given["depth"].token))
        for facts in self._arrays(given.get("variable")):
            if facts.storage != "stream" and facts.storage != "scalar":
                facts.storage = "stream"
            if facts.storage == "stream" and depth is not None:
                facts.dims = [depth]

    def _interface(self, given: Mapping[str, Option]) -> None:
        """`m_axi port=a bundle=gmem`: in DRAM, behind an interface that others share."""
        mode = given["mode"].text.lower() if "mode" in given else ""
        if mode != "m_axi" and "m_axi" not in given:
            if "axis" in given or mode == "axis":
                self._queues(given)
            return
        bundle = given["bundle"].text if "bundle" in given else "gmem"
        wide = (
            self.names.pragma_number(given["max_widen_bitwidth"].value or ()) if "max_widen_bitwidth" in given else None
        )
        depth = self._number(given.get("depth"))
        for facts in self._arrays(given.get("port")):
            facts.storage, facts.port, facts.port_bit = "global", bundle, wide
            if facts.dims and facts.dims[0] is None and depth:
                facts.dims[0] = algebra.lift(depth)

    def _queues(self, given: Mapping[str, Option]) -> None:
        for facts in self._arrays(given.get("port")):
            if facts.storage != "scalar":
                facts.storage = "stream"
                facts.dims = [algebra.lift(2)]

    def _allocation(self, given: Mapping[str, Option]) -> None:
        """`operation instances=mul limit=2`."""
        name = given["instances"].text.lower() if "instances" in given else ""
        limit = self.names.pragma_number(given["limit"].value or ()) if "limit" in given else None
        if limit is not None and name in OPERATORS:
            self.allocation.append((OPERATORS[name], limit))


def _arrays_of(binding: Binding | None, arrays: Mapping[str, ArrayFacts]) -> Sequence[ArrayFacts]:
    match binding:
        case Place(array=name) | ScalarName(array=name):
            return [arrays[name]]
        case RecordName(members=members):
            return [facts for member in members.values() for facts in _arrays_of(member, arrays)]
    return []
