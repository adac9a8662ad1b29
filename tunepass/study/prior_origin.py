"""Origin and trust of a study's prior mean, stored with the study."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tunepass.study.storage import checked, json_text
from tunepass.study.trust import Trust

Data = None | str | int | float | Sequence["Data"] | Mapping[str, "Data"]
MODEL = "model"  # the place of a prior mean that is no earlier study but a model's expression
# Fields of an identity whose values are digests: messages name the field alone.
HASHES = {
    "source": "another source",
    "space": "another space",
    "files": "other headers",
    "toolchain": "another toolchain",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The first `trials` trials of `study` in the store, lock or table at `place`; `differs` says in which respects its
    results are others than ours, `shared` are the parameters both have. `trust` is what it was worth when last told,
    `corrected` what a model learned from reports in the meantime. `others` are further studies that speak beside it."""

    place: str
    study: str
    trials: int
    differs: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    trust: Trust | None = None
    corrected: str = ""
    others: tuple[Origin, ...] = ()

    @property
    def is_model(self) -> bool:
        return self.place == MODEL

    def trusted(self, trust: Trust | None, corrected: str = "") -> Origin:
        return replace(self, trust=trust, corrected=corrected or self.corrected)

    def sentence(self) -> str:
        """`stencil.c::smooth@0123 (60 trials; flags: -O2 -> -O3)`, several joined by `and`; of a model, its name."""
        if self.is_model:
            return self.study
        number = f"{self.trials} trial{'' if self.trials == 1 else 's'}"
        description = f"{self.study} ({'; '.join([number, *self.differs])})"
        return " and ".join([description, *(other.sentence() for other in self.others)])

    def worth(self) -> str:
        """`rank correlation 0.71 over 20 trials, weight 0.93`; nothing before anything was measured."""
        if self.trust is None or not self.trust.trials:
            return ""
        weight = "not used" if self.trust.weight is None else f"weight {self.trust.weight:.2f}"
        if self.trust.shares:
            weight += f" ({' + '.join(f'{share:.2f}' for share in self.trust.shares)})"
        correlation = f"rank correlation {self.trust.rank_correlation:.2f} over {self.trust.trials} trials, {weight}"
        return f"{correlation}; {self.corrected}" if self.corrected else correlation

    def data(self) -> Mapping[str, Data]:
        """JSON object that `--format json` prints and the store keeps."""
        known = self.trust
        return {
            "place": self.place,
            "study": self.study,
            "trials": self.trials,
            "differs": list(self.differs),
            "shared": list(self.shared),
            "rank_correlation": known.rank_correlation if known else None,
            "weight": known.weight if known else None,
            "compared": known.trials if known else 0,
            "corrected": self.corrected,
            "shares": list(known.shares) if known else [],
            "others": [other.data() for other in self.others],
        }

    def encode(self) -> str:
        return json_text.dump(self.data())

    @classmethod
    def decode(cls, text: object) -> Origin:
        """Raises Damage."""
        return cls._of(json_text.load(text, "origin"))

    @classmethod
    def _of(cls, value: object) -> Origin:
        data = checked.mapping(value, "origin")
        correlation, weight = data.get("rank_correlation"), data.get("weight")
        trust = None
        if correlation is not None:
            known = None if weight is None else checked.number(weight, "weight")
            compared = checked.count(data.get("compared"), "compared")
            shares = tuple(
                checked.number(item, "share") for item in checked.items(data.get("shares", []), "shares of origin")
            )
            trust = Trust(checked.number(correlation, "rank_correlation"), known, compared, shares)
        return cls(
            place=checked.text(data.get("place"), "place of origin"),
            study=checked.text(data.get("study"), "study of origin"),
            trials=checked.count(data.get("trials"), "trials of origin"),
            differs=_texts(data.get("differs"), "differs"),
            shared=_texts(data.get("shared"), "shared"),
            trust=trust,
            corrected=checked.text(data.get("corrected", ""), "correction of origin"),
            others=tuple(cls._of(item) for item in checked.items(data.get("others", []), "others of origin")),
        )


def _texts(value: object, subject: str) -> tuple[str, ...]:
    return tuple(checked.text(item, f"an item of {subject}") for item in checked.items(value, subject))


def identity_changes(old: Mapping[str, str], new: Mapping[str, str], names: Iterable[str]) -> tuple[str, ...]:
    """Differences of two identities for users: `source` and `space` by name, the others with both values."""
    return tuple(
        HASHES.get(name) or f"{name}: {old.get(name) or '-'} -> {new.get(name) or '-'}"
        if name in HASHES
        else f"{name}: {old.get(name) or '-'} -> {new.get(name) or '-'}"
        for name in names
        if old.get(name, "") != new.get(name, "")
    )
