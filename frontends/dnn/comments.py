"""The lines of a Python source that speak to tunepass.

# tunepass param filters: ordinal(64, 128, 512) = 64
# tunepass input x: float32[batch, 32, 32, 3]
# tunepass limit weight_byte <= 10 MB, training_byte <= 16 GB
# tunepass constraint filters % groups == 0
# tunepass model build_model
# tunepass precision float16
# tunepass operators "my_operators.yaml"
# tunepass run "python train.py --batch {batch}" metric "val_loss: {loss}" limit 10 min
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from tunepass.diagnostics import Source, SourceError, Span, spelling_hint
from tunepass.frontends.params.param import ParamText, parse_param
from tunepass.frontends.params.tokens import Cursor, ExpressionText
from tunepass.frontends.params.training import TrainingText, parse_training
from tunepass.frontends.params.units import BYTES, NUMBERS, SECONDS, amount
from tunepass.graphs.inference import ELEMENT_BYTE

DIRECTIVES = ("param", "input", "limit", "constraint", "model", "precision", "run", "operators")
_COMMENT = re.compile(r"# ?tunepass\b[ \t]*")


@dataclass(frozen=True, slots=True)
class InputText:
    """`sizes` are expressions over the parameters."""

    name: str
    element: str
    sizes: tuple[ExpressionText, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class LimitText:
    resource: str
    most: float
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Comments:
    """All that the comments of a source say."""

    params: tuple[ParamText, ...] = ()
    inputs: tuple[InputText, ...] = ()
    limits: tuple[LimitText, ...] = ()
    constraints: tuple[ExpressionText, ...] = ()
    model: tuple[str, Span] | None = None
    precision: tuple[str, Span] | None = None
    operators: tuple[str, Span] | None = None
    run: TrainingText | None = None


def read_comments(source: Source) -> Comments:
    """SourceError at the place for a line that is none of these."""
    reader = _Reader(source)
    for text, start in _lines(source):
        reader.line(Cursor(source, text, start, unit="comment"))
    return reader.comments()


def _lines(source: Source) -> Iterator[tuple[str, int]]:
    """The text behind `# tunepass` of each comment, and where it begins."""
    starts = [0]
    for line in source.text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    try:
        for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
            if token.type == tokenize.COMMENT and (match := _COMMENT.match(token.string)):
                yield token.string[match.end() :], starts[token.start[0] - 1] + token.start[1] + match.end()
    except (tokenize.TokenError, SyntaxError):
        return  # the parser says what is wrong


def read_limits(cursor: Cursor) -> list[LimitText]:
    """`RESOURCE <= AMOUNT [UNIT], ...`"""
    limits: list[LimitText] = []
    while True:
        resource = cursor.name("a resource", "write `limit weight_byte <= 10 MB`")
        cursor.expect("<=", f"after `{resource.text}`", "a limit is the most that may be taken")
        most, unit = amount(cursor, "the most of it")
        if (wrong := _other_kind(resource.text, unit)) is not None:
            cursor.fail(*wrong, token=cursor.last)
        span = cursor.span(resource, cursor.last)
        limits.append(LimitText(resource.text, most, span.text, span))
        if not cursor.accept(","):
            break
    cursor.finish("the limits")
    return limits


def _other_kind(resource: str, unit: str) -> tuple[str, str] | None:
    """What is wrong with bytes of what is no size, and with seconds of what is no time; the user's own resources are
    counted in what they like."""
    size, time = resource.endswith("_byte") or resource.startswith("memory"), resource.endswith("time")
    if not (size or time or resource in ("weights", "flops", "macs")):
        return None
    if (unit in BYTES and not size) or (unit in SECONDS and not time) or (unit in NUMBERS and time):
        counted = "bytes" if size else "seconds" if time else "numbers"
        hint = "weight_byte is counted in bytes" if resource == "weights" and unit in BYTES else "write its own unit"
        return f"{resource} is counted in {counted}, not in {unit}", hint
    return None


class _Reader:
    def __init__(self, source: Source):
        self.source = source
        self.params: list[ParamText] = []
        self.inputs: list[InputText] = []
        self.limits: list[LimitText] = []
        self.constraints: list[ExpressionText] = []
        self.model: tuple[str, Span] | None = None
        self.precision: tuple[str, Span] | None = None
        self.operators: tuple[str, Span] | None = None
        self.run: TrainingText | None = None

    def comments(self) -> Comments:
        lists = (self.params, self.inputs, self.limits, self.constraints)
        params, inputs, limits, constraints = (tuple(items) for items in lists)
        words = (self.model, self.precision, self.operators)
        return Comments(params, inputs, limits, constraints, *words, run=self.run)  # type: ignore[arg-type]

    def line(self, cursor: Cursor) -> None:
        word = cursor.name(f"one of {', '.join(DIRECTIVES)}")
        match word.text:
            case "param":
                self._param(cursor)
            case "input":
                self.inputs.append(self._input(cursor))
            case "limit":
                self.limits += read_limits(cursor)
            case "constraint":
                self.constraints.append(cursor.expression("", "a condition on the parameters"))
            case "model":
                text = cursor.expression("", "a class, a function, or a call of one")
                self.model = (text.text, Span(self.source, text.start, text.end))
            case "operators":
                token = cursor.next
                file = cursor.string("a file in quotes", 'write `operators "my_operators.yaml"`')
                self.operators = (file, cursor.span(token))
                cursor.finish("the file")
            case "precision":
                name = cursor.name("a type such as float16, or a parameter")
                self.precision = (name.text, cursor.span(name))
                cursor.finish("the precision")
            case "run":
                self._run(cursor)
            case _:
                hint = spelling_hint(word.text, DIRECTIVES, f"known: {', '.join(DIRECTIVES)}")
                cursor.fail(f"`{word.text}` says nothing to tunepass", hint, token=word)

    def _param(self, cursor: Cursor) -> None:
        param = parse_param(cursor)
        if any(other.name == param.name for other in self.params):
            raise SourceError(f"the parameter `{param.name}` is declared twice", param.span)
        self.params.append(param)

    def _input(self, cursor: Cursor) -> InputText:
        name = cursor.name("the input's name", "write `input x: float32[batch, 3, 32, 32]`")
        cursor.expect(":", f"after `{name.text}`", "write `input x: float32[batch, 3, 32, 32]`")
        element = cursor.name("an element's type")
        if element.text not in ELEMENT_BYTE:
            hint = spelling_hint(element.text, ELEMENT_BYTE, f"known: {', '.join(ELEMENT_BYTE)}")
            cursor.fail(f"`{element.text}` is no type of elements", hint, token=element)
        cursor.expect("[", f"after `{element.text}`")
        sizes = [cursor.expression(",]", "a size")]
        while cursor.accept(","):
            sizes.append(cursor.expression(",]", "a size"))
        cursor.expect("]", "after the sizes")
        cursor.finish("the input")
        return InputText(name.text, element.text, tuple(sizes), cursor.span(name))

    def _run(self, cursor: Cursor) -> None:
        if self.run is not None:
            cursor.fail("there is a command already", "one trains a configuration")
        self.run = parse_training(cursor)
