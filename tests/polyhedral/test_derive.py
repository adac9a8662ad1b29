"""`loop auto`: the space that is derived holds the source as its default, and nothing that is not legal."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.frontends.c.scops.reading import nest
from tests.polyhedral.scops import JACOBI, ROWS, SOLVE, SYRK
from tunepass.ir.scop import Scop
from tunepass.polyhedral.schedules.apply import is_legal, planned
from tunepass.polyhedral.schedules.plan import Plan, plan_of
from tunepass.polyhedral.schedules.tree import Leaf, bands_in, source_tree
from tunepass.polyhedral.spaces.chains import chains_of
from tunepass.polyhedral.spaces.derive import DerivedSpace, derive_space
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space

SCOPS = {"syrk": SYRK, "jacobi": JACOBI, "solve": SOLVE, "rows": ROWS}


def derived(scop: Scop, parallel: bool = False) -> tuple[DerivedSpace, Space]:
    found = derive_space(scop, scop.span, parallel=parallel)
    return found, Space(found.parameters, found.constraints)


@pytest.mark.parametrize("name", SCOPS)
def test_the_default_is_the_source(name: str) -> None:
    found, space = derived(SCOPS[name])
    default = Configuration({p.name: p.default for p in found.parameters})
    assert space.contains(default)
    assert planned(SCOPS[name], plan_of(found.directives, default)) == source_tree(SCOPS[name])


@pytest.mark.parametrize("name", SCOPS)
def test_every_configuration_is_proven(name: str) -> None:
    found, space = derived(SCOPS[name], parallel=True)
    assert space.size > 10 and len(found.parameters) <= 12
    for configuration in space.sample(15, np.random.default_rng(0)):
        assert is_legal(SCOPS[name], plan_of(found.directives, configuration)), configuration


def test_orders_follow_the_signs_of_dependences() -> None:
    """What is allowed of each chain is what isl says of every order, one by one."""
    for scop in SCOPS.values():
        for shape in ("source", "distributed"):
            for chain in chains_of(scop, shape):
                for order in itertools.permutations(chain.loops):
                    assert chain.allows(order) == is_legal(scop, Plan(shape=shape, order=order)), (chain, order)


def test_parameters_have_names_that_say_what_they_choose() -> None:
    found, _ = derived(SYRK, parallel=True)
    names = [p.name for p in found.parameters]
    assert names[:2] == ["SHAPE", "ORDER"] and names[-3:] == ["SIMD", "SUMS", "PARALLEL"]
    assert {"TILE_i", "TILE_j", "JAM_i"} <= set(names)
    tiles = {factor.index for factor in found.directives.tile if factor.setting == "TILE_j"}
    assert tiles == {"j", "j_2"}  # one size for all loops over j
    suffixed = derive_space(SYRK, SYRK.span, parallel=False, suffix="_2")
    assert all("_2" in p.name for p in suffixed.parameters)


@pytest.mark.parametrize("name", SCOPS)
def test_copies_are_of_loops_with_another_inside(name: str) -> None:
    """Copies of an innermost loop would only stand in the way of vectors."""
    found, space = derived(SCOPS[name])
    for configuration in space.sample(15, np.random.default_rng(2)):
        bands = list(bands_in(planned(SCOPS[name], plan_of(found.directives, configuration))))
        assert all(band.copies == 1 for band in bands if isinstance(band.child, Leaf))
        jammed = {SCOPS[name].loop(band.name).index for band in bands if band.jams}
        asked = {key.rpartition("_")[2] for key, n in configuration.items() if key.startswith("JAM") and n != 1}
        assert jammed == asked, configuration


def test_loops_that_may_be_copied_one_by_one_only_are_not_copied_together() -> None:
    """Two sweeps in one skewed loop: a group of copies of one sweep runs before the other's."""
    sweep = "for (i = 1; i < n - 1; i++) for (j = 1; j < n - 1; j++)"
    body = "{0}[i][j] = {1}[i][j] + {1}[i][j - 1] + {1}[i][j + 1] + {1}[i + 1][j] + {1}[i - 1][j];"
    scop = nest(f"for (k = 0; k < m; k++) {{ {sweep} {body.format('B', 'A')} {sweep} {body.format('A', 'B')} }}")
    found, space = derived(scop)
    copied = [p.name for p in found.parameters if p.name.startswith("JAM")]
    assert len(copied) == 3 and any(chain.apart for chain in found.chains)
    for configuration in space.sample(60, np.random.default_rng(0)):
        assert is_legal(scop, plan_of(found.directives, configuration)), configuration
