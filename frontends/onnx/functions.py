"""Functions that a file defines (exporters of PyTorch write layers as such): put in where they are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tunepass.diagnostics import SourceError
from tunepass.frontends.onnx.model import Given, OnnxModel, OnnxNode, OnnxTensor

DEPTH_LIMIT = 32
NODE_LIMIT = 200_000


@dataclass(frozen=True, slots=True)
class FunctionText:
    """A function: each node with the attributes that are the function's own by their names, and what it is where it is
    a constant."""

    domain: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: tuple[tuple[OnnxNode, Mapping[str, str], OnnxTensor | None], ...]
    defaults: Mapping[str, Given]


def inlined(model: OnnxModel, functions: Sequence[FunctionText]) -> OnnxModel:
    """The model without calls of its functions. SourceError for one that calls itself."""
    work = _Inlining({(f.domain, f.name): f for f in functions}, list(model.tensors))
    for node in model.nodes:
        work.put(node, 0)
    return replace(model, nodes=tuple(work.nodes), tensors=tuple(work.tensors))


@dataclass
class _Inlining:
    functions: Mapping[tuple[str, str], FunctionText]
    tensors: list[OnnxTensor]
    nodes: list[OnnxNode] = field(default_factory=list)
    calls: int = 0

    def put(self, node: OnnxNode, depth: int) -> None:
        function = self.functions.get((node.domain, node.operator))
        if function is None:
            self.nodes.append(node)
            return
        if depth >= DEPTH_LIMIT or len(self.nodes) + len(self.tensors) + self.calls > NODE_LIMIT:
            raise SourceError(f"the function {node.operator} calls itself, or makes too many operators")
        self.calls += 1
        prefix = f"{node.called}.{self.calls}"
        names = dict(zip(function.inputs, node.inputs)) | dict.fromkeys(function.inputs[len(node.inputs) :], "")
        names |= {inner: outer for inner, outer in zip(function.outputs, node.outputs) if outer}
        given = {**function.defaults, **node.attributes}
        for inner, references, constant in function.nodes:
            outputs = tuple(names.setdefault(name, f"{prefix}/{name}") if name else "" for name in inner.outputs)
            if constant is not None and not references:
                self.tensors.append(replace(constant, name=outputs[0]))
                continue
            attributes = {**inner.attributes, **{k: given[v] for k, v in references.items() if v in given}}
            self.put(
                replace(
                    inner,
                    name=f"{prefix}/{inner.called}",
                    inputs=tuple(names.get(name, name) for name in inner.inputs),
                    outputs=outputs,
                    attributes=attributes,
                ),
                depth + 1,
            )
