"""Probe schedules: for each nest a schedule whose text tunepass writes, to be compiled before anything is searched."""

from __future__ import annotations

from collections.abc import Iterator

from tunepass.frontends.c.lowering import scops_of
from tunepass.ir.kernel import Kernel
from tunepass.ir.scop_directives import ScopNest
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space

MOST_TRIED = 12  # configurations that are looked at for a nest: each takes the time of a schedule


def probes(kernel: Kernel, space: Space) -> tuple[Configuration, ...]:
    """A legal configuration for each nest that rewrites it and leaves all other parameters at their defaults, but for
    those that choose the nest's branch; none for a nest that the default rewrites already, or that no opening and no
    single step rewrites."""
    found = [_probe(kernel, nest, space) for nest in scops_of(kernel)]
    return tuple(dict.fromkeys(configuration for configuration in found if configuration is not None))


def rewritten_nests(kernel: Kernel, configuration: Configuration) -> list[ScopNest]:
    """The nests whose text is another than the source's."""
    return [nest for nest in scops_of(kernel) if _is_rewritten(nest, kernel.filled(configuration))]


def _probe(kernel: Kernel, nest: ScopNest, space: Space) -> Configuration | None:
    from tunepass.frontends.c.nests.lowering import illegal  # brings what schedules nests, which others do without

    if _is_rewritten(nest, kernel.filled(space.default)):
        return None
    for number, configuration in enumerate(_candidates(nest, space)):
        if number == MOST_TRIED:
            return None
        filled = kernel.filled(configuration)
        if not illegal(nest, filled) and _is_rewritten(nest, filled):
            return configuration
    return None


def _candidates(nest: ScopNest, space: Space) -> Iterator[Configuration]:
    """The nest's openings, then what differs from the default in one of its parameters."""
    for opening in nest.openings:
        configuration = space.completed({**space.default, **dict(opening.values)})
        if space.contains(configuration):
            yield configuration
    own = set(nest.directives.parameters(nest.scop))
    start = space.completed({**space.default, **dict(nest.chosen_by)})
    if not space.contains(start):
        return
    for configuration in space.neighbours(start):
        if all(name in own for name, value in configuration.items() if value != start.get(name)):
            yield configuration


def _is_rewritten(nest: ScopNest, configuration: Configuration) -> bool:
    from tunepass.frontends.c.nests.lowering import scheduled

    return nest.is_compiled(configuration) and scheduled(nest, configuration, numbered=True) != nest.scop.span.text
