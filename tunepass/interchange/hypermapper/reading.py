"""Scenarios of HyperMapper 2, HyperMapper 3 and BaCO, read with the place of each mistake."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import yaml

from tunepass.diagnostics import Source, SourceError, spelling_hint
from tunepass.files import read_utf8
from tunepass.interchange.conditions import Json
from tunepass.interchange.hypermapper.constraints import Place, read_constraint
from tunepass.interchange.hypermapper.fields import (
    EFFECTIVE,
    NESTED,
    NESTED_EFFECTIVE,
    TYPES,
    effective,
    tuner_of,
)
from tunepass.interchange.hypermapper.image_settings import read_image_settings
from tunepass.interchange.hypermapper.parameters import is_number, read_parameter
from tunepass.interchange.hypermapper.scenario import GRID, MODES, Feasibility, Mode, Scenario
from tunepass.interchange.hypermapper.values import ScenarioParameter
from tunepass.interchange.json_nodes import JsonReader
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter

SIZE, DEPTH = 4 << 20, 12  # of a scenario, in characters and levels
DESIGNS = (
    *("random sampling", "standard latin hypercube", "k latin hypercube", GRID, "embedding random sampling"),
    "embedded random sampling",
)
_CHECKS: Mapping[str, Callable[[Json], bool]] = {
    "string": lambda v: isinstance(v, str) and v.isprintable(),
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": is_number,
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string or boolean": lambda v: isinstance(v, str | bool),
}


def read_scenario(path: str | Path) -> Scenario:
    """The scenario in a file; SourceError for what is none."""
    return scenario_of(Source(str(path), read_utf8(path, SIZE, SourceError)))


def scenario_of_fields(fields: Mapping[str, object]) -> Scenario:
    """The scenario of a mapping, as `json` would write it."""
    try:
        text = json.dumps(dict(fields), indent=1)
    except (TypeError, ValueError, RecursionError) as error:
        raise SourceError(f"a scenario has the values of JSON: {error}") from None
    return scenario_of(Source("<scenario>", text))


def scenario_of(source: Source) -> Scenario:
    """The scenario of a text."""
    return _Reader(source).scenario()


class _Reader(JsonReader):
    def __init__(self, source: Source):
        super().__init__(source, SourceError)
        self.ignored: list[str] = []

    def scenario(self) -> Scenario:
        root = self.composed("a scenario", SIZE, DEPTH)
        fields = self.mapping(root, "a scenario")
        for name in ("optimization_objectives", "input_parameters"):
            if name not in fields:
                raise self.fail(f"a scenario has `{name}`", root)
        self.tuner = tuner_of(fields, has_constraints=self._has_constraints(fields["input_parameters"]))
        for name, node in fields.items():
            self._check(name, node)
        self.fields = fields
        parameters = self._parameters(fields["input_parameters"])
        constraints = self._constraints(fields["input_parameters"], parameters)
        objectives, feasibility = self._objectives(), self._feasibility()
        self._check_columns([*(p.name for p in parameters), *objectives, *[feasibility.name] * feasibility.enabled])
        folder, application = Path(self.text("run_directory", ".")), self.text("application_name", "application")
        mode, exhaustive_file = self._mode()
        design, design_size = self._design()
        return Scenario(
            source=self.source,
            tuner=self.tuner,
            application=application,
            mode=mode,
            exhaustive_file=exhaustive_file,
            parameters=parameters,
            constraints=constraints,
            objectives=objectives,
            feasibility=feasibility,
            design=design,
            design_size=design_size,
            iterations=0 if design == GRID else self.count("optimization_iterations", 50, 0),
            batch=self._batch(),
            time_budget_s=self._time_budget_s(),
            method=self.text("optimization_method", "bayesian_optimization"),
            model=self._model(),
            timestamp=self.text("timestamp", "Timestamp") if self.tuner == "HyperMapper 2" else "timestamp",
            folder=folder,
            output=folder / self._file("output_data_file", "output_samples.csv", application),
            pareto=folder / self._file("output_pareto_file", "output_pareto.csv", application),
            log=folder / self.text("log_file", "hypermapper_logfile.log"),
            resume=self._resume(folder),
            image=read_image_settings(
                self, self._nested("output_image") if "output_image" in fields else None, folder, application
            ),
            print_best=self._prints_best(mode),
            without_effect=tuple(dict.fromkeys(self.ignored)),
        )

    # -- fields

    def mapping(self, node: yaml.Node, subject: str) -> dict[str, yaml.Node]:
        """As `json` reads an object: of a key that stands there twice, the last value."""
        if not isinstance(node, yaml.MappingNode):
            raise self.fail(f'{subject} is an object, {{"name": value}}', node)
        entries = {key.value: value for key, value in node.value}
        if len(entries) < len(node.value):
            keys = [key.value for key, _ in node.value]
            self.ignored += [f"the first `{name}`" for name in entries if keys.count(name) > 1]
        return entries

    def _check(self, name: str, node: yaml.Node) -> None:
        """The field is one of some tuner's, and of its type; notes one without effect."""
        if name not in TYPES:
            hint = spelling_hint(name, TYPES, "neither HyperMapper nor BaCO has such a field")
            raise self.fail(f"a scenario has no field `{name}`", self._key(name), hint)
        if not _CHECKS[TYPES[name]](self.value(node)):
            raise self.fail(f"`{name}` is of type {TYPES[name]}", node)
        if not effective(name, self.tuner) or (name in EFFECTIVE and self._foreign_file(name)):
            self.ignored.append(name)
        for key in self.mapping(node, f"`{name}`") if name in NESTED else ():
            if key not in NESTED[name]:
                hint = spelling_hint(key, NESTED[name], f"known: {', '.join(sorted(NESTED[name]))}")
                raise self.fail(f"`{name}` has no field `{key}`", node, hint)
            if name in NESTED_EFFECTIVE and key not in NESTED_EFFECTIVE[name]:
                self.ignored.append(f"{name}.{key}")

    def _foreign_file(self, name: str) -> bool:
        """BaCO and HyperMapper 3 always call the column of times `timestamp`."""
        return name == "timestamp" and self.tuner != "HyperMapper 2"

    def _key(self, name: str) -> yaml.Node:
        root = self.composed("a scenario", SIZE, DEPTH)
        assert isinstance(root, yaml.MappingNode)
        keys: list[yaml.Node] = [key for key, _ in root.value if key.value == name]
        return keys[0]

    def text(self, name: str, default: str) -> str:
        value = self.value(self.fields[name]) if name in self.fields else default
        return value if isinstance(value, str) else default

    def number(self, name: str, default: float) -> float:
        value = self.value(self.fields[name]) if name in self.fields else default
        return float(value) if isinstance(value, int | float) else default

    def count(self, name: str, default: int, least: int) -> int:
        if name not in self.fields:
            return default
        value = self.value(self.fields[name])
        if not isinstance(value, int) or not least <= value <= 10_000_000:
            raise self.fail(f"`{name}` is a whole number from {least} to 10,000,000", self.fields[name])
        return value

    def _nested(self, name: str) -> dict[str, yaml.Node]:
        return self.mapping(self.fields[name], f"`{name}`") if name in self.fields else {}

    def _time_budget_s(self) -> float | None:
        seconds = 60.0 * self.number("time_budget", -1)
        if seconds == 0:
            raise self.fail("`time_budget` is a number of minutes above 0, or -1", self.fields["time_budget"])
        return seconds if seconds > 0 else None

    def _prints_best(self, mode: Mode) -> bool:
        chosen = self.value(self.fields["print_best"]) if "print_best" in self.fields else "auto"
        return chosen is True or (chosen is not False and mode != "client-server")

    def _batch(self) -> int:
        if self.tuner == "HyperMapper 3":
            return self.count("batch_size", 1, 1)
        return self.count("evaluations_per_optimization_iteration", 1, 1)

    def _model(self) -> str:
        models = self._nested("models")
        model = self.value(models["model"]) if "model" in models else None
        default = "random_forest" if self.tuner == "HyperMapper 2" else "gaussian_process"
        return model if isinstance(model, str) else default

    def _mode(self) -> tuple[Mode, Path | None]:
        name = "baco_mode" if "baco_mode" in self.fields else "hypermapper_mode"
        given = self._nested(name)
        mode = self.value(given["mode"]) if "mode" in given else "default"
        if mode not in MODES:
            hint = "run it with HyperMapper 3, or as client-server" if mode == "stateless" else None
            raise self.fail(f"`mode` is one of {', '.join(MODES)}", given["mode"], hint)
        file = self.value(given["exhaustive_search_file"]) if "exhaustive_search_file" in given else None
        if mode == "exhaustive" and not isinstance(file, str):
            raise self.fail("mode exhaustive needs `exhaustive_search_file`", self.fields[name])
        return next(m for m in MODES if m == mode), Path(file) if isinstance(file, str) else None

    def _design(self) -> tuple[str, int]:
        given = self._nested("design_of_experiment")
        kind = self.value(given["doe_type"]) if "doe_type" in given else DESIGNS[0]
        if kind not in DESIGNS:
            raise self.fail(f"`doe_type` is one of {', '.join(DESIGNS)}", given["doe_type"])
        size = self.value(given["number_of_samples"]) if "number_of_samples" in given else 10
        if isinstance(size, bool) or not isinstance(size, int) or not 0 <= size <= 1_000_000:
            raise self.fail("`number_of_samples` is a whole number from 0 to 1,000,000", given["number_of_samples"])
        return str(kind), size

    def _file(self, name: str, default: str, application: str) -> str:
        """The two default names begin with the application's."""
        file = self.text(name, default)
        return f"{application}_{default}" if file == default else file

    def _resume(self, folder: Path) -> Path | None:
        if "resume_optimization" not in self.fields or self.value(self.fields["resume_optimization"]) is not True:
            return None
        name = "resume_optimization_data" if "resume_optimization_data" in self.fields else "resume_optimization_file"
        return folder / self.text(name, "output_samples.csv")

    def _objectives(self) -> tuple[str, ...]:
        names = self.value(self.fields["optimization_objectives"])
        assert isinstance(names, list)
        texts = tuple(
            name
            for name in names
            if isinstance(name, str) and name and name.isprintable() and not set(name) & set(',"')
        )
        if not names or len(texts) != len(names):
            raise self.fail("`optimization_objectives` is a list of names", self.fields["optimization_objectives"])
        return texts

    def _feasibility(self) -> Feasibility:
        given = self._nested("feasible_output")
        if "feasible_output" not in self.fields:
            return Feasibility()
        texts = {"name": "Valid", "true_value": "true", "false_value": "false"}
        if self.tuner != "HyperMapper 2":
            texts |= {"true_value": "True", "false_value": "False"}
        for key in texts:
            if key in given:
                value = self.value(given[key])
                texts[key] = value if isinstance(value, str) else json.dumps(value)
        enabled = self.value(given["enable_feasible_predictor"]) if "enable_feasible_predictor" in given else False
        if not isinstance(enabled, bool):
            problem = "`enable_feasible_predictor` is true or false"
            raise self.fail(problem, given["enable_feasible_predictor"])
        if texts["true_value"] == texts["false_value"]:
            raise self.fail("`true_value` and `false_value` differ", self.fields["feasible_output"])
        return Feasibility(texts["name"], texts["true_value"], texts["false_value"], enabled)

    def _check_columns(self, names: list[str]) -> None:
        double = next((name for name in names if names.count(name) > 1), None)
        if double is not None:
            problem = f"parameters, objectives and the feasibility have different names, got `{double}` twice"
            raise self.fail(problem, self.fields["optimization_objectives"])

    # -- parameters

    def _has_constraints(self, node: yaml.Node) -> bool:
        """Does a parameter have what only BaCO's and HyperMapper 3's have?"""
        keys = {"constraints", "dependencies", "transform", "parametrization", "prior_parameters"}
        parameters = [value for _, value in node.value] if isinstance(node, yaml.MappingNode) else []
        return any(
            key.value in keys or value.value == "permutation"
            for parameter in parameters
            if isinstance(parameter, yaml.MappingNode)
            for key, value in parameter.value
        )

    def _parameters(self, node: yaml.Node) -> tuple[ScenarioParameter, ...]:
        listed: list[ScenarioParameter] = []
        for name, each in self.mapping(node, "`input_parameters`").items():
            used_names = {p.parameter.name for p in listed}
            listed.append(read_parameter(self, name, each, used_names, self.ignored.append))
        if not listed:
            raise self.fail("`input_parameters` has at least one parameter", node)
        return tuple(listed)

    def _constraints(self, node: yaml.Node, parameters: tuple[ScenarioParameter, ...]) -> tuple[Constraint, ...]:
        named = {p.name: p.parameter for p in parameters}
        constraints: list[Constraint] = []
        for name, each in self.mapping(node, "`input_parameters`").items():
            fields = self.mapping(each, f"the parameter {name}")
            for other in self.items(fields["dependencies"], "`dependencies`") if "dependencies" in fields else ():
                if other.value not in named:
                    hint = spelling_hint(str(other.value), named)
                    raise self.fail(f"{name}: `dependencies` names parameters", other, hint)
            texts = self.items(fields["constraints"], "`constraints`") if "constraints" in fields else []
            constraints += [self._constraint(text, named) for text in texts]
        return tuple(constraints)

    def _constraint(self, node: yaml.Node, named: Mapping[str, Parameter]) -> Constraint:
        text = self.value(node)
        if not isinstance(text, str):
            raise self.fail("a constraint is a text", node)
        start, end = node.start_mark.index + 1, node.end_mark.index - 1
        place = Place(self.source, start, end, exact=self.source.text[start:end] == text)
        return read_constraint(text, place, named)
