"""What a program under trial can do to the build, to others and to what comes after it, under every protection."""

from __future__ import annotations

import ctypes
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import get_args

import pytest

from tunepass.evaluators.process.protection import Kind, Protection, Trust, available
from tunepass.evaluators.process.run import Completed, Limits, run_limited
from tunepass.evaluators.process.supervisor.kernel import number

LIMITS = Limits(wall_s=20)
MANAGED: tuple[Kind, ...] = ("namespaces", "user_namespaces", "broker")  # those that keep processes apart
managed = pytest.mark.parametrize("protection", MANAGED)
END = {"exit": "", "kill": "os.kill(os.getpid(), 9)", "timeout": "time.sleep(60)"}
SYSCALL = "import ctypes; call = ctypes.CDLL(None, use_errno=True).syscall\n"


def python(
    code: str, folder: Path, protection: Kind, trust: Trust = "kernel", limits: Limits = LIMITS, **env: str
) -> Completed:
    if protection not in available()[1]:
        pytest.skip(f"this machine permits no {protection}")
    words = [sys.executable, "-I", "-S", "-B", "-c", code]
    place = folder / "place"
    place.mkdir(exist_ok=True)
    return run_limited(
        words, limits=limits, cwd=place, scratch=place, trust=trust, protection=protection, env={**os.environ, **env}
    )


def needs_landlock(version: int) -> None:
    if available()[0].landlock < version:
        pytest.skip(f"this kernel has no Landlock of version {version}")


@managed
@pytest.mark.parametrize("trust", ["program", "kernel"])
def test_nobody_else_is_signalled_traced_or_slowed(protection: Kind, trust: Trust, tmp_path: Path) -> None:
    code = """
import ctypes, os, signal, sys
victim, ptrace = int(os.environ["VICTIM"]), ctypes.CDLL(None).ptrace
for act in (lambda: os.kill(victim, 9), lambda: os.kill(victim, 19), lambda: os.killpg(victim, 9),
            lambda: os.kill(-1, 9),
            lambda: os.setpriority(os.PRIO_PROCESS, victim, 19), lambda: os.sched_setaffinity(victim, [0]),
            lambda: os.setpriority(os.PRIO_USER, 0, 19) if os.getuid() else None,
            lambda: ptrace(0x4206, victim, 0, 0), lambda: os.write(os.open(f"/proc/{victim}/mem", os.O_RDWR), b"x")):
    try: act()
    except OSError: pass
print("tried")
"""
    victim = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        before = os.sched_getaffinity(victim.pid), os.getpriority(os.PRIO_PROCESS, victim.pid)
        assert python(code, tmp_path, protection, trust, VICTIM=str(victim.pid)).stdout == "tried\n"
        time.sleep(0.02)
        assert victim.poll() is None
        state = Path(f"/proc/{victim.pid}/status").read_text()
        assert "State:\tS" in state and "TracerPid:\t0" in state
        assert (os.sched_getaffinity(victim.pid), os.getpriority(os.PRIO_PROCESS, victim.pid)) == before
    finally:
        victim.kill()
        victim.wait()


@managed
@pytest.mark.parametrize("trust", ["program", "kernel"])
def test_its_own_processes_are_its_own_business(protection: Kind, trust: Trust, tmp_path: Path) -> None:
    code = """
import os, signal, time
child = os.fork()
if child == 0:
    os.setsid()
    time.sleep(60)
os.setpriority(os.PRIO_PROCESS, child, 19)
time.sleep(0.05)
os.kill(child, 15); print(os.waitpid(child, 0)[1], flush=True)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    time.sleep(60)
time.sleep(0.05)
os.killpg(child, 9); print(os.waitpid(child, 0)[1], flush=True)
os.sched_setaffinity(0, os.sched_getaffinity(0)); os.kill(os.getpid(), signal.SIGABRT)
"""
    done = python(code, tmp_path, protection, trust)
    assert (done.stdout, done.signal) == ("15\n9\n", "SIGABRT"), done


@managed
@pytest.mark.parametrize("end", ["exit", "kill", "timeout"])
def test_shared_memory_semaphores_and_messages_end_with_it(protection: Kind, end: str, tmp_path: Path) -> None:
    key = 0x74000000 + os.getpid()
    name = f"tunepass-test-{os.getpid()}"
    code = f"""
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
made = [libc.shmget({key}, 4096, 0o1600), libc.semget({key}, 4, 0o1600)] + [libc.msgget({key}, 0o1600)]
made += [libc.shmget(0, 4096, 0o1600), libc.semget(0, 1, 0o1600), libc.msgget(0, 0o1600)]
made += [libc.shmget({key}, 4096, 0o600)]
open("/dev/shm/{name}", "w").write("x"); os.link("/dev/shm/{name}", "/dev/shm/{name}-link")
os.mkdir("/dev/shm/{name}-folder"); open("/dev/shm/{name}-folder/file", "w")
print(min(made) >= 0, flush=True)
{END[end]}
"""
    kept = Path(f"/dev/shm/{name}-of-another")
    kept.touch()
    before = {kind: Path(f"/proc/sysvipc/{kind}").read_text() for kind in ("shm", "sem", "msg")}
    limits = Limits(wall_s=0.6 if end == "timeout" else 20)
    try:
        assert python(code, tmp_path, protection, limits=limits).stdout == "True\n"
        for kind, text in before.items():
            mine = {line.split()[1] for line in Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]}
            assert str(key) not in mine and mine <= {line.split()[1] for line in text.splitlines()[1:]}
        assert [p.name for p in Path("/dev/shm").glob(f"{name}*")] == [kept.name]
    finally:
        kept.unlink()


@managed
def test_posix_queues_end_with_it(protection: Kind, tmp_path: Path) -> None:
    name = f"/tunepass-test-{os.getpid()}".encode()
    code = f"import ctypes; print(ctypes.CDLL(None).mq_open({name!r}, {os.O_CREAT | os.O_RDWR}, 0o600, None) >= 0)"
    assert python(code, tmp_path, protection, "program").stdout == "True\n"
    assert ctypes.CDLL(None).mq_unlink(name) == -1


def test_what_others_share_is_kept(tmp_path: Path) -> None:
    name = Path(f"/dev/shm/tunepass-test-{os.getpid()}-kept")
    name.write_text("theirs")
    try:
        done = python(f"print(open({str(name)!r}, 'a+').write('x'))", tmp_path, "broker", "program")
        assert done.stdout == "1\n" and name.exists()
    finally:
        name.unlink()


@managed
def test_a_kernel_writes_in_its_folder_alone(protection: Kind, tmp_path: Path) -> None:
    needs_landlock(3)
    code = f"""
import os, tempfile
tempfile.TemporaryFile().write(b"x"); open("here", "w"); open("/dev/null", "w"); open("/dev/shm/x-{os.getpid()}", "w")
for act in (lambda: open("../there", "w"), lambda: os.unlink("../kept"), lambda: os.truncate("../kept", 0),
            lambda: os.mkfifo("../fifo"), lambda: os.rename("../kept", "kept"), lambda: os.rmdir(os.getcwd())):
    try: act()
    except OSError: continue
    print("done")
"""
    (tmp_path / "kept").write_text("kept")
    done = python(code, tmp_path, protection)
    assert (done.stdout, done.stderr, done.ok) == ("", "", True)
    assert (tmp_path / "kept").read_text() == "kept" and sorted(os.listdir(tmp_path)) == ["kept", "place"]


@managed
def test_a_program_of_the_user_writes_where_he_may(protection: Kind, tmp_path: Path) -> None:
    done = python("open('../there', 'w'); import socket; socket.socket().close()", tmp_path, protection, "program")
    assert done.ok and (tmp_path / "there").exists()


@pytest.mark.parametrize("protection", get_args(Kind))
@pytest.mark.parametrize(
    "attempt",
    [
        "__import__('_socket').socket()",
        "__import__('_socket').socketpair()",
        "fail(call(248, b'user', b'tunepass-test', b'x', 1, -4))",
        "fail(call(272, 0x10000000))",
        "fail(call(425, 8, 0))",
        "fail(call(101, 16, os.getppid() or 1, 0, 0))",
    ],
    ids=["network", "socket_pairs", "keys", "namespaces", "io_uring", "trace"],
)
def test_a_kernel_is_refused_what_it_has_no_business_with(protection: Kind, attempt: str, tmp_path: Path) -> None:
    if not available()[0].filter or os.uname().machine != "x86_64":
        pytest.skip("the numbers of calls are those of another machine, or there are no filters")
    code = (
        SYSCALL + "import os\ndef fail(value):\n    if value < 0: raise OSError(ctypes.get_errno(), 'refused')\n"
        f"try: {attempt}; print('done')\nexcept OSError as error: print(error.errno)"
    )
    assert python(code, tmp_path, protection).stdout == "1\n"


FILE = "b'../kept'"
METADATA = {  # name: x86-64's call, which would change something of `../kept`
    "chmod": f"call(90, {FILE}, 0o4777)",
    "fchmod": "call(91, fd, 0o4777)",
    "fchmodat": f"call(268, -100, {FILE}, 0o4777)",
    "fchmodat2": f"call(452, -100, {FILE}, 0o4777, 0)",
    "chown": f"call(92, {FILE}, 0, 12345)",
    "fchown": "call(93, fd, 0, 12345)",
    "lchown": f"call(94, {FILE}, 0, 12345)",
    "fchownat": f"call(260, -100, {FILE}, 0, 12345, 0)",
    "utime": f"call(132, {FILE}, past)",
    "utimes": f"call(235, {FILE}, past)",
    "utimensat": f"call(280, -100, {FILE}, past, 0)",
    "futimesat": f"call(261, -100, {FILE}, past)",
    "setxattr": f"call(188, {FILE}, b'user.left', b'x', 1, 0)",
    "fsetxattr": "call(190, fd, b'user.left', b'x', 1, 0)",
    "setxattrat": f"call(463, -100, {FILE}, 0, b'user.left', 0, 0)",
    "removexattr": f"call(197, {FILE}, b'user.kept')",
    "flags": "call(16, fd, 0x40086602, past)",
    "attributes": "call(16, fd, 0x401C5820, past)",
    "memfd_secret": "call(447, 0)",
}


@pytest.mark.parametrize("protection", get_args(Kind))
def test_a_kernel_changes_nothing_of_a_file_of_the_user(protection: Kind, tmp_path: Path) -> None:
    if not available()[0].filter or os.uname().machine != "x86_64":
        pytest.skip("the numbers of calls are those of another machine, or there are no filters")
    kept = tmp_path / "kept"
    kept.write_text("kept")
    attempts = "\n".join(f"print({name!r}, {code}, ctypes.get_errno())" for name, code in METADATA.items())
    prepared = "import os\nfd = os.open('../kept', os.O_RDONLY)\npast = ctypes.create_string_buffer(32)\n"
    code = SYSCALL + prepared + attempts
    before = kept.stat()
    done = python(code, tmp_path, protection)
    assert done.stdout.splitlines() == [f"{name} -1 1" for name in METADATA], done.stderr
    assert kept.stat() == before and not os.listxattr(kept)


def test_a_kernel_without_namespaces_and_a_broker_makes_no_objects_that_stay(tmp_path: Path) -> None:
    if not available()[0].filter or os.uname().machine != "x86_64":
        pytest.skip("the numbers of calls are those of another machine, or there are no filters")
    needs_landlock(1)
    key, name = 0x74000000 + os.getpid(), f"/dev/shm/tunepass-test-{os.getpid()}-stays"
    code = f"""{SYSCALL}import os
libc = ctypes.CDLL(None)
print(libc.shmget({key}, 4096, 0o1600), libc.semget({key}, 1, 0o1600), libc.msgget({key}, 0o1600))
print(libc.mq_open(b"/tunepass-stays", {os.O_CREAT | os.O_RDWR}, 0o600, None))
try: open({name!r}, "w")
except OSError as error: print(error.errno)
"""
    try:
        assert python(code, tmp_path, "supervisor").stdout == "-1 -1 -1\n-1\n13\n"
    finally:
        Path(name).unlink(missing_ok=True)


@pytest.mark.parametrize("protection", MANAGED)
def test_a_kernel_that_starts_no_processes_is_killed_where_it_does(protection: Kind, tmp_path: Path) -> None:
    def run(words: str, *, starts_processes: bool) -> Completed:
        limits = Limits(wall_s=10)
        command = [sys.executable, "-c", words]
        return run_limited(
            command,
            limits=limits,
            trust="kernel",
            scratch=tmp_path,
            protection=protection,
            starts_processes=starts_processes,
        )

    thread = "import threading; thread = threading.Thread(target=print); thread.start(); thread.join()"
    assert run(thread, starts_processes=False).ok
    fork = "import os; os.waitpid(os.fork() or os._exit(0), 0)"
    assert run(fork, starts_processes=False).signal == "SIGSYS" and run(fork, starts_processes=True).ok
    sibling = "import ctypes; c = ctypes.CDLL(None, use_errno=True); "
    sibling += f"assert c.syscall({number('clone')}, 0x8000 | 17, 0, 0, 0, 0) == -1 and ctypes.get_errno() == 1"
    assert run(sibling, starts_processes=False).signal == "SIGSYS" and run(sibling, starts_processes=True).ok


def test_root_runs_a_kernel_in_a_folder_of_another_owner(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives a folder to another")
    place = tmp_path / "place"
    place.mkdir(mode=0o700)
    os.chown(place, 12345, 12345)
    (place / "input").write_text("read")
    os.chown(place / "input", 12345, 12345)
    os.chmod(place / "input", 0o600)
    code = "print(open('input').read()); open(__import__('os').environ['TMPDIR'] + '/f', 'w')"
    done = python(code, tmp_path, "namespaces")
    assert (done.stdout, done.ok) == ("read\n", True), done.stderr


@managed
def test_temporary_files_end_with_whatever_made_them(protection: Kind, tmp_path: Path) -> None:
    code = """import os
print(os.environ['TMPDIR'], flush=True)
open(os.environ['TMPDIR'] + '/f', 'w')
os.kill(os.getpid(), 9)"""
    for trust in get_args(Trust):
        done = python(code, tmp_path, protection, trust)
        folder = Path(done.stdout.strip())
        assert folder.parent == tmp_path / "place" and not folder.exists()


@managed
def test_the_name_of_temporary_files_is_as_long_whatever_the_process(protection: Kind, tmp_path: Path) -> None:
    """Counted instructions depend on the length of the environment."""
    folder = Path(python("print(__import__('os').environ['TMPDIR'])", tmp_path, protection, "kernel").stdout.strip())
    assert re.fullmatch(r"tmp-\d{7}", folder.name)


def test_the_temporary_files_of_a_tool_go_when_the_build_is_killed(tmp_path: Path) -> None:
    code = "import os, time; open(os.environ['TMPDIR'] + '/f', 'w'); time.sleep(60)"
    caller = subprocess.Popen(
        [
            *(sys.executable, "-c"),
            "import sys; from tunepass.evaluators.process.run import Limits, run_limited\n"
            f"run_limited([sys.executable, '-c', {code!r}], limits=Limits(wall_s=60), trust='tool',"
            f" scratch={str(tmp_path)!r})",
        ]
    )
    until = time.monotonic() + 20
    while not list(tmp_path.glob("*/f")) and time.monotonic() < until:
        time.sleep(0.02)
    assert list(tmp_path.glob("*/f"))
    caller.kill()
    caller.wait()
    while list(tmp_path.iterdir()) and time.monotonic() < until:
        time.sleep(0.02)
    assert not list(tmp_path.iterdir())


@managed
def test_orphans_of_a_kernel_stay_below_it(protection: Kind, tmp_path: Path) -> None:
    """So that the outside clock sees who works for it; it cannot let them go."""
    code = f"""{SYSCALL}
import os, time
refused = call({number("prctl")}, 36, 0, 0, 0, 0)
child = os.fork()
if child == 0:
    if os.fork() == 0: time.sleep(60)
    os._exit(0)
os.waitpid(child, 0)
print(refused, [open(f"/proc/self/task/{{t}}/children").read().count(" ") for t in os.listdir("/proc/self/task")])
"""
    done = python(code, tmp_path, protection)
    assert (done.stdout.split(), done.left_behind) == (["-1", "[1]"], 1), done.stderr


@managed
def test_files_that_fill_the_disk_are_stopped(protection: Kind, tmp_path: Path) -> None:
    code = "import time\nfor i in range(90): open(str(i), 'wb').write(b'x' * 1000000)\ntime.sleep(60)"
    assert python(code, tmp_path, protection, limits=Limits(wall_s=20, file_bytes=20 << 20)).ended == "disk"


def test_too_many_threads_are_stopped(tmp_path: Path) -> None:
    code = "import _thread, time\nfor _ in range(40): _thread.start_new_thread(time.sleep, (60,))\ntime.sleep(60)"
    limits = Limits(wall_s=20, threads=20)
    assert python(code, tmp_path, "broker", limits=limits).ended == "processes"


def test_roots_candidates_keep_no_power_over_the_machine(tmp_path: Path) -> None:
    code = "print([line.split()[1] for line in open('/proc/self/status') if line.startswith('CapEff')][0])"
    kept = int(python(code, tmp_path, "namespaces").stdout, 16)
    assert kept & ~((1 << 2) | (1 << 14)) == 0  # to read files, and memory that stays resident


def test_what_there_is_is_found_out_by_doing_it() -> None:
    strongest, kinds = available()
    assert isinstance(strongest, Protection) and strongest.kind == kinds[0] and kinds[-1] == "supervisor"
    json.dumps(kinds)


@pytest.mark.parametrize("refused", ["unshare", "mount"])
def test_where_namespaces_are_refused_a_supervisor_decides(refused: str) -> None:
    if "broker" not in available()[1]:
        pytest.skip("this machine has no filters that a supervisor could decide for")
    code = f"""
from tunepass.evaluators.process.supervisor.confinement import filter_calls
from tunepass.evaluators.process.supervisor.filters import ALLOW, EPERM, assemble, returning, start, when
filter_calls(assemble([*start(ALLOW), *when({refused!r}, returning(EPERM)), returning(ALLOW)]), listen=False)
from tunepass.evaluators.process.protection import available
from tunepass.evaluators.process.run import Limits, run_limited
print(available()[1], run_limited(["echo", "it runs"], limits=Limits(wall_s=9)).stdout)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "('broker', 'supervisor') it runs", done.stderr


TERMINALS = """
import glob, os
for name in ["/dev/tty", "/dev/ptmx", "/dev/pts/ptmx", *glob.glob("/dev/pts/[0-9]*")]:
    try: os.open(name, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK); print(name)
    except OSError: pass
"""


@managed
def test_a_kernel_writes_to_no_terminal(protection: Kind, tmp_path: Path) -> None:
    needs_landlock(1)
    ours, theirs = os.openpty()
    try:
        done = python(TERMINALS, tmp_path, protection)
        assert (done.stdout, done.stderr, done.ok) == ("", "", True)
    finally:
        os.close(ours)
        os.close(theirs)


# TIOCGWINSZ and TIOCGSID of a terminal; TCGETS, by which programs find out whether they have one.
REQUESTS = """
import fcntl, os
def ask(name, request):
    try: return len(fcntl.ioctl(os.open(name, os.O_RDONLY | os.O_NOCTTY), request, bytes(8)))
    except OSError as error: return error.errno
print(ask(os.environ["TERMINAL"], 0x5413), ask(os.environ["TERMINAL"], 0x5429), ask("/dev/null", 0x5401))
"""


@managed
def test_a_kernel_asks_nothing_of_other_devices(protection: Kind, tmp_path: Path) -> None:
    needs_landlock(5)
    ours, theirs = os.openpty()
    try:
        done = python(REQUESTS, tmp_path, protection, TERMINAL=os.ttyname(theirs))
        assert done.stdout == "13 13 25\n", done
    finally:
        os.close(ours)
        os.close(theirs)


def test_where_landlock_knows_no_requests_a_filter_lets_those_of_computing_devices_through() -> None:
    if not available()[0].filter:
        pytest.skip("there are no filters")
    asked = (0x5401, 0xC0106446, 0xC02A4621, 0x4B01, 0x4C82, 0x1261, 0x5412, 0xAE01, 0x40086602)
    code = f"""
import fcntl, os
from tunepass.evaluators.process.supervisor.confinement import filter_calls
from tunepass.evaluators.process.supervisor.filters import call_filter
null = os.open(os.devnull, os.O_RDWR)
filter_calls(call_filter("kernel", broker=False, requests=False), listen=False)
for request in {asked}:
    try: fcntl.ioctl(null, request, bytes(64))
    except OSError as error: print(error.errno, end=" ")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "25 25 25 25 1 1 1 1 1 ", done.stderr


def test_a_kernel_without_a_folder_is_refused() -> None:
    with pytest.raises(ValueError, match="folder"):
        run_limited(["true"], limits=LIMITS, trust="kernel")
