"""`tunepass lock sign|verify`: who vouches for a lock, and for what."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from tunepass.files import shown
from tunepass.jobs.locks.signing import BadSignature, LockSignature, sign, verify
from tunepass.reports.answer import Answer, Json, Status
from tunepass.study.lock.lock import NAME, Entry

USUAL_SIGNERS = ".ssh/allowed_signers"  # in the home folder


def run(options: argparse.Namespace) -> Answer:
    path = Path(options.path)
    path = path / NAME if path.is_dir() else path
    if options.action == "sign":
        signature_file = sign(path, Path(options.key) if options.key else None)
        return Answer(f"wrote {shown(signature_file)}", {"lock": str(path), "signature": str(signature_file)})
    signers = options.signers or os.environ.get("TUNEPASS_SIGNERS") or Path.home() / USUAL_SIGNERS
    try:
        signature = verify(path, Path(signers), options.signer)
    except BadSignature as error:
        data: Json = {"lock": str(path), "good": False, "reason": error.diagnostics[0].message}
        return Answer("", data, Status.DAMAGED, (error.diagnostics[0].render(),))
    return _answer(path, signature)


def _answer(path: Path, signature: LockSignature) -> Answer:
    lines = [f"{shown(path)}: signed by {shown(signature.signer)}, {signature.key}"]
    for key, entry in signature.lock.entries.items():
        lines += [f"  {shown(key)}", *(f"    {name:<9} {value}" for name, value in _facts(entry).items())]
    data: Json = {
        "lock": str(path),
        "good": True,
        "signer": signature.signer,
        "key": signature.key,
        "kernels": {key: _facts(entry) for key, entry in signature.lock.entries.items()},
    }
    return Answer("\n".join(lines), data)


def _facts(entry: Entry) -> dict[str, str]:
    """Facts besides the choice that the signer vouches for."""
    missed = len(entry.checks.missed)
    ledger = f"{entry.checks.digest}, {missed} could not run" if entry.checks else "none: a lock of version 1"
    return {
        "ledger": ledger,
        "compiler": shown(" ".join([entry.identity.compiler, *entry.identity.flags])),
        "machine": shown(entry.identity.device),
        "trials": str(entry.objective.evaluations),
    }
