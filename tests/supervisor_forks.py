"""Supervisors of programs are forked by one server for the tests: to start a Python takes longer than most runs.

Tests of the supervisor itself start it as a build does, and so does every process that is no test's own or forked one.
"""

from __future__ import annotations

import functools
import marshal
import os
import resource
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from tunepass.evaluators.process import run
from tunepass.evaluators.process.protection import START, start_words

SERVER = Path(__file__).with_name("supervisor_server.py")
LIMITS = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]
start_as_builds_do = run.start_supervisor


def fork_supervisors() -> None:
    """From here on, in this process and those it forks."""
    run.start_supervisor = _fork  # type: ignore[assignment]


@functools.cache
def server() -> tuple[socket.socket, list[str], object]:
    """The socket on which it is told what to fork, the words that start a supervisor, and the surroundings then."""
    channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    words = start_words()
    with theirs:
        subprocess.Popen([*words[:-1], SERVER, START], stdin=theirs, stdout=subprocess.DEVNULL, start_new_session=True)
    return channel, words, _surroundings()


def _fork(descriptors: Sequence[int]) -> subprocess.Popen[bytes] | ForkedSupervisor:
    channel, words, surroundings = server()
    if start_words() != words or _surroundings() != surroundings:
        return start_as_builds_do(descriptors)
    try:
        forked = ForkedSupervisor(channel, descriptors)
    except ConnectionError:  # somebody ended the server
        return start_as_builds_do(descriptors)
    sys.audit("subprocess.Popen", words[0], words, None, None)  # as if it had been started
    return forked


def _surroundings() -> object:
    """What a program inherits from whoever starts it, but its files, folder and environment."""
    with open("/proc/thread-self/status") as status:
        owned = [line for line in status if line.startswith(("Uid", "Gid", "Groups", "Umask", "Cap", "Seccomp:"))]
    limits = [resource.getrlimit(limit) for limit in LIMITS]
    return owned, limits, os.sched_getaffinity(0), os.getpriority(os.PRIO_PROCESS, 0)


class ForkedSupervisor:
    """What `run_limited` uses of a Popen."""

    def __init__(self, channel: socket.socket, descriptors: Sequence[int]):
        request, stdin = os.pipe()
        stdout, reply = os.pipe()
        stderr, complaint = os.pipe()
        self._ended, lasting = os.pipe()
        self.stdin: IO[bytes] = open(stdin, "wb")  # noqa: SIM115 (closed by whoever uses them)
        self.stdout: IO[bytes] = open(stdout, "rb")  # noqa: SIM115
        self.stderr: IO[bytes] = open(stderr, "rb")  # noqa: SIM115
        numbers = marshal.dumps((0, 1, 2, *descriptors))
        try:
            socket.send_fds(channel, [numbers], [request, reply, complaint, *descriptors, lasting])
        except OSError:
            self.stdin.close(), self.stdout.close(), self.stderr.close(), os.close(self._ended)
            raise
        finally:
            for file in (request, reply, complaint, lasting):
                os.close(file)

    def wait(self) -> None:
        """Until the process has closed all its files, which it does when it ends."""
        os.read(self._ended, 1)
        os.close(self._ended)
