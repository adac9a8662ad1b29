"""Hostile programs: each costs its limit and nothing else, and nothing of it is left."""

from __future__ import annotations

import marshal
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import get_args

import pytest

from tunepass.diagnostics import EnvironmentFault, ToolError
from tunepass.evaluators.process import run as run_module
from tunepass.evaluators.process.protection import Kind, available
from tunepass.evaluators.process.run import Completed, Limits, ProgramGroup, run_limited
from tunepass.evaluators.process.supervisor.main import started
from tunepass.machine_faults import of_the_machine

LIMITS = Limits(wall_s=20)
BRIEF = Limits(wall_s=0.5)


def python(code: str, *arguments: str, limits: Limits = LIMITS, protection: Kind | None = None) -> Completed:
    if protection is not None and protection not in available()[1]:
        pytest.skip(f"this machine permits no {protection}")
    return run_limited([sys.executable, "-I", "-S", "-c", code, *arguments], limits=limits, protection=protection)


def processes_with(mark: str) -> list[int]:
    """Live processes whose command line holds `mark`."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes()
                state = (entry / "stat").read_bytes().rpartition(b")")[2].split()[0]
            except OSError:
                continue
            if mark.encode() in words and state not in (b"Z", b"X"):
                found.append(int(entry.name))
    return found


@pytest.fixture
def mark(request: pytest.FixtureRequest) -> str:
    """A word for a command line, so that a test finds its own processes only."""
    return f"tunepass-test-{os.getpid()}-{abs(hash(request.node.nodeid))}"


every = pytest.mark.parametrize("protection", get_args(Kind))


def test_a_clean_exit_is_reported_with_its_output() -> None:
    done = python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    assert (done.ended, done.returncode, done.signal) == ("exit", 3, None)
    assert (done.stdout, done.stderr, done.ok, done.log) == ("out\n", "err\n", False, "out\nerr")
    assert done.seconds > 0 and done.peak_bytes > 1 << 20


def test_stdin_is_empty_and_the_environment_is_the_one_given(tmp_path: Path) -> None:
    code = "import os, sys; print(repr(sys.stdin.read()), os.environ['A'], os.getcwd(), 'HOME' in os.environ)"
    done = run_limited([sys.executable, "-c", code], cwd=tmp_path, env={"A": "1"}, limits=LIMITS)
    assert done.stdout.split() == ["''", "1", str(tmp_path), "False"]


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(ToolError, match="cannot run no-such-compiler: No such file"):
        run_limited(["no-such-compiler"], limits=LIMITS)


@every
def test_a_hang_costs_its_limit(protection: Kind, mark: str) -> None:
    done = python("import time; time.sleep(60)", mark, limits=BRIEF, protection=protection)
    assert done.ended == "timeout" and 0.5 <= done.seconds < 30
    assert not processes_with(mark)


@every
def test_closing_its_outputs_does_not_hide_a_hang(protection: Kind, mark: str) -> None:
    code = "import os, time; os.closerange(0, 3); time.sleep(60)"
    assert python(code, mark, limits=BRIEF, protection=protection).ended == "timeout"
    assert not processes_with(mark)


def test_a_signal_is_named() -> None:
    done = python("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    assert (done.ended, done.signal, done.returncode) == ("signal", "SIGSEGV", None)


def test_a_processor_time_limit_ends_a_busy_loop() -> None:
    done = python("while True: pass", limits=Limits(wall_s=20, cpu_s=1))
    assert done.ended == "signal" and done.signal in ("SIGXCPU", "SIGKILL")


@every
@pytest.mark.parametrize("escape", ["", "os.setsid()"], ids=["child", "setsid"])
def test_children_that_outlive_their_parent_are_killed(protection: Kind, escape: str, mark: str) -> None:
    code = f"import os, time\nif os.fork() == 0:\n    {escape or 'pass'}\n    time.sleep(60)"
    done = python(code, mark, protection=protection)
    assert (done.ended, done.returncode, done.left_behind, done.ok) == ("exit", 0, 1, False)
    assert done.seconds < 30
    assert not processes_with(mark)


@every
def test_a_daemon_is_killed_at_the_time_limit(protection: Kind, mark: str) -> None:
    code = """import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    os.closerange(0, 3)
time.sleep(60)"""
    assert python(code, mark, limits=BRIEF, protection=protection).ended == "timeout"
    assert not processes_with(mark)


@every
def test_a_fork_bomb_is_stopped(protection: Kind, mark: str) -> None:
    code = """import os, time
for _ in range(7):  # 128 processes at most: a bomb that cannot go off here
    os.fork()
time.sleep(60)"""
    done = python(code, mark, limits=Limits(wall_s=10, processes=32), protection=protection)
    assert done.ended == "processes"
    assert not processes_with(mark)


@every
def test_endless_printing_is_cut(protection: Kind) -> None:
    code = "import os\nwhile True: os.write(1, b'all work and no play ' * 1000)"
    done = python(code, limits=Limits(wall_s=20, output_bytes=100_000), protection=protection)
    assert done.ended == "output" and len(done.stdout) == 100_000


def test_a_burst_over_the_cap_that_then_exits_is_cut_too() -> None:
    done = python("print('x' * 60000)", limits=Limits(wall_s=20, output_bytes=10_000))
    assert done.ended == "output" and len(done.stdout) == 10_000


def test_a_reservation_over_the_limit_fails_inside_the_program() -> None:
    code = "try: bytearray(100 << 30)\nexcept MemoryError: print('refused')"
    assert python(code).stdout == "refused\n"


def test_touching_too_much_memory_is_stopped() -> None:
    code = "import time\nheld = []\nwhile True: held.append(b'x' * (1 << 22)); time.sleep(0.002)"
    limits = Limits(wall_s=20, memory_bytes=200 << 20, limit_reservations=False)
    assert python(code, limits=limits).ended == "memory"


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    code = f"f = open({str(tmp_path / 'huge')!r}, 'wb')\nfor _ in range(100): f.write(b'x' * (1 << 20)); f.flush()"
    done = python(code, limits=Limits(wall_s=20, file_bytes=5 << 20))
    assert not done.ok and (done.signal == "SIGXFSZ" or "File too large" in done.stderr)
    assert (tmp_path / "huge").stat().st_size == 5 << 20


def test_an_interrupt_kills_the_program_and_propagates(mark: str) -> None:
    main = threading.main_thread().ident
    assert main is not None

    def interrupt() -> None:
        until = time.monotonic() + 10
        while not processes_with(mark + "-inner") and time.monotonic() < until:
            time.sleep(0.02)
        signal.pthread_kill(main, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        python("import time; time.sleep(60)", mark + "-inner")
    thread.join()
    assert not processes_with(mark)


@every
def test_when_the_caller_is_killed_the_program_goes_too(protection: Kind, mark: str) -> None:
    code = f"""import sys
from tunepass.evaluators.process import run as run_module
from tunepass.machine_faults import of_the_machine
from tunepass.evaluators.process.protection import Kind, available
from tunepass.evaluators.process.run import Limits, run_limited
run_limited([sys.executable, "-c", "import time; time.sleep(60)", {mark + "-inner"!r}], limits=Limits(wall_s=60),
            protection={protection!r})"""
    caller = subprocess.Popen([sys.executable, "-c", code])
    until = time.monotonic() + 20
    while not processes_with(mark + "-inner") and time.monotonic() < until:
        time.sleep(0.05)
    assert processes_with(mark + "-inner")
    caller.kill()
    caller.wait()
    while processes_with(mark) and time.monotonic() < until:
        time.sleep(0.02)
    assert not processes_with(mark)


def test_a_group_ends_its_own_programs_and_no_others(tmp_path: Path) -> None:
    groups, ends = (ProgramGroup(), ProgramGroup()), dict[int, object]()

    def work(number: int) -> None:
        waits = (
            "import pathlib, sys, time; pathlib.Path(sys.argv[1]).touch(); end = pathlib.Path(sys.argv[2])\n"
            "while not end.exists(): time.sleep(0.01)"
        )
        files = [str(tmp_path / name) for name in (str(number), "end")]
        try:
            ends[number] = groups[number].run(partial(python, waits, *files))
        except KeyboardInterrupt as interrupt:
            ends[number] = interrupt

    threads = [threading.Thread(target=work, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    while not ((tmp_path / "0").exists() and (tmp_path / "1").exists()):
        time.sleep(0.01)
    groups[0].stop()
    threads[0].join()
    assert isinstance(ends[0], KeyboardInterrupt) and threads[1].is_alive()
    (tmp_path / "end").touch()
    threads[1].join()
    assert isinstance(ends[1], Completed) and ends[1].returncode == 0


def test_no_zombie_is_left() -> None:
    python("import os; os.fork()")
    zombies = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_bytes().rpartition(b")")[2].split()[:2]
        except OSError:
            continue
        if state == b"Z" and int(parent) == os.getpid():
            zombies.append(stat)
    assert not zombies


@every
def test_descriptors_are_passed_on_by_number_and_close_with_the_program(protection: Kind) -> None:
    ours, theirs = socket.socketpair()
    file = os.memfd_create("results")
    code = (
        "import os; os.write(3, b'x'); os.write(4, b'kept'); print(sorted(map(int, os.listdir('/proc/self/fd')))[:-1])"
    )
    with ours, theirs:
        done = run_limited(
            [sys.executable, "-I", "-S", "-c", code],
            limits=LIMITS,
            protection=protection,
            descriptors=(theirs.fileno(), file),
        )
        theirs.close()
        assert ours.recv(9) == b"x" and ours.recv(9) == b""
    assert done.stdout == "[0, 1, 2, 3, 4]\n" and os.pread(file, 9, 0) == b"kept"
    os.close(file)


def test_what_cannot_be_set_up_is_told_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def message(cwd: Path | None = None, scratch: Path | None = None) -> str:
        with pytest.raises((ToolError, EnvironmentFault)) as caught:
            run_limited(["true"], limits=LIMITS, cwd=cwd, scratch=scratch, trust="kernel" if scratch else "program")
        assert of_the_machine(str(caught.value))
        return str(caught.value)

    (tmp_path / "file").touch()
    words = f"cannot run true: the working folder {tmp_path}/none cannot be set up: No such file"
    assert words in message(cwd=tmp_path / "none")
    assert "the temporary folder" in message(scratch=tmp_path / "file")
    assert "Not a directory" in message(scratch=tmp_path / "file")
    monkeypatch.setattr(run_module, "start_words", lambda: [str(tmp_path / "file")])
    assert f"the supervisor of programs cannot be started: {tmp_path}/file: Permission denied" in message()


@pytest.mark.parametrize("files", [10, 20, 40, 64])
def test_few_open_files_are_told_of_in_words(files: int, tmp_path: Path) -> None:
    code = (
        "import resource\nfrom tunepass.evaluators.process.run import Limits, run_limited\n"
        "from tunepass.diagnostics import TunepassError\nfrom tunepass.evaluators.process.protection import shield\n"
        f"shield()\nresource.setrlimit(resource.RLIMIT_NOFILE, ({files}, {files}))\n"
        "try: print(run_limited(['echo', 'ran'], limits=Limits(wall_s=20)).stdout)\n"
        "except TunepassError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert "Traceback" not in done.stderr and ("ran" in done.stdout or "Too many open files" in done.stdout), done


@pytest.mark.parametrize("failure", [b"", marshal.dumps((2, "No such file or directory", ""))])
def test_a_program_has_started_when_it_says_so_not_when_that_is_heard(failure: bytes) -> None:
    heard, said = os.pipe()
    os.write(said, marshal.dumps(12.5))
    os.write(said, failure)
    os.close(said)
    assert started(heard) == (12.5, failure)
    os.close(heard)


def test_one_that_died_before_has_started_when_that_is_heard() -> None:
    heard, said = os.pipe()
    os.close(said)
    before = time.monotonic()
    when, failure = started(heard)
    assert failure == b"" and before <= when <= time.monotonic()
    os.close(heard)
