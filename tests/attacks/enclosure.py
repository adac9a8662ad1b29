"""One attack in an enclosure of its own: what it does to processes, shared memory or files stays in there and is found.

    python -m tests.attacks.enclosure < REQUEST > RESULT      (JSON)

The enclosure is a PID, IPC and mount namespace with its own /proc, /dev/shm, queues and /tmp, so that whatever is in it
when the build has ended was left behind. An attack that is not held cannot reach the machine. Needs root.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.attacks.privileges import give_up
from tests.attacks.source import Attack

ROOT = Path(__file__).parents[2]
NEW_SPACES = 0x20000000 | 0x08000000 | 0x00020000  # CLONE_NEWPID, CLONE_NEWIPC, CLONE_NEWNS
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
MOST_BYTES = 1 << 30  # of /tmp and of /dev/shm in there
LIMIT_S = 300
DEEPEST = 60  # parts of a path
PLACE = Path("/tmp/place")
libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class Request:
    """The attack's file, and a mode of `tests.attacks.privileges`; `run` is a number no other run of now has."""

    source: str
    mode: str
    run: int


def mount(source: str, target: str, kind: str, flags: int = 0, data: str = "") -> None:
    if libc.mount(source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data.encode()) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"cannot mount {target}: {os.strerror(error)}")


def reveal(folders: list[Path]) -> None:
    """Make folders readable for any user in here although a folder above them is closed, such as /root."""
    held = [(folder, os.open(folder, os.O_PATH)) for folder in folders]
    for folder, descriptor in held:
        closed = [p for p in reversed(folder.parents) if p.exists() and not p.stat().st_mode & 0o001]
        if closed:
            mount("tmpfs", str(closed[0]), "tmpfs", 0, "mode=755")
        if not folder.exists():
            folder.mkdir(parents=True)
            mount(f"/proc/self/fd/{descriptor}", str(folder), "", MS_BIND | MS_REC)


def enclose() -> None:
    """Mounts of the enclosure, made by its first process."""
    mount("none", "/", "", MS_REC | MS_PRIVATE)
    mount("proc", "/proc", "proc")
    needed = [Path(sys.base_prefix).resolve(), ROOT]
    reveal(needed)
    hidden = [(folder, os.open(folder, os.O_PATH)) for folder in needed if folder.is_relative_to("/tmp")]
    for target in ("/dev/shm", "/tmp"):
        mount("tmpfs", target, "tmpfs", 0, f"mode=1777,size={MOST_BYTES}")
    for folder, descriptor in hidden:
        folder.mkdir(parents=True)
        mount(f"/proc/self/fd/{descriptor}", str(folder), "", MS_BIND | MS_REC)
    Path("/tmp/mqueue").mkdir()
    mount("mqueue", "/tmp/mqueue", "mqueue")


def build(request: Request, attack: Attack) -> dict[str, object]:
    """Tune the attack's source in a fresh folder; what came of it."""
    for name in ("source", "tmp", "home"):
        (PLACE / name).mkdir(parents=True)
    source = PLACE / "source" / Path(request.source).name
    source.write_text(attack.text)
    before = metadata(source)
    pid = os.fork()
    if pid == 0:
        start(request, attack, source)
    until = signal.alarm(LIMIT_S)
    status = wait_for(pid)
    signal.alarm(until)
    return {
        "status": status,
        "stdout": (PLACE / "stdout").read_text(errors="replace"),
        "stderr": (PLACE / "stderr").read_text(errors="replace"),
        "trials": trials(PLACE / "source" / "attack.db"),
        "source_changed": not source.exists() or source.read_text() != attack.text or metadata(source) != before,
        "left_behind": left_behind(source.name),
    }


def metadata(file: Path) -> tuple[object, ...]:
    """Mode, time of the last change and attributes; the owner changes as the build gives up privileges."""
    status = file.stat()
    return status.st_mode, status.st_mtime_ns, os.listxattr(file)


def start(request: Request, attack: Attack, source: Path) -> None:
    """In the forked child: give up privileges and become the build."""
    try:
        out, err = (os.open(PLACE / name, os.O_CREAT | os.O_WRONLY, 0o666) for name in ("stdout", "stderr"))
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(err, 2)
        user = 61000 + request.run % 4000
        for path in (PLACE, *PLACE.rglob("*")):
            os.chown(path, user, user)
        os.setsid()
        os.chdir(source.parent)
        give_up(request.mode, user)
        words = [*attack.options, "--store", "attack.db", "--format", "json", "--", *attack.compiler]
        os.execve(
            sys.executable,
            [sys.executable, "-m", "tunepass", "build", source.name, *words, f"-DATTACK_RUN={request.run}"],
            {"PATH": os.environ["PATH"], "HOME": str(PLACE / "home"), "TMPDIR": str(PLACE / "tmp"), "LANG": "C.UTF-8"},
        )
    except OSError as error:
        os.write(2, f"the build cannot start: {error}\n".encode())
    finally:
        os._exit(127)


def wait_for(pid: int) -> int:
    """The status of that child; reaps orphans meanwhile, as the first process of a namespace has to."""
    while True:
        ended, status = os.wait()
        if ended == pid:
            return os.waitstatus_to_exitcode(status)


def trials(store: Path) -> list[dict[str, object]]:
    """Configuration, outcome, stage and log of each trial, in the order of their numbers."""
    if not store.exists():
        return []
    with sqlite3.connect(store) as connection:
        rows = connection.execute("SELECT configuration, outcome, stage, log FROM trial ORDER BY number").fetchall()
    return [{"configuration": json.loads(c), "outcome": o, "stage": s or "", "log": log} for c, o, s, log in rows]


def left_behind(name: str) -> list[str]:
    """Whatever is in the enclosure and neither was there before nor belongs to a build that ended."""
    stem = name.rpartition(".")[0]
    results = {name, "tunepass.lock", "attack.db", *(f"out/{stem}.tuned{s}" for s in (".c", ".cpp", ".h", ".o"))}
    beside = {str(p.relative_to(PLACE / "source")) for p in below(PLACE / "source") if p.is_file() or p.is_fifo()}
    kept = [p for p in below(Path("/tmp")) if not p.is_relative_to(PLACE / "source") and not expected(p)]
    found = [f"process {e}" for e in os.listdir("/proc") if e.isdigit() and int(e) != os.getpid() and lives(e)]
    found += [f"file beside the source: {p}" for p in sorted(beside - results) if not p.startswith("attack.db-")]
    found += [f"file {p}" for p in [*kept, *Path("/dev/shm").iterdir()]]
    for kind in ("shm", "sem", "msg"):
        found += [f"SysV {kind}: {line}" for line in Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]]
    return found


def below(folder: Path) -> Iterator[Path]:
    """All that is in the folder down to a depth, but for what the enclosure itself needs, which may lie there."""
    needed, pending = (Path(sys.base_prefix).resolve(), ROOT), [folder]
    while pending:
        for path in pending.pop().iterdir():
            if path not in needed:
                if not any(n.is_relative_to(path) for n in needed):
                    yield path
                if len(path.parts) < DEEPEST and path.is_dir() and not path.is_symlink():
                    pending.append(path)


def lives(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "X"
    except OSError:
        return False


def expected(path: Path) -> bool:
    """Folders that were made here, the build's output and cache, and the files by which builds share cores."""
    cache = PLACE / "home" / ".cache"
    return (
        path in (Path("/tmp/mqueue"), PLACE, *(PLACE / name for name in ("source", "tmp", "home")), cache)
        or (path.parent == PLACE and path.name in ("stdout", "stderr"))
        or path.is_relative_to(cache / "tunepass")
        or path.name.startswith("tunepass-core-")
    )


def main() -> None:
    request = Request(**json.load(sys.stdin))
    attack = Attack.read(Path(request.source))
    if libc.unshare(NEW_SPACES) != 0:
        sys.exit("an enclosure needs root: namespaces are refused")
    inner = os.fork()
    if inner != 0:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(inner, 0)[1]))
    enclose()
    json.dump(build(request, attack), sys.stdout)
    sys.stdout.flush()
    os._exit(0)  # the end of the namespace's first process ends all others


def run_enclosed(request: Request) -> dict[str, object]:
    """The result of `main` in a process of its own. Raises RuntimeError with its words when there is none."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.attacks.enclosure"],
        input=json.dumps({"source": request.source, "mode": request.mode, "run": request.run}),
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=LIMIT_S + 60,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"the enclosure of {request.source} ended with status {done.returncode}\n{done.stderr}")
    result: dict[str, object] = json.loads(done.stdout)
    return result


if __name__ == "__main__":
    main()
