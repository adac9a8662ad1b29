"""Tasks of the process in which Halide compiles (tool_worker.py). Halide may take a schedule for minutes, or end."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

CALL = re.compile(r"([A-Za-z_][\w$.]*)\(")
PRINTED = re.compile(r"<halide\.Expr of type [^:]*: (.*)>\Z", re.DOTALL)
NUMBER = re.compile(r"(?:\(\w+\))?(-?\d+)")
COUNT = re.compile(r"there are only (\d+) functions")
BEYOND = 1 << 30
FUNCTION = "tunepass_pipeline"
Request = Mapping[str, Any]


class Refused(Exception):
    """The input is refused, in Halide's words."""


def library() -> Any:
    import halide

    return halide


def refusals(hl: Any) -> tuple[type[Exception], ...]:
    return Refused, hl.HalideError


def pipeline_of(hl: Any, request: Request) -> tuple[Any, list[Any], dict[str, Any]]:
    """The pipeline, its arguments, and its inputs by name, with the values and shapes that the request states."""
    if not hasattr(hl, "deserialize_pipeline"):
        raise Refused("this halide reads no serialised pipelines: halide 21 does")
    data = base64.b64decode(request["pipeline"])
    arguments = list(hl.deserialize_pipeline(data, {}).infer_arguments())
    inputs = {a.name: input_for(hl, a, request) for a in arguments}
    pipeline = hl.deserialize_pipeline(data, {name: each.parameter() for name, each in inputs.items()})
    return pipeline, arguments, inputs


def input_for(hl: Any, argument: Any, request: Request) -> Any:
    """An input of one's own, which can be asked what it was inferred to hold."""
    if argument.kind == hl.ArgumentKind.InputBuffer:
        image = hl.ImageParam(argument.type, argument.dimensions, argument.name)
        shape = request.get("shapes", {}).get(argument.name)
        if shape:
            image.set_estimates([hl.Range(low, extent) for low, extent in shape])
        return image
    parameter = hl.Param(argument.type, argument.name)
    value = request.get("scalars", {}).get(argument.name)
    if value is not None:
        parameter.set(value)
        parameter.set_estimate(value)
    return parameter


def printed(expression: Any) -> str:
    match = PRINTED.match(str(expression))
    return match[1] if match else str(expression)


def functions_of(pipeline: Any) -> list[Any]:
    """As far as `get_func` counts: Halide tells the number in the error of an index beyond it."""
    try:
        pipeline.get_func(BEYOND)
    except Exception as error:
        match = COUNT.search(str(error))
        return [pipeline.get_func(index) for index in range(int(match[1]))] if match else []
    return []


def described(hl: Any, function: Any, names: set[str]) -> Request:
    if function.is_extern():
        return {
            "name": function.name(),
            "args": [],
            "bits": [],
            "plain": False,
            "extern": True,
            "stages": [],
            "text": [f"extern {function.name()}"],
        }
    arguments = [variable.name() for variable in function.args()]
    values = [printed(value) for value in function.values()]
    stages = [{"pure": arguments, "rvars": [], "calls": calls(values, names)}]
    lines = [definition(function, arguments, values)]
    for number in range(function.num_update_definitions()):
        left = [printed(argument) for argument in function.update_args(number)]
        right = [printed(value) for value in function.update_values(number)]
        lines.append(definition(function, left, right))
        stages.append(
            {
                "pure": [name for name, text in zip(arguments, left) if name == text],
                "rvars": [variable.name() for variable in function.rvars(number)],
                "calls": calls([*left, *right], names),
            }
        )
    only = re.fullmatch(r"(?:\(\w+\))?[\w$.]+\(([^()]*)\)", values[0]) if len(values) == 1 else None
    return {
        "name": function.name(),
        "args": arguments,
        "bits": [kind.bits() for kind in function.types()],
        "plain": len(stages) == 1 and only is not None and only[1] == ", ".join(arguments),
        "extern": False,
        "stages": stages,
        "text": lines,
    }


def definition(function: Any, left: Sequence[str], right: Sequence[str]) -> str:
    value = right[0] if len(right) == 1 else f"{{{', '.join(right)}}}"
    return f"{function.name()}({', '.join(left)}) = {value}"


def calls(texts: Sequence[str], names: set[str]) -> Mapping[str, int]:
    """How often each Func is called, as Halide prints the definition."""
    counts: dict[str, int] = {}
    for text in texts:
        for match in CALL.finditer(text):
            if match[1] in names:
                counts[match[1]] = counts.get(match[1], 0) + 1
    return counts


def describe(hl: Any, request: Request) -> Request:
    """The Funcs in the order of `get_func`, the outputs and the inputs with the shapes that the outputs need."""
    pipeline, arguments, _ = pipeline_of(hl, request)
    functions = functions_of(pipeline)
    names = {function.name() for function in functions}
    outputs = [
        {
            "name": out.name(),
            "types": [str(kind) for kind in out.types()],
            "dimensions": out.dimensions(),
            "strides": [number(buffer_of(out).stride_constraint(i)) for i in range(out.dimensions())],
        }
        for out in pipeline.outputs()
    ]
    return {
        "functions": [described(hl, function, names) for function in functions],
        "outputs": outputs,
        "inputs": [input_of(hl, argument) for argument in arguments],
        "target": str(hl.get_host_target()),
    }


def buffer_of(out: Any) -> Any:
    return out.output_buffers()[0].parameter()


def estimates(parameter: Any, dimensions: int) -> list[tuple[int | None, int | None]] | None:
    """Least and extent by dimension; None unless all are stated."""
    pairs = [
        (number(parameter.min_constraint_estimate(i)), number(parameter.extent_constraint_estimate(i)))
        for i in range(dimensions)
    ]
    return None if any(None in pair for pair in pairs) else pairs


def number(expression: Any) -> int | None:
    """The value of a constant as Halide prints it."""
    match = NUMBER.fullmatch(printed(expression))
    return int(match[1]) if match else None


def input_of(hl: Any, argument: Any) -> Request:
    known = argument.argument_estimates
    if argument.kind != hl.ArgumentKind.InputBuffer:
        estimate = printed(known.scalar_estimate)
        return {"name": argument.name, "type": str(argument.type), "dimensions": None, "estimate": estimate}
    pairs = [(number(each.min), number(each.extent)) for each in known.buffer_estimates]
    return {
        "name": argument.name,
        "type": str(argument.type),
        "dimensions": argument.dimensions,
        "estimate": None if any(None in pair for pair in pairs) else pairs,
    }


def shapes(hl: Any, request: Request) -> Request:
    """By input the least and the extent of each dimension that the outputs of these sizes need."""
    pipeline, _, inputs = pipeline_of(hl, request)
    apply(hl, functions_of(pipeline), request["directives"])
    needed = [
        hl.Buffer(kind, [extent for _, extent in sizes])
        for out, sizes in zip(pipeline.outputs(), request["sizes"])
        for kind in out.types()
    ]
    for buffer, sizes in zip(needed, [s for out, s in zip(pipeline.outputs(), request["sizes"]) for _ in out.types()]):
        if any(low for low, _ in sizes):
            buffer.set_min([low for low, _ in sizes])
    for name, image in inputs.items():
        known = request["shapes"].get(name)
        if known and isinstance(image, hl.ImageParam):
            buffer = hl.Buffer(image.type(), [extent for _, extent in known])
            buffer.set_min([low for low, _ in known])
            image.set(buffer)
    try:
        pipeline.infer_input_bounds(needed if len(needed) > 1 else needed[0])
    except ValueError:  # halide's binding hides the reason
        return {"shapes": None}
    inferred = {}
    for name, image in inputs.items():
        if isinstance(image, hl.ImageParam):
            buffer = image.get()
            dimensions = [buffer.dim(number) for number in range(buffer.dimensions())]
            inferred[name] = [(each.min(), each.extent()) for each in dimensions]
    return {"shapes": inferred}


def apply(hl: Any, functions: Sequence[Any], directives: Sequence[Request]) -> None:
    """Raises Refused with the directive where Halide refuses it."""

    def argument(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        kind, _, name = value.partition(":")
        if kind == "func":
            return functions[int(name)]
        if kind == "tail":
            return getattr(hl.TailStrategy, name)
        return hl.RVar(name) if kind == "rvar" else hl.Var(name)

    for directive in directives:
        function = functions[directive["func"]]
        stage = function if directive["stage"] == 0 else function.update(directive["stage"] - 1)
        try:
            getattr(stage, directive["method"])(*map(argument, directive["arguments"]))
        except hl.HalideError as error:
            raise Refused(f"{function.name()}: {directive['method']}: {error}") from None


def target_of(hl: Any, request: Request) -> Any:
    return hl.Target(request["target"])


def build(hl: Any, request: Request) -> Request:
    """An object with the pipeline as scheduled by the directives or by an autoscheduler."""
    pipeline, arguments, _ = pipeline_of(hl, request)
    source = scheduled(hl, pipeline, request)
    pipeline.compile_to_object(request["object"], arguments, FUNCTION, target_of(hl, request))
    return {"source": source}


def scheduled(hl: Any, pipeline: Any, request: Request) -> str:
    """Applies the request's schedule; the text of an autoscheduler's."""
    apply(hl, functions_of(pipeline), request["directives"])
    automatic = request.get("autoscheduler")
    if not automatic:
        return ""
    for out, sizes in zip(pipeline.outputs(), request["sizes"]):
        out.set_estimates([hl.Range(low, extent) for low, extent in sizes])
    hl.load_plugin(os.path.join(request["plugins"], f"libautoschedule_{automatic['name'].lower()}.so"))
    parameters = hl.AutoschedulerParams(automatic["name"], automatic["parameters"])
    result = pipeline.apply_autoscheduler(target_of(hl, request), parameters)
    return str(result.schedule_source)


def check(hl: Any, request: Request) -> Request:
    """Halide's refusal of a schedule; empty where it takes it."""
    pipeline, _, _ = pipeline_of(hl, request)
    try:
        scheduled(hl, pipeline, request)
    except Refused as refused:
        return {"refused": str(refused)}
    return {"refused": ""}


def runtime(hl: Any, request: Request) -> Request:
    hl.compile_standalone_runtime(request["object"], target_of(hl, request))
    return {}


TASKS: Mapping[str, Callable[[Any, Request], Request]] = {
    "build": build,
    "check": check,
    "describe": describe,
    "runtime": runtime,
    "shapes": shapes,
}
