"""Namespaces of its own for a program: it sees and reaches no processes, shared memory and mounts but its own.

With CAP_SYS_ADMIN they are made at once, otherwise in a user namespace in which this user is himself.
"""

from __future__ import annotations

import ctypes
import os

from tunepass.evaluators.process.supervisor.kernel import PR_SET_PDEATHSIG, libc, prctl

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
else:
    import _signal as signal  # `signal` brings `enum`, which takes as long to import as all the rest

NEW_MOUNT, NEW_IPC, NEW_USER, NEW_PID = 0x00020000, 0x08000000, 0x10000000, 0x20000000
MS_NOSUID, MS_NODEV, MS_REC, MS_PRIVATE = 2, 4, 0x4000, 0x40000
SHARED, MOST_SHARED = "/dev/shm", 8 << 30


def enter(protection: str, trust: str, memory_bytes: int | None = None) -> str:
    """Enter what `protection` names; whoever is forked next is in it. The protection that is in force then: where the
    kernel refuses namespaces now, "broker". Their /dev/shm, of that size at most, ends with them. OSError where the
    user cannot be kept in them, or nothing be mounted: a probe finds that out."""
    if protection not in ("namespaces", "user_namespaces"):
        return protection
    if trust == "tool":
        entered = protection == "namespaces" and libc.unshare(NEW_PID) == 0
        return protection if entered else "supervisor"
    user, group = os.geteuid(), os.getegid()
    new_user = NEW_USER if protection == "user_namespaces" else 0
    if libc.unshare(new_user | NEW_PID | NEW_IPC | NEW_MOUNT) != 0:
        return "broker"
    if new_user:
        stay_oneself(user, group)
    mount("none", "/", "", MS_REC | MS_PRIVATE)
    if os.path.isdir(SHARED):
        mount("tmpfs", SHARED, "tmpfs", MS_NOSUID | MS_NODEV, f"mode=1777,size={memory_bytes or MOST_SHARED}")
    return protection


def stay_oneself(user: int, group: int) -> None:
    """Map this user and his group to themselves, and nobody else."""
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        descriptor = os.open(f"/proc/self/{name}", os.O_WRONLY)
        os.write(descriptor, text.encode())
        os.close(descriptor)


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    if libc.mount(source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data.encode()) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"cannot mount {target}: {os.strerror(number)}")


def first_process() -> int:
    """The pid of a PID namespace's first process, which only reaps; its end kills all others in one stroke."""
    init = os.fork()
    if init == 0:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        os.closerange(0, 256)
        while True:
            signal.pause()
    return init
