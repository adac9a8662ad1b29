"""Why a lock's identity is another now: the header or the program by name, where the store knows it."""

from __future__ import annotations

from collections.abc import Mapping

from tunepass.diagnostics import StudyError
from tunepass.study.identity import Identity, differences
from tunepass.study.manifest import Manifest
from tunepass.study.storage.location import StoreLocation

WHERE = "which one, only a store that the lock was made with can tell: run `tunepass verify` where it is"
UNKNOWN = {
    "files": f"a header or another file that is read besides the source changed; {WHERE}, or look for what changed "
    "among the files that the compiler lists with -M",
    "toolchain": f"a program of the compiler, or what a flag such as -march=native means here, changed; {WHERE}",
}


def reasons(locked: Identity, now: Identity, manifests: Mapping[str, Manifest], store: StoreLocation) -> list[str]:
    """A line a difference; `manifests` are what the digests of `now` stand for."""
    old, new = locked.texts(), now.texts()
    names = locked.changed(now)
    compiled = locked.toolchain or now.toolchain
    if "compiler" in names and compiled:  # another compiler has other binaries, and headers of its own
        names = [name for name in names if name not in UNKNOWN]
    digests = {old[name]: name for name in names if name in old and new.get(name) in manifests}
    known = _stored_manifests(store, list(digests))
    lines: list[str] = []
    for name in names:
        before, after = known.get(old.get(name, "")), manifests.get(new.get(name, ""))
        if before is not None and after is not None:
            lines += before.changes(after)
        elif name in UNKNOWN and after is not None:
            lines.append(f"{name}: {UNKNOWN[name]}")
        else:
            lines += differences({name: old.get(name, "")}, {name: new.get(name, "")})
    return lines


def _stored_manifests(store: StoreLocation, digests: list[str]) -> dict[str, Manifest]:
    """Manifests in the store, by digest. Without a readable store, reasons lack the names of files."""
    if not digests:
        return {}
    try:
        with store.existing() as opened:
            manifests = {digest: opened.manifest(digest) for digest in digests} if opened else {}
    except StudyError:
        return {}
    return {digest: manifest for digest, manifest in manifests.items() if manifest is not None}
