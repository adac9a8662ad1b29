"""A device's numbers against real synthesis: fitted to it, held against it, and asked of one design point."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tunepass.evaluators.toolchains import yosys
from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.characterise import check, plan, write
from tunepass.hwmodels.characterise.compose import Composition
from tunepass.hwmodels.characterise.fit import Counts, fit
from tunepass.hwmodels.characterise.verilog import Template, wrapper
from tunepass.hwmodels.fpga import device as devices
from tunepass.hwmodels.fpga.device import Fpga
from tunepass.hwmodels.fpga.device_file import is_file
from tunepass.ir.hardware import Program
from tunepass.jobs.estimates import Estimator
from tunepass.space.configuration import Configuration

Watch = Callable[[int, int], None]  # told how many templates are synthesised, and of how many
Synthesise = Callable[[Sequence[Template], str], dict[Template, Counts]]
TOP = "top"


def unwatched(done: int, of: int) -> None:
    """For who does not care how far it is."""


def synthesise(templates: Iterable[Template], target: str, watch: Watch = unwatched) -> dict[Template, Counts]:
    """Counts by Yosys for every template. A template's counts may depend on its batch, so `plan` makes the same batches
    of the same templates, in whatever order they come."""
    counts_by_template: dict[Template, Counts] = {}
    batches = plan.batches(templates)
    total = sum(map(len, batches))
    for batch in batches:
        watch(len(counts_by_template), total)
        text = "".join(template.verilog() for template in batch) + wrapper(TOP, batch)
        counts = yosys.synthesise(text, TOP, target)
        counts_by_template |= {template: counts[template.name] for template in batch}
    watch(total, total)
    return counts_by_template


def target_of(device: str) -> str:
    """The synthesis flow of a device, or of the one whose fabric a user's file has; raises ModelError where there is
    none."""
    flow = _like(devices.load(device)) if is_file(device) else device
    if flow not in yosys.TARGETS:
        raise ModelError(f"device {device!r} is not one that is characterised", hint=f"try {', '.join(yosys.TARGETS)}")
    return flow


def characterise(
    name: str, counts: Mapping[Template, Counts] | None = None, tool: str = "", run: Synthesise = synthesise
) -> tuple[str, Mapping[tuple[str, str], check.Error]]:
    """The text of the device's YAML with its amounts fitted anew, and the errors on templates held back."""
    target = target_of(name)
    fitted_to, test_templates = plan.fitted(), plan.held_back()
    known = run([*fitted_to, *test_templates], target) if counts is None else counts
    head = write.head(devices.text_of(name), name)
    fitted = fit({t: known[t] for t in fitted_to}, devices.load(name).memory.shapes)
    source, sizes = tool or yosys.version(yosys.find()), (len(fitted_to), len(test_templates))
    device = devices.read(write.device_text(head, fitted, source, sizes, {}), name)
    errors = check.errors({t: known[t] for t in test_templates}, device)
    return write.device_text(head, fitted, source, sizes, errors), errors


def held_back_errors(name: str, run: Synthesise = synthesise) -> Mapping[tuple[str, str], check.Error]:
    """The errors of the device as it is, on templates it was not fitted to, synthesised now."""
    return check.errors(run(plan.held_back(), target_of(name)), devices.load(name))


@dataclass(frozen=True, slots=True)
class TemplateComparison:
    """One template of a design: copies, and what one takes by the device's numbers and by synthesis."""

    template: Template
    copies: int
    estimated: Counts
    synthesised: Counts


@dataclass(frozen=True, slots=True)
class Design:
    parts: tuple[TemplateComparison, ...]
    left_out: tuple[str, ...]  # what has no template

    def total(self, resource: str) -> tuple[float, float]:
        """Estimated and synthesised, over the design."""
        return (
            sum(part.copies * part.estimated[resource] for part in self.parts),
            sum(part.copies * part.synthesised[resource] for part in self.parts),
        )


def compare_point(model: Estimator, point: Configuration, run: Synthesise = synthesise) -> Design:
    """Synthesise every template that a design point is made of, once, and count each as often as it is there."""
    if not isinstance(model.kernel.body, Program):
        raise ModelError(f"{model.kernel.name} is no accelerator program: nothing synthesises it")
    program, device = model.kernel.body, devices.load(model.backend.device)
    target = target_of(_like(device))
    composition = Composition(program, device, {name: _whole(value) for name, value in point.items()})
    copies = composition.templates()
    counts = run(tuple(copies), target)
    parts = tuple(TemplateComparison(t, n, check.estimate(t, device), counts[t]) for t, n in copies.items())
    return Design(parts, tuple(sorted(composition.left_out)))


def _like(device: Fpga) -> str:
    """The characterised device whose fabric this one has."""
    return "xc7" if device.family == "xilinx" else device.name


def _whole(value: object) -> int | bool:
    return value if isinstance(value, bool) else int(str(value))
