"""The searches over trained networks: what counts as a speed-up, and what is in the table."""

from __future__ import annotations

import math

import pytest

from tests.benchmarks.dnn.digits_grid import networks
from tests.benchmarks.dnn.searches import GRID_FILE, Step, compared, curve, random_search, read


def test_a_speed_up_is_the_time_until_as_good_a_network() -> None:
    plain = curve(iter([Step(2.0, None), Step(2.0, 0.5), Step(4.0, 0.9)]))
    guided = curve(iter([Step(1.0, 0.6), Step(1.0, 0.4)]))
    assert plain == [(2.0, math.inf), (4.0, 0.5), (8.0, 0.5)]
    found = compared(plain, guided)
    assert math.exp(found.log_speed_up) == pytest.approx(2.0) and found.reached
    assert found.lower_by == pytest.approx(0.1)


def test_one_that_is_never_as_good_counts_with_all_its_time() -> None:
    found = compared(curve(iter([Step(2.0, 0.5)])), curve(iter([Step(1.0, 0.6), Step(3.0, None)])))
    assert math.exp(found.log_speed_up) == pytest.approx(0.5) and not found.reached


def test_the_table_has_each_network_once_with_its_size() -> None:
    table = read(GRID_FILE)
    assert len(table) == len(list(networks())) == 3456
    assert {recorded.weight_byte for recorded in table.values()} >= {4 * (64 * 4 + 4 + 4 * 10 + 10)}
    assert all(recorded.loss[-1] > 0 for recorded in table.values())
    fitting = [configuration for configuration, recorded in table.items() if recorded.weight_byte <= 8000]
    steps = list(random_search(table, fitting, lambda configuration: True, True, 0))
    assert len(fitting) == 1344 and len(steps) == 100 and all(step.loss is not None for step in steps)
