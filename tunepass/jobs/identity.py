"""What a kernel's results depend on, and where its trials and its lock are."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from tunepass.ir.application import Application
from tunepass.ir.kernel import Kernel
from tunepass.space.space import Space
from tunepass.study.identity import Identity
from tunepass.study.lock import lock
from tunepass.study.space_description import space_hash


def source_hash(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def identity_of(kernel: Kernel, space: Space, command: tuple[str, ...]) -> Identity:
    """What the kernel's results depend on besides the configuration."""
    if isinstance(kernel.body, Application):
        from tunepass.jobs import application

        return application.identity_of(kernel, space)
    from tunepass.evaluators.process.cores import processor_name
    from tunepass.evaluators.toolchains.cc import identify
    from tunepass.frontends.c.harness.source import HARNESS_VERSION

    return Identity(
        source=source_hash(kernel.source.text),
        space=space_hash(space),
        compiler=identify(command[0]).version,
        flags=command[1:],
        device=processor_name(),
        harness=str(HARNESS_VERSION),
    )


def lock_key(source: str | Path, kernel: str) -> str:
    """`matmul.c::matmul`."""
    return f"{Path(source).name}::{kernel}"


def lock_path(source: str | Path) -> Path:
    """The lock of the folder that holds the source."""
    return Path(source).parent / lock.NAME


def store_path(source: str | Path, named: str | None) -> Path:
    """`--store`, else TUNEPASS_STORE, else `.tunepass/store.db` beside the source."""
    chosen = named or os.environ.get("TUNEPASS_STORE")
    return Path(chosen.removeprefix("sqlite:///")) if chosen else Path(source).parent / ".tunepass" / "store.db"
