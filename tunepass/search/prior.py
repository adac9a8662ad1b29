"""Prior means of a search: earlier studies, or a model of the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tunepass.expr.nodes import Expr, free_names
from tunepass.strategies.prior_mean.several import SeveralPriorMeans
from tunepass.strategies.prior_mean.sources import PriorMean
from tunepass.study.prior_origin import MODEL, Origin


@dataclass(frozen=True, slots=True)
class SearchPrior:
    """A prior mean and its origin. A study that began from `origin` may continue when parts of that are `missing`;
    `mean` is None when all parts are."""

    origin: Origin
    mean: PriorMean | None
    missing: tuple[Origin, ...] = ()

    def sentence(self) -> str:
        verb = "starts from" if self.mean is not None else "goes on without"
        return f"{verb} {self.origin.sentence()}"

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(
            f"the search began from {origin.study} in {origin.place}, which is gone: it goes on without"
            for origin in self.missing
        )


def joined(priors: Sequence[SearchPrior]) -> SearchPrior:
    """Several earlier studies as one, each weighed by the trials."""
    first, *others = [prior.origin for prior in priors]
    if not others:
        return priors[0]
    missing = tuple(origin for prior in priors for origin in prior.missing)
    mean = together([prior.mean for prior in priors if prior.mean is not None])
    return SearchPrior(replace(first, others=tuple(others)), mean, missing)


def together(means: Sequence[PriorMean]) -> PriorMean | None:
    """One prior mean of several, None of none."""
    return SeveralPriorMeans(means) if len(means) > 1 else next(iter(means), None)


def model_prior(name: str, expression: Expr) -> SearchPrior:
    """The model called `name` as a prior mean."""
    origin = Origin(place=MODEL, study=name, trials=0, shared=tuple(sorted(free_names(expression))))
    return SearchPrior(origin, PriorMean.from_expression(expression))
