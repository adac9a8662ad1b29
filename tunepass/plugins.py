"""Plug-ins: the entry points of installed packages whose group is `tunepass.` and a role.

Entry points are read when a built-in name is missing, and by `tunepass plugins`, `devices` and `doctor`: importing
`importlib.metadata` takes as long as a whole call of `tunepass cc`.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from tunepass.diagnostics import TunepassError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.metadata import Distribution

GROUP = "tunepass."  # of entry points, followed by a role
PATH = re.compile(r"(?P<module>[^\W\d]\w*(?:\.[^\W\d]\w*)*):(?P<attribute>[^\W\d]\w*(?:\.[^\W\d]\w*)*)")
MODULE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
EXTRAS = re.compile(r"\s*\[.*\]$")


@dataclass(frozen=True, slots=True)
class Plugin:
    """A name in a role, the object or module behind it, and the package that states it."""

    role: str
    name: str
    target: str  # package.module:Class, or package.module
    package: str
    version: str

    @property
    def release(self) -> str:
        return f"{self.package} {self.version}"


@dataclass(frozen=True, slots=True)
class Installed:
    """The plug-ins of a Python path, and the packages whose entry points cannot be read, with the reason."""

    plugins: tuple[Plugin, ...]
    unreadable: tuple[tuple[str, str], ...] = ()


def installed() -> Installed:
    """The plug-ins that are installed now."""
    return _installed(tuple(sys.path))


def forget() -> None:
    """Read the entry points anew when they are needed next: packages were installed or removed."""
    _installed.cache_clear()


@lru_cache(maxsize=4)
def _installed(path: tuple[str, ...]) -> Installed:
    from importlib import metadata

    plugins: list[Plugin] = []
    unreadable: list[tuple[str, str]] = []
    packages: set[str] = set()
    for distribution in metadata.distributions(path=list(path)):
        text = _entry_points_text(distribution)
        if GROUP not in text:
            continue
        package, version = _release(distribution)
        key = re.sub(r"[-_.]+", "-", package).lower()
        if key in packages:  # an earlier folder of the path has the package: that one is imported
            continue
        packages.add(key)
        try:
            plugins += _plugins(distribution, package, version)
        except Exception as error:  # how a malformed file fails depends on the version of Python
            unreadable.append((f"{package} {version}", _sentence(error)))
    return Installed(tuple(sorted(plugins, key=lambda p: (p.role, p.name, p.package))), tuple(unreadable))


def _entry_points_text(distribution: Distribution) -> str:
    try:
        return distribution.read_text("entry_points.txt") or ""
    except (OSError, UnicodeDecodeError) as error:
        from tunepass.machine_faults import raise_machines

        raise_machines(error)
        return ""


def _release(distribution: Distribution) -> tuple[str, str]:
    try:
        name, version = distribution.metadata["Name"], distribution.version
    except Exception:  # metadata that cannot be read or lacks a field
        name, version = None, None
    return name or "a package without a name", version or "of no version"


def _plugins(distribution: Distribution, package: str, version: str) -> Iterator[Plugin]:
    for point in distribution.entry_points:
        if point.group.startswith(GROUP):
            target = EXTRAS.sub("", point.value.strip())
            yield Plugin(point.group.removeprefix(GROUP), point.name, target, package, version)


def plugin(role: str, name: str, subject: str) -> Plugin | None:
    """The plug-in of that name, None where no package has one.

    Raises TunepassError where several packages have one: neither is preferred. `subject` describes the role in words.
    """
    named = [p for p in installed().plugins if p.role == role and p.name == name]
    if len(named) > 1:
        raise TunepassError(
            f"several packages have a {subject} {name!r}: {', '.join(p.release for p in named)}",
            hint=f"uninstall all but one, or give the path of its class, such as {named[0].target}",
        )
    return named[0] if named else None


def load_target(target: str, subject: str) -> object:
    """The object at `package.module:Class`, or the module. Raises TunepassError with `subject`, whatever it raises."""
    path = PATH.fullmatch(target)
    if path is None and MODULE.fullmatch(target) is None:
        raise TunepassError(f"{subject} cannot be loaded: {target!r} is not written package.module:Class")
    try:
        value: object = importlib.import_module(path["module"] if path else target)
        for attribute in path["attribute"].split(".") if path else ():
            value = getattr(value, attribute)
    except (Exception, SystemExit) as error:
        raise TunepassError(f"{subject} cannot be loaded from {target}: {_sentence(error)}") from error
    return value


def _sentence(error: BaseException) -> str:
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
