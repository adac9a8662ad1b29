"""The identity of a kernel's results, with the plug-ins that they depend on."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace

from tunepass import registry
from tunepass.backends.base import Backend, cost_model, frontend_of
from tunepass.diagnostics import TunepassError
from tunepass.space.space import Space
from tunepass.study.identity import Identity


def identity_of(backend: Backend, space: Space) -> Identity:
    """The backend's identity, with the packages and versions of the plug-ins that read, price or write the kernel."""
    identity = backend.identity(space)
    releases = sorted({release for release in _releases(backend) if release})
    return replace(identity, plugins=", ".join(releases)) if releases else identity


def _releases(backend: Backend) -> Iterator[str]:
    """Of a strategy, an executor or a solver nothing: they change which configurations are tried, not a result."""
    source = backend.kernel.source
    with contextlib.suppress(TunepassError):  # a kernel that a program made has no frontend
        yield registry.release_of(type(frontend_of(source.name, source.text)))
    yield registry.device_release(backend.device)
    backend_release = registry.release_of(type(backend))
    yield backend_release
    if backend_release:  # the families of built-in backends are built in too
        yield from _model_releases(backend.device)


def _model_releases(device: str) -> Iterator[str]:
    """Of the plug-ins' hardware models that know the device."""
    for family in registry.plugin_names("cost_models"):
        with contextlib.suppress(TunepassError):
            model = cost_model(family)
            if device in model.devices():
                yield registry.release_of(type(model))
