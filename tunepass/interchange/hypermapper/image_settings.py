"""A scenario's `output_image`: file, labels and axes of the picture of its front."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import yaml

from tunepass.diagnostics import TunepassError
from tunepass.interchange.conditions import Json
from tunepass.interchange.hypermapper.parameters import is_number

DEFAULT_FILE = "output_pareto.pdf"  # its name begins with the application's


class _Reader(Protocol):
    def value(self, node: yaml.Node) -> Json: ...
    def fail(self, problem: str, node: yaml.Node, hint: str | None = None) -> TunepassError: ...


@dataclass(frozen=True, slots=True)
class ImageSettings:
    """The picture of a front: its first two objectives, across and up."""

    path: Path
    labels: tuple[str, ...] = ()  # of the first objectives; the others have their names
    log: tuple[bool, bool] = (False, False)
    maxima: tuple[float | None, float | None] = (None, None)  # values that are drawn as 100 %


_KINDS: Mapping[str, tuple[str, Callable[[Json], bool]]] = {
    "output_image_pdf_file": ("a text", lambda v: isinstance(v, str) and v != "" and v.isprintable()),
    "optimization_objectives_labels_image_pdf": (
        "a list of texts",
        lambda v: isinstance(v, list) and all(isinstance(each, str) for each in v),
    ),
    "image_xlog": ("true or false", lambda v: isinstance(v, bool)),
    "image_ylog": ("true or false", lambda v: isinstance(v, bool)),
    "objective_1_max": (
        "a number of 1e-9 or more",
        lambda v: isinstance(v, int | float) and is_number(v) and v >= 1e-9,
    ),
    "objective_2_max": (
        "a number of 1e-9 or more",
        lambda v: isinstance(v, int | float) and is_number(v) and v >= 1e-9,
    ),
}
FIELDS = frozenset(_KINDS)


def read_image_settings(
    reader: _Reader, given: Mapping[str, yaml.Node] | None, folder: Path, application: str
) -> ImageSettings:
    """The settings that the fields state; None: the scenario has no `output_image`."""
    values: dict[str, Json] = {}
    for name, node in (given or {}).items():
        kind, fits = _KINDS[name]
        values[name] = reader.value(node)
        if not fits(values[name]):
            raise reader.fail(f"`output_image.{name}` is {kind}", node)
    file = values.get("output_image_pdf_file", DEFAULT_FILE if given is None else "output_image.pdf")
    labels = values.get("optimization_objectives_labels_image_pdf", [])
    assert isinstance(labels, list)
    return ImageSettings(
        path=folder / (f"{application}_{file}" if file == DEFAULT_FILE else str(file)),
        labels=tuple(map(str, labels)),
        log=(values.get("image_xlog") is True, values.get("image_ylog") is True),
        maxima=(_maximum(values.get("objective_1_max")), _maximum(values.get("objective_2_max"))),
    )


def _maximum(value: Json) -> float | None:
    return float(value) if isinstance(value, int | float) else None
