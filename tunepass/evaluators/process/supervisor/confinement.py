"""What a program gives up for good before it starts: resources, capabilities, writing elsewhere, and system calls."""

from __future__ import annotations

import ctypes
import os
import resource
import struct

from tunepass.evaluators.process.supervisor.kernel import PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, call, prctl
from tunepass.evaluators.process.supervisor.request import RunRequest

# Capabilities (linux/capability.h) that root's programs keep: kernels to read files and to keep memory resident, the
# user's own commands also to change files.
CHOWN, DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER, FSETID, KILL, SETGID, SETUID = range(8)
NET_BIND_SERVICE, NET_RAW, IPC_LOCK, SYS_CHROOT, SYS_NICE, PERFMON, LAST = 10, 13, 14, 18, 23, 38, 63
KERNEL_KEEPS = {DAC_READ_SEARCH, IPC_LOCK}
OF_FILES = {CHOWN, DAC_OVERRIDE, FOWNER, FSETID}
OF_ITSELF = {KILL, SETGID, SETUID, NET_BIND_SERVICE, NET_RAW, SYS_CHROOT, SYS_NICE, PERFMON}
PROGRAM_KEEPS = KERNEL_KEEPS | OF_FILES | OF_ITSELF

# linux/landlock.h
WRITE_FILE, MAKE_CHAR, MAKE_BLOCK, REFER, TRUNCATE, IOCTL_DEV = 1 << 1, 1 << 6, 1 << 11, 1 << 13, 1 << 14, 1 << 15
REMOVE_AND_MAKE = sum(1 << bit for bit in range(4, 13))
TCP, SCOPES = 0b11, 0b11  # bind and connect; abstract Unix sockets and signals
RULE_PATH_BENEATH, VERSION = 1, 1
REQUESTS_SINCE = 5  # the version of Landlock since which requests to devices (ioctl) are a right
WRITABLE = ("null", "zero", "full", "random", "urandom", "shm", "dri", "kfd", "accel")  # no terminals
WRITABLE_PREFIX = ("nvidia", "mali", "infiniband")  # devices that kernels compute on
SECCOMP_SET_MODE_FILTER, SPEC_ALLOW, NEW_LISTENER = 1, 1 << 2, 1 << 3


def set_limits(request: RunRequest, *, count_processes: bool) -> None:
    """`count_processes`: the kernel counts those of the user namespace alone, so that others' do not matter."""

    def limit(kind: int, value: int | None) -> None:
        if value is not None:
            hard = resource.getrlimit(kind)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (value, value))

    limit(resource.RLIMIT_CORE, 0)
    if request.limit_reservations:
        limit(resource.RLIMIT_DATA, request.memory_bytes)
    limit(resource.RLIMIT_FSIZE, request.file_bytes)
    if count_processes:
        limit(resource.RLIMIT_NPROC, request.processes + request.threads)
    if request.cpu_s is not None:
        limit(resource.RLIMIT_CPU, max(1, int(request.cpu_s + 0.999)))


def drop_capabilities(trust: str) -> None:
    """Of those that root's program would have; others' programs have none."""
    keeps = KERNEL_KEEPS if trust == "kernel" else PROGRAM_KEEPS
    for capability in range(LAST + 1):
        if capability not in keeps:
            prctl(PR_CAPBSET_DROP, capability)
    prctl(PR_SET_NO_NEW_PRIVS, 1)


# --- Landlock ----------------------------------------------------------------------------------------------------


def landlock_version() -> int:
    """0 where the kernel has none."""
    try:
        return call("landlock_create_ruleset", None, ctypes.c_size_t(0), VERSION)
    except OSError:
        return 0


def keeps_requests() -> bool:
    """Does Landlock keep kernels from requests (ioctl) to other devices than those that they may write?"""
    return landlock_version() >= REQUESTS_SINCE


def restrict_writing(folder: str | None, *, shared: bool = True) -> bool:
    """From here on only what is below `folder` and some devices are written, only these devices take requests (ioctl),
    and nothing outside is signalled, traced or connected to, as far as this kernel knows these rights. None: writing
    stays as it is. `shared`: so is /dev/shm, where it does not outlive the program. False without Landlock."""
    version = landlock_version()
    if version == 0:
        return False
    written = WRITE_FILE | REMOVE_AND_MAKE | (REFER if version >= 2 else 0) | (TRUNCATE if version >= 3 else 0)
    requests = IOCTL_DEV if version >= REQUESTS_SINCE else 0
    handled = MAKE_CHAR | MAKE_BLOCK if folder is None else written | requests
    attributes = struct.pack("QQQ", handled, 0 if folder is None else TCP, SCOPES)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = call("landlock_create_ruleset", attributes, ctypes.c_size_t(size), 0)
    if folder is not None:
        allow(rules, folder, written)
        for name in os.listdir("/dev"):
            if (name in WRITABLE or name.startswith(WRITABLE_PREFIX)) and (shared or name != "shm"):
                allow(rules, f"/dev/{name}", written | requests)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    call("landlock_restrict_self", rules, 0)
    os.close(rules)
    return True


def allow(rules: int, path: str, rights: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    on_a_file = WRITE_FILE | TRUNCATE | IOCTL_DEV
    attributes = struct.pack("=Qi", rights if os.path.isdir(path) else rights & on_a_file, descriptor)
    call("landlock_add_rule", rules, RULE_PATH_BENEATH, attributes, 0)
    os.close(descriptor)


# --- system calls ------------------------------------------------------------------------------------------------


class FilterProgram(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


def filter_calls(code: bytes, *, listen: bool) -> int:
    """Load a filter; the descriptor on which a broker listens, or 0. OSError where the kernel takes none. Measured code
    runs as fast as without: SPEC_ALLOW leaves out mitigations that older kernels tie to filters."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    program = FilterProgram(len(code) // 8, code)
    flags = SPEC_ALLOW | (NEW_LISTENER if listen else 0)
    return call("seccomp", SECCOMP_SET_MODE_FILTER, flags, ctypes.byref(program))


def is_64_bit(program: str, path: str) -> bool:
    """Filters are written for it: a 32-bit program numbers its calls differently."""
    candidates = [program] if "/" in program else [os.path.join(p, program) for p in path.split(":")]
    for name in candidates:
        try:
            with open(name, "rb") as file:
                head = file.read(5)
        except OSError:
            continue
        return head[:4] != b"\x7fELF" or head[4] == 2
    return True
