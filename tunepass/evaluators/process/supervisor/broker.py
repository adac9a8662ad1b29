"""Decides a program's system calls that name other processes, and remembers what would stay behind.

Where there are no namespaces, a program's filter hands such calls to the supervisor (seccomp_unotify(2)). A process may
be signalled, traced or scheduled by its own family alone. System V objects are made here on its behalf, and of names
under /dev/shm and of POSIX queues it is noted whether they are new, so that all of it can be removed at the end.
A hostile program can change a path after it was read here: then something stays behind, and nothing else.
"""

from __future__ import annotations

import _socket
import ctypes
import fcntl
import os
import struct

from tunepass.evaluators.process.supervisor.descendants import descendants, group_leader
from tunepass.evaluators.process.supervisor.filters import GETTING, NAMES, NAMING, OPENING
from tunepass.evaluators.process.supervisor.folders import remove_folder
from tunepass.evaluators.process.supervisor.kernel import call, libc, number
from tunepass.evaluators.process.supervisor.namespaces import SHARED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

RECEIVE, SEND = 0xC0502100, 0xC0182101  # ioctls of linux/seccomp.h
NOTIFICATION = struct.Struct("=QII iIQ6Q")  # id, pid, flags; number, architecture, pointer, six arguments
ANSWER = struct.Struct("=QqiI")
GO_ON = 1  # SECCOMP_USER_NOTIF_FLAG_CONTINUE
EPERM, IPC_RMID, AT_FDCWD, LONGEST_PATH = 1, 0, -100, 4096


def hand_over(listener: int, channel: _socket.socket) -> None:
    """In the program's process: give the listening descriptor to the supervisor."""
    channel.sendmsg([b"."], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("i", listener))])
    os.close(listener)


def take_over(channel: _socket.socket) -> int:
    """The listening descriptor; -1 when the program's process ended before it could give it."""
    _, ancillary, _, _ = channel.recvmsg(1, _socket.CMSG_SPACE(4))
    return struct.unpack("i", ancillary[0][2])[0] if ancillary else -1


class Broker:
    """Answers on one listening descriptor."""

    def __init__(self, listener: int):
        self.listener = listener
        self.calls = {number(name): name for name in (*NAMING, *GETTING, *NAMES, *OPENING)}
        self.made: set[tuple[str, int]] = set()  # System V: the call that makes it, and its identifier
        self.names: set[str] = set()
        self.queues: set[bytes] = set()

    def answer(self) -> None:
        """One call, which waits for it. A program that was killed meanwhile needs none."""
        request = bytearray(NOTIFICATION.size)
        try:
            fcntl.ioctl(self.listener, RECEIVE, request)
            identifier, pid, _, nr, _, _, *arguments = NOTIFICATION.unpack(request)
            value, error, flags = self.decide(self.calls.get(nr, ""), pid, arguments)
            fcntl.ioctl(self.listener, SEND, ANSWER.pack(identifier, value, -error, flags))
        except OSError:
            pass

    def decide(self, name: str, pid: int, arguments: list[int]) -> tuple[int, int, int]:
        """Value, errno and flags of the answer."""
        if name in GETTING:
            value, error = self.get(name, arguments)
            return value, error, 0
        if name in NAMING:
            named = ctypes.c_int(arguments[NAMING[name]]).value
            return (0, 0, GO_ON) if in_family(named) else (0, EPERM, 0)
        path_at, folder_at = NAMES[name] if name in NAMES else OPENING[name][:2]
        folder = AT_FDCWD if folder_at is None else ctypes.c_int(arguments[folder_at]).value
        self.remember(name, pid, read_text(pid, arguments[path_at]), folder)
        return 0, 0, GO_ON

    def get(self, name: str, arguments: list[int]) -> tuple[int, int]:
        """shmget, semget or msgget, made here: its value and errno."""
        key = ctypes.c_int(arguments[0]).value
        words = [ctypes.c_int(key), *(ctypes.c_size_t(word) for word in arguments[1:3])]
        nothing = [ctypes.c_int(key), ctypes.c_size_t(0), ctypes.c_size_t(0)]
        new = key == 0 or failure_of(name, nothing) == 2  # ENOENT
        try:
            value = call(name, *words)
        except OSError as error:
            return 0, error.errno or EPERM
        if new:
            self.made.add((name, value))
        return value, 0

    def remember(self, name: str, pid: int, text: bytes, folder: int) -> None:
        """A name that is about to be made, if it is new and where names stay."""
        if name == "mq_open":
            if failure_of("mq_open", [text, os.O_RDONLY | os.O_CLOEXEC, 0, None]) == 2:
                self.queues.add(text)
            return
        try:
            base = os.readlink(f"/proc/{pid}/cwd" if folder == AT_FDCWD else f"/proc/{pid}/fd/{folder}")
        except OSError:
            base = "/"
        path = os.path.normpath(os.path.join(base, os.fsdecode(text)))
        if path.startswith(SHARED + "/") and not os.path.lexists(path):
            self.names.add(path)

    def remove(self) -> None:
        """All that the program made and left."""
        for name, identifier in self.made:
            remove_object(name, identifier)
        for queue in self.queues:
            failure_of("mq_unlink", [queue])
        for path in self.names:
            if os.path.isdir(path) and not os.path.islink(path):
                remove_folder(path)
            elif os.path.lexists(path):
                os.unlink(path)


def in_family(named: int) -> bool:
    """Whether a process, a thread, or with a minus sign a group of processes, is below this one."""
    below = descendants()
    if named > 0:
        return group_leader(named) in below
    return named < -1 and any(group_of(pid) == -named for pid in below)


def group_of(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except OSError:
        return 0


def read_text(pid: int, address: int) -> bytes:
    """The text at an address of that process, up to its end; empty where it cannot be read."""
    try:
        descriptor = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        text = b""
        while b"\0" not in text and len(text) < LONGEST_PATH:
            page_end = 4096 - (address + len(text)) % 4096
            text += os.pread(descriptor, page_end, address + len(text)) or b"\0"
        return text.partition(b"\0")[0]
    except (OSError, OverflowError):
        return b""
    finally:
        os.close(descriptor)


def failure_of(name: str, arguments: Sequence[object]) -> int:
    """The errno of a call; 0 when it succeeded, and what it opened is closed."""
    try:
        value = call(name, *arguments)
    except OSError as error:
        return error.errno or EPERM
    if name == "mq_open":
        os.close(value)
    return 0


def remove_object(name: str, identifier: int) -> None:
    if name == "shmget":
        libc.shmctl(identifier, IPC_RMID, None)
    elif name == "semget":
        libc.semctl(identifier, 0, IPC_RMID)
    else:
        libc.msgctl(identifier, IPC_RMID, None)
