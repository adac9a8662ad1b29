"""Identity: the inputs of a result besides the configuration, and differences between two identities."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields

from tunepass.files import encoded

ADDED = ("files", "toolchain")  # not compared where an earlier version left them out
OPTIONAL = (*ADDED, "plugins")  # not written where they are empty


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Hashes of the source and the space, the compiler and its flags, the device, and the harness's version.

    `files` and `toolchain` are digests of a Manifest each: what was read besides the source, and what compiles it. They
    are empty where nothing is compiled, and in what an earlier version wrote: then they are not compared. `plugins` are
    the packages, with versions, whose frontend, backend, hardware model or device the result depends on."""

    source: str
    space: str
    compiler: str = ""
    flags: tuple[str, ...] = ()
    device: str = ""
    harness: str = ""
    files: str = ""
    toolchain: str = ""
    plugins: str = ""

    def texts(self) -> dict[str, str]:
        """One text a field, as the store keeps them."""
        texts = {f.name: _text(getattr(self, f.name)) for f in fields(self)}
        return {name: text for name, text in texts.items() if text or name not in OPTIONAL}

    def changed(self, now: Identity) -> list[str]:
        """The fields that are different `now`."""
        old, new = self.texts(), now.texts()
        names = [*old, *(name for name in new if name not in old and name not in ADDED)]
        same = _version_text(self.compiler) == _version_text(now.compiler)
        return [name for name in names if old.get(name) != new.get(name) and not (name == "compiler" and same)]

    def changes(self, now: Identity) -> list[str]:
        """Differences from `now` for users: `compiler: gcc 12.2.0 -> gcc 13.1.0`. Empty if nothing is stale."""
        old, new = self.texts(), now.texts()
        return [f"{name}: {_format_field(old, name)} -> {_format_field(new, name)}" for name in self.changed(now)]


def differences(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """A line for each entry that differs, in the order of `old`, then what is new."""
    names = [*old, *(name for name in new if name not in old)]
    return [
        f"{name}: {_format_field(old, name)} -> {_format_field(new, name)}"
        for name in names
        if old.get(name) != new.get(name)
    ]


def _version_text(compiler: str) -> str:
    """Version text of a compiler without the name of its command, which gcc repeats: `cc` and `gcc` are the same."""
    return re.sub(r"^(?:[\w.]+-)*g?cc(?:-[\d.]+)? (?=\()", "", compiler)


def _text(value: object) -> str:
    return " ".join(value) if isinstance(value, tuple) else str(value)


def _format_field(texts: Mapping[str, str], name: str) -> str:
    value = re.sub(r"\b(sha256:[0-9a-f]{12})[0-9a-f]+", r"\1…", texts.get(name, ""))
    return value or "(none)"


def source_hash(text: str) -> str:
    return "sha256:" + hashlib.sha256(encoded(text)).hexdigest()
