"""Installs packages of plug-ins as pip would, offline: their files and a dist-info folder in a folder for the Python
path."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:  # pytest depends on it there
    import tomli as tomllib


def install_project(project: Path, site: Path) -> None:
    """The package of a folder with a pyproject.toml, as `pip install --no-deps --target SITE PROJECT` leaves it."""
    stated = tomllib.loads((project / "pyproject.toml").read_text())
    for package in stated["tool"]["setuptools"]["packages"]:
        folder = Path(*package.split("."))
        shutil.copytree(project / folder, site / folder, dirs_exist_ok=True)
    name, version = stated["project"]["name"], stated["project"]["version"]
    write_metadata(site, name, version, stated["project"]["entry-points"])


def install(
    site: Path,
    name: str,
    version: str,
    entry_points: Mapping[str, Mapping[str, str]],
    files: Mapping[str, str],
) -> None:
    """A package of these files; entry points by group and name."""
    for path, text in files.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text)
    write_metadata(site, name, version, entry_points)


def write_metadata(site: Path, name: str, version: str, entry_points: Mapping[str, Mapping[str, str]]) -> None:
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [
        line
        for group, points in entry_points.items()
        for line in (f"[{group}]", *(f"{point} = {target}" for point, target in points.items()), "")
    ]
    (folder / "entry_points.txt").write_text("\n".join(lines))
