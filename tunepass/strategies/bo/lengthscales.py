"""Lengthscale priors by role: how far a parameter has to move to matter differs by what kind of parameter it is.

A flag or a category differs from another by 1 whatever it does, while tile sizes on a log scale change times all along
their range: typical lengthscales are longer for the former. `ROLES` were chosen on 17 developers' tables
(tests/benchmarks/search/lengthscale_fit.py, `--compare`): ranks of 100 rows predicted from 15 and from 40 others. Of
flags the width is that of the posterior of lengthscales over 85 tables; a narrow one does not tell the few of sixty
that matter from the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.space.parameters.order_features import Role
from tunepass.surrogates.hyperpriors import LogNormal


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleLengthscales:
    """A log-normal for each role, where a process has more than `more_than` lengthscales."""

    linear: LogNormal
    log: LogNormal
    flag: LogNormal
    category: LogNormal
    order: LogNormal
    derived: LogNormal
    more_than: int = 0

    def priors(self, roles: Sequence[Role]) -> tuple[LogNormal, ...] | None:
        """The prior of each lengthscale of an embedding; None of one with too few."""
        if len(roles) <= self.more_than:
            return None
        by_role: dict[Role, LogNormal] = {
            "linear": self.linear, "log": self.log, "flag": self.flag, "category": self.category,
            "order": self.order, "derived": self.derived,
        }  # fmt: skip
        return tuple(by_role[role] for role in roles)


NUMBERS = 0.6  # width, of numbers, orders and categories
ROLES = RoleLengthscales(
    linear=LogNormal(-0.46, NUMBERS, spread=0.5),
    log=LogNormal(-0.7, NUMBERS, spread=0.5),
    flag=LogNormal(0.8, 1.6),
    category=LogNormal(-0.1, NUMBERS, spread=0.5),
    order=LogNormal(-0.46, NUMBERS, spread=0.5),
    derived=LogNormal(-0.2, NUMBERS, spread=0.5),
    more_than=20,  # recorded spaces have fewer, and searches of them were no better for it
)
