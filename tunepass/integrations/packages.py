"""Packages that a door needs besides tunepass."""

from __future__ import annotations

import importlib
from types import ModuleType


def package(name: str, *, extra: str, door: str) -> ModuleType:
    """The installed package.

    Args:
        name: of its module.
        extra: of tunepass, which installs it.
        door: the module of tunepass that needs it.

    Raises:
        ModuleNotFoundError: it is not installed; the message names the extra.
    """
    root = name.partition(".")[0]
    try:
        importlib.import_module(root)
    except ModuleNotFoundError as error:
        if error.name != root:
            raise
        message = f"{door} needs the package {root}, which is not installed: pip install 'tunepass[{extra}]'"
        raise ModuleNotFoundError(message, name=root) from None
    return importlib.import_module(name)
