"""Signatures of locks, made and verified by the programs that people have: ssh-keygen, or minisign for its keys.

What is signed is the file, byte for byte. The bytes that are verified are those that are read: the file is read once.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from tunepass.diagnostics import StudyError, ToolError
from tunepass.files import read_utf8, scratch_folder, shown, write_bytes
from tunepass.study.lock.lock import Lock
from tunepass.study.lock.text import SIZE_LIMIT

NAMESPACE = "tunepass.lock"  # of ssh-keygen's signatures: one of a mail or a commit is none of a lock
SSH, MINISIGN = ".sig", ".minisig"  # ends of a signature's name
USUAL_KEYS = ("id_ed25519", "id_ecdsa", "id_rsa")
VERIFY_S = 20.0
HINTS = {"ssh-keygen": "apt install openssh-client", "minisign": "apt install minisign"}
PRINCIPAL = re.compile(r'^Good "tunepass\.lock" signature for (.+) with (\S+ key \S+)$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LockSignature:
    """A signature that holds: who signed, as the signers' file names him, with which key."""

    lock: Lock
    signer: str
    key: str


class BadSignature(StudyError):
    """The signature is not of this lock, or not of an allowed signer."""


def sign(path: Path, key: Path | None) -> Path:
    """Write the signature beside the lock: the file. ToolError where the key or its program does not work."""
    text = _text(path)
    secret = key or usual_key()
    is_minisign = _first_line(secret).startswith("untrusted comment: minisign")
    end = MINISIGN if is_minisign else SSH
    with scratch_folder(path.resolve().parent, StudyError) as folder:
        copy = folder / NAMESPACE
        copy.write_bytes(text.encode("utf-8"))
        if is_minisign:
            words = ["minisign", "-S", "-s", str(secret.resolve()), "-m", str(copy), "-x", f"{copy}{end}"]
        else:
            words = ["ssh-keygen", "-Y", "sign", "-f", str(secret.resolve()), "-n", NAMESPACE, str(copy)]
        done = _run(words)
        signature_file = folder / f"{NAMESPACE}{end}"
        if done.returncode != 0 or not signature_file.is_file():
            raise ToolError(f"{shown(path)} was not signed with {shown(secret)}", hint=_output(done))
        target = path.with_name(path.name + end)
        write_bytes(target, signature_file.read_bytes(), StudyError, "the old signature, if any, is untouched")
    return target


def verify(path: Path, signers: Path, signer: str | None) -> LockSignature:
    """Raises BadSignature where no allowed signer signed this very file; `signer`, if given, has to be who did."""
    text = _text(path)
    signature_file = next((f for end in (SSH, MINISIGN) if (f := path.with_name(path.name + end)).is_file()), None)
    if signature_file is None:
        raise BadSignature(f"there is no signature of {shown(path)}", hint="`tunepass lock sign` makes one")
    if not signers.is_file():
        raise StudyError(f"there is no file {shown(signers)} of allowed signers", hint=SIGNERS_HINT)
    lock = Lock.parse(text, str(path))
    if signature_file.suffix == MINISIGN:
        return _verify_minisign(lock, text, path, signature_file, signers)
    return _verify_ssh(lock, text, path, signature_file, signers, signer)


SIGNERS_HINT = "ssh-keygen(1), ALLOWED SIGNERS, says how it looks; of minisign it is the public key"


def usual_key() -> Path:
    """The user's own key of ssh."""
    folder = Path.home() / ".ssh"
    key = next((folder / name for name in USUAL_KEYS if (folder / name).is_file()), None)
    if key is None:
        raise StudyError(f"there is no key to sign with in {shown(folder)}", hint="name one with --key FILE")
    return key


def _verify_ssh(
    lock: Lock, text: str, path: Path, signature_file: Path, signers: Path, signer: str | None
) -> LockSignature:
    common = ["-f", str(signers.resolve()), "-n", NAMESPACE, "-s", str(signature_file.resolve())]
    if signer is None:
        listed = _run(["ssh-keygen", "-Y", "find-principals", *common[:2], *common[4:]])
        signer = next(iter(listed.stdout.decode(errors="replace").splitlines()), "") if listed.returncode == 0 else ""
        if not signer:
            raise BadSignature(f"{shown(path)}: {shown(signers)} does not name who signed it", hint=_output(listed))
    done = _run(["ssh-keygen", "-Y", "verify", "-I", signer, *common], text.encode("utf-8"))
    match = PRINCIPAL.search(done.stdout.decode(errors="replace"))
    if done.returncode != 0 or match is None:
        raise BadSignature(f"{shown(path)}: its signature is not good", hint=_output(done))
    return LockSignature(lock, match[1], match[2])


def _verify_minisign(lock: Lock, text: str, path: Path, signature_file: Path, signers: Path) -> LockSignature:
    with scratch_folder(path.resolve().parent, StudyError) as folder:
        copy = folder / NAMESPACE
        copy.write_bytes(text.encode("utf-8"))
        words = ["minisign", "-V", "-p", str(signers.resolve()), "-m", str(copy), "-x", str(signature_file.resolve())]
        done = _run(words)
    if done.returncode != 0:
        raise BadSignature(f"{shown(path)}: its signature is not good", hint=_output(done))
    return LockSignature(lock, signers.name, "minisign key")


def _text(path: Path) -> str:
    if not os.path.lexists(path):
        raise StudyError(f"there is no {shown(path)}", hint="`tunepass build SOURCE` makes one, or name a lock")
    text = read_utf8(path, SIZE_LIMIT, StudyError)
    Lock.parse(text, str(path))
    return text


def _first_line(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.readline(200).decode(errors="replace")
    except OSError as error:
        raise StudyError(f"cannot read the key {shown(path)}: {error.strerror}") from None


def _run(words: Sequence[str], given: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """A program found on PATH. Without `given` it may ask for a passphrase."""
    program = which(words[0])
    if program is None:
        raise ToolError(f"there is no {words[0]}", hint=HINTS[words[0]])
    environment = {**os.environ, "LC_ALL": "C"}
    patience = None if given is None else VERIFY_S
    try:
        return subprocess.run(
            [program, *words[1:]], input=given, capture_output=True, env=environment, timeout=patience, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolError(f"{words[0]} cannot be run: {error}") from None


def _output(done: subprocess.CompletedProcess[bytes]) -> str:
    """Its output, errors first."""
    return "\n".join(part.decode(errors="replace").strip() for part in (done.stderr, done.stdout) if part.strip())
