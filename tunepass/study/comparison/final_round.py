"""The final round: values of the default and the finalists, measured in turns and stored with the study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.space.configuration import Configuration
from tunepass.study.storage import checked, json_text


@dataclass(frozen=True, slots=True)
class ComparedFinalist:
    """A finalist and its values, the first of them from the first round; fewer where it fell behind or failed."""

    configuration: Configuration
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The values of the objective of that name, in its unit, by round."""

    objective: str
    default: tuple[float, ...]
    finalists: tuple[ComparedFinalist, ...]

    @property
    def rounds(self) -> int:
        return len(self.default)

    def encode(self) -> str:
        finalists = [{"configuration": json_text.plain(f.configuration), "values": f.values} for f in self.finalists]
        return json_text.dump({"objective": self.objective, "default": self.default, "finalists": finalists})

    @classmethod
    def decode(cls, text: object) -> Comparison:
        """Raises Damage."""
        data = checked.mapping(json_text.load(text, "comparison"), "comparison")
        listed = [checked.mapping(item, "a finalist") for item in checked.items(data.get("finalists"), "finalists")]
        return cls(
            objective=checked.text(data.get("objective"), "objective of a comparison"),
            default=_values(data.get("default")),
            finalists=tuple(
                ComparedFinalist(checked.configuration(item.get("configuration")), _values(item.get("values")))
                for item in listed
            ),
        )


def comparison_of(
    objective: str,
    default: Sequence[float],
    configurations: Sequence[Configuration],
    values: Sequence[Sequence[float]],
) -> Comparison:
    """Comparison from an evaluator's values of the default and these finalists."""
    finalists = tuple(ComparedFinalist(c, tuple(each)) for c, each in zip(configurations, values, strict=True))
    return Comparison(objective=objective, default=tuple(default), finalists=finalists)


def _values(value: object) -> tuple[float, ...]:
    return tuple(checked.number(item, "a round") for item in checked.items(value, "rounds"))
