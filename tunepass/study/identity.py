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
    """All that a result depends on besides the configuration. A lock whose identity changed is stale.

    Args:
        source: a hash of the text.
        space: a hash of the parameters and constraints.
        compiler: what the compiler says of itself.
        flags: of the compiler.
        device: what the kernel runs on or is priced for.
        harness: the version of the program around the kernel.
        files: a digest of the files that were read besides the source; empty: not compared.
        toolchain: a digest of the programs that compile it; empty: not compared.
        plugins: packages, with versions, of the frontend, backend, hardware model or device.

    Example:
        >>> old, new = (tp.Identity(source="sha256:1", space="sha256:2", compiler=c) for c in ("gcc 12", "gcc 13"))
        >>> old.changes(new)
        ['compiler: gcc 12 -> gcc 13']
    """

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
    """The hash of a source, for an Identity.

    Args:
        text: the source.

    Returns:
        `sha256:` and its hexadecimal digest.

    Example:
        >>> extension.source_hash("int x;")[:15]
        'sha256:...'
    """
    return "sha256:" + hashlib.sha256(encoded(text)).hexdigest()
