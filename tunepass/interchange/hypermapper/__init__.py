"""Scenarios, protocol and files of HyperMapper 2, HyperMapper 3 and BaCO.

`optimize(scenario, function)` runs a scenario around a Python function, as `hypermapper.optimizer.optimize` and
`baco.run.optimize` do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path


def optimize(
    scenario: str | Path | Mapping[str, object],
    function: Callable[..., object] | None = None,
    *,
    strategy: str | None = None,
    seed: int = 0,
) -> None:
    """Run a scenario: with a Python function, a table of results, or a client on standard input and output.

    Args:
        scenario: a scenario's path, or its fields.
        function: of {name: value}; returns a number, {objective: number}, or the numbers in the objectives' order.
            With the feasibility predictor, its column's value comes last or by its name. Other modes need none.
        strategy: the name of a strategy of tunepass; None: the scenario's choice.
        seed: of every random choice.

    Raises:
        SourceError: the scenario is wrong, with its place.
        StudyError: the function's result does not fit the scenario.

    Example:
        >>> from tunepass.interchange.hypermapper import optimize
        >>> tile = {"parameter_type": "ordinal", "values": [8, 16, 32]}
        >>> scenario = {"optimization_objectives": ["time"], "input_parameters": {"tile": tile}}
        >>> optimize(scenario, lambda values: 64 / values["tile"])
    """
    from tunepass.interchange.hypermapper.reading import read_scenario, scenario_of_fields
    from tunepass.interchange.hypermapper.running import run_scenario

    read = scenario_of_fields(scenario) if isinstance(scenario, Mapping) else read_scenario(scenario)
    run_scenario(read, function, strategy=strategy, seed=seed)
