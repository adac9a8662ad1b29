"""The compiles of one question: as written, and where that fails with as few bodies emptied as the errors ask for.

Errors tell where: in the body of another function, in an asked one's, in a probe, or in a header that a body
instantiates. A rung that cannot help is not run: an error outside all of these ends the ladder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tunepass.frontends.cfamily.types.ask import Ask, Failure, Refusal, Rung
from tunepass.frontends.cfamily.types.compiling import Messages, TypeCompiler, compile_text
from tunepass.frontends.cfamily.types.source import (
    ANCHOR,
    ANCHORS,
    EMITTED,
    FORMS,
    FORMS_CPP,
    PROBE,
    RESULT,
    USE,
    Text,
    compiled_text,
    probe_refusal,
)

COMPILES = 6  # each empties another body or drops another probe; a source needs one to three
Body = tuple[int, int]


@dataclass(slots=True)
class Ladder:
    """`climb` compiles until an object comes out; the fields then say what it was made of."""

    compiler: TypeCompiler
    source: Text
    ask: Ask
    bodies: Sequence[Body]
    emptied: set[Body] = field(default_factory=set)
    forms: dict[int, int] = field(default_factory=dict)  # number of a name -> the form of its probe
    refused: dict[int, Refusal] = field(default_factory=dict)
    inlined: dict[int, str] = field(default_factory=dict)  # declarations of inline functions, by line of the text

    def climb(self, scratch: Path) -> Path | Failure:
        """The object file, or the first error as the user's own text gives it."""
        for number, name in enumerate(self.ask.names):
            reason = probe_refusal(name)
            if reason is None:
                self.forms[number] = 0
            else:
                self.refused[number] = Refusal(reason)
        first: Failure | None = None
        if self.compiler.language == "c":
            inline = [function.name for function in self.ask.functions if self.source.inlines(function)]
            start = self.source.first_probe + len(self.ask.names)
            uses = enumerate(inline, start)
            self.inlined = {line: EMITTED.format(name, f"{USE}{line}") for line, name in uses}
        for _ in range(COMPILES):
            done = compile_text(self.compiler, self._text(), scratch)
            if isinstance(done, Path):
                return done
            if first is None and min(done.lines, default=0) < self.source.first_probe:
                first = done.first
            if done.fatal or not (self._mend(done) or self._empty_more(done)):
                return first or done.first
        return first or Failure(f"no text that compiles was found in {COMPILES} compiles")

    @property
    def rung(self) -> Rung:
        own = {function.body for function in self.ask.functions}
        if self.emptied & own:
            return Rung.OWN_EMPTIED
        return Rung.OTHERS_EMPTIED if self.emptied else Rung.AS_WRITTEN

    def is_result(self, number: int) -> bool:
        return self._form(number) == RESULT

    def _form(self, number: int) -> str:
        return self._all_forms()[self.forms[number]]

    def _all_forms(self) -> tuple[str, ...]:
        return FORMS.get(self.compiler.language, FORMS_CPP)

    def _probe_lines(self) -> dict[int, int]:
        return {self.source.first_probe + number: number for number in self.forms}

    def _text(self) -> str:
        probes = {
            line: self._form(number).format(self.ask.names[number], f"{PROBE}{number}")
            for line, number in self._probe_lines().items()
        }
        probes |= self.inlined
        anchor = ANCHORS.get(self.compiler.language, "int {};").format(ANCHOR)
        marked = [function for function in self.ask.functions if not (self.inlined and self.source.inlines(function))]
        return compiled_text(self.source, self.compiler.name, marked, self.emptied, probes, anchor)

    def _mend(self, messages: Messages) -> bool:
        """Change the probes and the bodies that errors name; False where there are none."""
        probes = self._probe_lines()
        for line in messages.lines & probes.keys():
            number = probes[line]
            self.forms[number] += 1
            if self.forms[number] == len(self._all_forms()):
                del self.forms[number]
                self.refused[number] = Refusal(messages.said[line])
        refused = messages.lines & self.inlined.keys()
        for line in refused:
            del self.inlined[line]
        lines = messages.lines | (messages.mentioned if messages.elsewhere else frozenset())
        named = {body for body in self.bodies if any(line in self.source.body_lines(body) for line in lines)}
        before = len(self.emptied)
        self.emptied |= named
        return bool(messages.lines & probes.keys() or refused) or len(self.emptied) > before

    def _empty_more(self, messages: Messages) -> bool:
        """Empty all other bodies, then the asked ones; False where an error lies outside of bodies, or none is left."""
        own = {function.body for function in self.ask.functions}
        others = {body for body in self.bodies if body not in own and not self.source.deduces(body)}
        inside = messages.elsewhere or bool(self.emptied)
        for more in (others - self.emptied, own - self.emptied):
            if inside and more:
                self.emptied |= more
                return True
        return False
