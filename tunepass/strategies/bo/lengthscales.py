"""Lengthscale priors by role: how far a parameter has to move to matter differs by what kind of parameter it is.

A flag or a category differs from another by 1 whatever it does, while tile sizes on a log scale change times all along
their range: typical lengthscales are longer for the former. `FITTED` are moments of the posterior of lengthscales over
50 rows of each of 85 developers' tables (45 kernels), by tests/benchmarks/search/lengthscale_fit.py; a row of kernels
that they were not fitted to is 0.25 ± 0.06 nats likelier than under Gamma(3, 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.space.parameters.order_features import Role
from tunepass.surrogates.hyperpriors import LogNormal


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleLengthscales:
    """A log-normal for each role."""

    linear: LogNormal
    log: LogNormal
    flag: LogNormal
    category: LogNormal
    order: LogNormal
    derived: LogNormal

    def priors(self, roles: Sequence[Role]) -> tuple[LogNormal, ...]:
        """The prior of each lengthscale of an embedding."""
        by_role: dict[Role, LogNormal] = {
            "linear": self.linear, "log": self.log, "flag": self.flag, "category": self.category,
            "order": self.order, "derived": self.derived,
        }  # fmt: skip
        return tuple(by_role[role] for role in roles)


FITTED = RoleLengthscales(
    linear=LogNormal(0.8, 2.3),
    log=LogNormal(-0.5, 1.5),
    flag=LogNormal(0.8, 1.6),
    category=LogNormal(0.9, 2.2),
    order=LogNormal(0.4, 2.0),
    derived=LogNormal(1.0, 1.5),
)
