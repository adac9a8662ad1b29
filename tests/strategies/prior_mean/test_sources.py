from __future__ import annotations

import numpy as np
import pytest

import tunepass as tp
from tunepass.diagnostics import ExpressionError, StudyError
from tunepass.expr.parser import parse
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation
from tunepass.space.space import Space
from tunepass.strategies.prior_mean.sources import PriorMean
from tunepass.testing.strategy import small_space


def test_it_is_part_of_the_public_interface() -> None:
    assert tp.PriorMean is PriorMean


def test_an_expression_is_priced_row_by_row() -> None:
    space = Space([Ordinal("tile", [4, 8, 16]), Integer("n", 0, 2)])
    columns = space.columns(list(space.enumerate()))
    values = PriorMean.from_expression("ceildiv(100, tile) * (40 + n)").values(space, columns)
    expected = [-(-100 // int(str(c["tile"]))) * (40 + int(str(c["n"]))) for c in space.enumerate()]
    np.testing.assert_array_equal(values, expected)


def test_where_an_expression_is_undefined_it_says_nothing() -> None:
    space = Space([Integer("n", 0, 3)])
    values = PriorMean.from_expression("12 / n").values(space, space.columns(list(space.enumerate())))
    assert np.isnan(values[0]) and values[1:].tolist() == [12.0, 6.0, 4.0]


def test_a_wrong_expression_points_at_itself() -> None:
    space = Space([Integer("n", 0, 3)])
    columns = space.columns([space.default])
    with pytest.raises(ExpressionError, match="m") as error:
        PriorMean.from_expression("n + m").values(space, columns)
    assert "^" in str(error.value)
    with pytest.raises(ExpressionError, match="number"):
        PriorMean.from_expression("n == 2").values(space, columns)


def test_observed_configurations_have_their_values() -> None:
    space = small_space()
    rows = list(space.enumerate())
    values = np.random.default_rng(0).uniform(1, 9, len(rows))
    found = PriorMean.from_observations(rows, values.tolist()).values(space, space.columns(rows))
    np.testing.assert_allclose(found, values)


def test_others_have_a_forest_s_prediction() -> None:
    space = Space([Integer("x", 0, 31), Integer("y", 0, 31)])
    rows = list(space.enumerate())
    truth = np.array([1.0 + (int(str(c["x"])) - 20) ** 2 for c in rows])
    known = np.random.default_rng(0).permutation(len(rows))[:300]
    prior = PriorMean.from_observations([rows[i] for i in known], truth[known].tolist())
    found = prior.values(space, space.columns(rows))
    assert np.corrcoef(found, truth)[0, 1] > 0.95
    np.testing.assert_allclose(found[known], truth[known])


def test_only_the_shared_parameters_count() -> None:
    """The source has a parameter of its own, another range, and a value the target does not know."""
    space = Space([Ordinal("tile", [8, 16]), Categorical("kind", ["a", "b"]), Permutation("o", 2)])
    source = [{"tile": t, "kind": k, "wide": w} for t in (4, 8, 16) for k in ("b", "c") for w in (True, False)]
    values = [float(len(source) - i) for i in range(len(source))]
    found = PriorMean.from_observations(source, values).values(space, space.columns(list(space.enumerate())))
    by = {(c["tile"], c["kind"]): v for c, v in zip(space.enumerate(), found)}
    assert by[8, "b"] == pytest.approx((8 * 7) ** 0.5) and by[16, "b"] == pytest.approx((4 * 3) ** 0.5)
    assert np.isfinite(found).all()


def test_what_does_not_fit_is_refused() -> None:
    space = Space([Integer("tile_x", 0, 3)])
    with pytest.raises(StudyError, match="one value a configuration"):
        PriorMean.from_observations([{"x": 1}], [])
    with pytest.raises(StudyError, match="finite"):
        PriorMean.from_observations([{"x": 1}], [float("nan")])
    with pytest.raises(StudyError, match=r"share no parameter.*tile_X.*tile_x") as error:
        PriorMean.from_observations([{"tile_X": 1}], [1.0]).values(space, space.columns([space.default]))
    assert "same under another name" in str(error.value)


def test_an_expression_says_what_its_text_says() -> None:
    space = Space([Ordinal("tile", [1, 2, 4, 8]), Permutation("order", ["i", "j"])], ["tile < 8"])
    text = 'if(pos(order, "i") == 0, 96 / (tile - 1), tile ** 2)'  # undefined where tile is 1 and i comes first
    parsed = parse(text, {p.name: p.type for p in space.parameters})
    columns = space.columns(list(space.enumerate()))
    written, given = (PriorMean.from_expression(e).values(space, columns) for e in (text, parsed))
    assert np.isnan(written).sum() == 1
    np.testing.assert_array_equal(written, given)
