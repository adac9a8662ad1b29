"""`tunepass plugins`: the installed plug-ins, their packages, and why one is left out."""

from __future__ import annotations

import argparse
import re
from collections import Counter
from dataclasses import dataclass

from tunepass import registry
from tunepass.backends.base import cost_model
from tunepass.diagnostics import TunepassError
from tunepass.hwmodels.plugin_devices import family_of
from tunepass.plugins import Installed, Plugin, installed
from tunepass.reports.answer import Answer, Json, table


@dataclass(frozen=True, slots=True)
class PluginState:
    """A plug-in, and why it is left out: `clash` with another name, or `broken`; neither where it is used."""

    plugin: Plugin
    clash: str = ""
    broken: str = ""

    @property
    def state(self) -> str:
        return "clash" if self.clash else "BROKEN" if self.broken else "ok"

    @property
    def problem(self) -> str:
        return self.clash or self.broken


def run(options: argparse.Namespace) -> Answer:
    plugins = installed()
    states = plugin_states(plugins)
    data: Json = {
        "plugins": [_data(state) for state in states],
        "unreadable": [{"package": package, "problem": problem} for package, problem in plugins.unreadable],
    }
    rows = [("", "role", "name", "class", "package")]
    rows += [(s.state, s.plugin.role, s.plugin.name, s.plugin.target, s.plugin.release) for s in states]
    lines = [table(rows)] if states else ["no plug-ins: no installed package has entry points of the groups tunepass.*"]
    lines += [f"{s.plugin.role} {s.plugin.name}: {s.problem}" for s in states if s.problem]
    lines += [f"{package}: its entry points cannot be read: {problem}" for package, problem in plugins.unreadable]
    return Answer("\n".join(lines), data)


def plugin_states(plugins: Installed) -> tuple[PluginState, ...]:
    """Each plug-in with what keeps it from being used; every one is loaded to see whether it can be."""
    counts = Counter((plugin.role, plugin.name) for plugin in plugins.plugins)
    return tuple(_state(plugin, plugins, counts[plugin.role, plugin.name] > 1) for plugin in plugins.plugins)


def _state(plugin: Plugin, plugins: Installed, shared: bool) -> PluginState:
    if plugin.role not in registry.ROLES:
        known = ", ".join(registry.ROLES)
        return PluginState(plugin, broken=f"{plugin.release} has it in no role of tunepass; roles: {known}")
    try:
        marked = _loaded(plugin, shared)
    except TunepassError as error:
        return PluginState(plugin, broken=error.sentence)
    except re.error as error:
        return PluginState(plugin, broken=f"its mark is not a regular expression: {error}")
    if marked:
        return PluginState(plugin)
    if _is_built_in(plugin):
        return PluginState(plugin, clash=f"tunepass has a built-in one: that of {plugin.release} is left out")
    if shared:
        releases = [p.release for p in plugins.plugins if (p.role, p.name) == (plugin.role, plugin.name)]
        return PluginState(plugin, clash=f"{' and '.join(releases)} have one each: none is used")
    return PluginState(plugin)


def _loaded(plugin: Plugin, shared: bool) -> bool:
    """Is the plug-in a frontend that a mark in the text chooses? Raises for a broken plug-in."""
    if plugin.role != "devices":
        mark = getattr(registry.load(plugin), "mark", "")
        return plugin.role == "frontends" and re.compile(str(mark)).pattern != ""
    if not shared and (source := registry.device_source(plugin.name)) is not None and not _is_built_in(plugin):
        cost_model(family_of(source.text)).summary(plugin.name)
    return False


def _is_built_in(plugin: Plugin) -> bool:
    if plugin.role != "devices":
        return plugin.name in registry.built_in(plugin.role)
    return any(plugin.name in cost_model(family).devices() for family in registry.built_in("cost_models"))


def _data(state: PluginState) -> Json:
    plugin = state.plugin
    return {
        "role": plugin.role,
        "name": plugin.name,
        "class": plugin.target,
        "package": plugin.package,
        "version": plugin.version,
        "state": state.state.lower(),
        "problem": state.problem,
    }
