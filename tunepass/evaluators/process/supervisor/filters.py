"""Filters of system calls, as the kernel's small machine (linux/filter.h) reads them.

Refused calls fail with EPERM, so that honest programs which only try (OpenMP's and MPI's runtimes do) go on.
"""

from __future__ import annotations

import os
import struct

from tunepass.evaluators.process.supervisor.kernel import AUDIT_ARCH, MACHINE, PR_SET_CHILD_SUBREAPER, number

LOAD, EQUAL, ANY_BIT, RETURN, AND = 0x20, 0x15, 0x45, 0x06, 0x54
AT_NUMBER, AT_ARCH, AT_ARGUMENTS = 0, 4, 16
ALLOW, EPERM, ENOSYS, NOTIFY, KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x7FC00000, 0x80000000
X32_BIT = 0x40000000
# CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID, NET; NEWTIME, which clone() has no bit for
NEW_SPACES, NEW_TIME = 0x7E020000, 0x80
CLONE_VM, CLONE_VFORK, CLONE_PARENT, CLONE_THREAD = 0x100, 0x4000, 0x8000, 0x10000
O_CREAT = os.O_CREAT

# What a kernel has no business with. Whoever is not root would be refused most of it anyway.
REFUSED = (
    *("ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "process_madvise", "process_mrelease", "kcmp"),
    *("keyctl", "add_key", "request_key", "io_uring_setup", "bpf", "perf_event_open", "userfaultfd"),
    *("socket", "socketpair"),  # one of a pair may send datagrams to any name
    *("mount", "umount2", "pivot_root", "chroot", "setns", "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount"),
    *("fspick", "mount_setattr", "open_by_handle_at", "fanotify_init", "quotactl", "acct", "swapon", "swapoff"),
    *("reboot", "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "iopl", "ioperm"),
    # Of files other than their contents: for those Landlock knows no rights.
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "utime", "utimes"),
    *("utimensat", "futimesat", "setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr"),
    *("fremovexattr", "removexattrat", "file_setattr", "memfd_secret"),
    *("timer_create", "setitimer", "alarm"),  # what interrupts it may do its work where nobody looks
    *("settimeofday", "clock_settime", "clock_adjtime", "sethostname", "setdomainname", "vhangup", "syslog"),
)
# Requests of ioctl that change a file's flags or attributes (fs.h, fsverity.h, fscrypt.h, msdos_fs.h of linux/):
# FS_IOC_SETFLAGS of 64 and 32 bits, FS_IOC_SETVERSION, FS_IOC_FSSETXATTR, FS_IOC_ENABLE_VERITY,
# FS_IOC_SET_ENCRYPTION_POLICY, FAT_IOCTL_SET_ATTRIBUTES.
FLAG_REQUESTS = (0x40086602, 0x40046602, 0x40087602, 0x401C5820, 0x40806685, 0x800C6613, 0x40047211)
# Requests of ioctl that need no device which kernels compute on (asm-generic/ioctls.h): TCGETS and TCGETS2, TIOCGPGRP,
# TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, FIOASYNC.
HARMLESS_REQUESTS = (0x5401, 0x802C542A, 0x540F, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x5452)
# Types of requests of such devices, their second byte: nvidia-uvm's, InfiniBand's, nvidia's, amdkfd's, DRM's, Mali's.
COMPUTING_REQUESTS = (0x00, 0x1B, 0x46, 0x4B, 0x64, 0x80)
# Calls that name a process or a thread: the argument that does. Zero is the caller or his group.
NAMING = {
    **dict.fromkeys(("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open", "prlimit64"), 0),
    **dict.fromkeys(("process_vm_readv", "process_vm_writev", "migrate_pages", "move_pages"), 0),
    **dict.fromkeys(("sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr"), 0),
    **dict.fromkeys(("ptrace", "setpriority", "ioprio_set"), 1),
}
OF_A_USER = (("setpriority", 2), ("ioprio_set", 3))  # PRIO_USER, IOPRIO_WHO_USER: all processes of a user
GETTING = ("shmget", "semget", "msgget")
# Calls that make a name: the argument that is the path, and the one that is its folder's descriptor, if there is one.
NAMES: dict[str, tuple[int, int | None]] = {
    **dict.fromkeys(("creat", "mkdir", "mknod"), (0, None)),
    **dict.fromkeys(("link", "rename", "symlink"), (1, None)),
    **dict.fromkeys(("mkdirat", "mknodat"), (1, 0)),
    **dict.fromkeys(("linkat", "renameat", "renameat2"), (3, 2)),
    "symlinkat": (2, 1),
}
# The same if the flags, the argument given, have O_CREAT.
OPENING: dict[str, tuple[int, int | None, int]] = {"open": (0, None, 1), "openat": (1, 0, 2), "mq_open": (0, None, 1)}

Instruction = tuple[int, int, int, int]


def instruction(code: int, operand: int, on_true: int = 0, on_false: int = 0) -> Instruction:
    return code, on_true, on_false, operand


def when(call: str, *then: Instruction) -> list[Instruction]:
    """`then`, which has to return in all cases, if that is the call; nothing where the architecture lacks it."""
    nr = number(call)
    return [] if nr is None else [instruction(EQUAL, nr, 0, len(then)), *then]


def decide(argument: int, code: int, operand: int, on_true: int, on_false: int) -> tuple[Instruction, ...]:
    """Compare the low half of an argument."""
    return (
        instruction(LOAD, AT_ARGUMENTS + 8 * argument),
        instruction(code, operand, 0, 1),
        instruction(RETURN, on_true),
        instruction(RETURN, on_false),
    )


def refuse(argument: int, value: int) -> tuple[Instruction, ...]:
    """Return EPERM if the argument is that value."""
    return instruction(LOAD, AT_ARGUMENTS + 8 * argument), instruction(EQUAL, value, 0, 1), returning(EPERM)


def refuse_any(argument: int, values: tuple[int, ...]) -> tuple[Instruction, ...]:
    """EPERM if the low half of the argument is one of the values, else ALLOW."""
    load = instruction(LOAD, AT_ARGUMENTS + 8 * argument)
    tests = (step for value in values for step in (instruction(EQUAL, value, 0, 1), returning(EPERM)))
    return load, *tests, returning(ALLOW)


def refuse_others(argument: int, values: tuple[int, ...], types: tuple[int, ...]) -> tuple[Instruction, ...]:
    """EPERM unless the low half of the argument is one of the values, or its second byte one of the types."""
    load = instruction(LOAD, AT_ARGUMENTS + 8 * argument)
    tests = [step for value in values for step in (instruction(EQUAL, value, 0, 1), returning(ALLOW))]
    tests += [instruction(AND, 0xFF00)]
    tests += [step for kind in types for step in (instruction(EQUAL, kind << 8, 0, 1), returning(ALLOW))]
    return load, *tests, returning(EPERM)


def returning(value: int) -> Instruction:
    return instruction(RETURN, value)


# Neither new namespaces nor a process that shares the memory and goes on beside its parent: it would be no thread of
# the program, whose processor time counts, and could do a thread's work. A spawned one has its parent wait for it. Nor
# a sibling, which nobody finds below the program; a thread's parent is its process's in any case.
CLONING = (
    instruction(LOAD, AT_ARGUMENTS),
    instruction(ANY_BIT, NEW_SPACES, 0, 1),
    returning(EPERM),
    instruction(ANY_BIT, CLONE_THREAD, 0, 1),
    returning(ALLOW),
    instruction(ANY_BIT, CLONE_PARENT, 0, 1),
    returning(EPERM),
    instruction(ANY_BIT, CLONE_VM, 0, 2),
    instruction(ANY_BIT, CLONE_VFORK, 1, 0),
    returning(EPERM),
    returning(ALLOW),
)
# No process at all: it may go on when its parent's clock has stopped, and work for whoever made it. Whoever starts one
# is killed (SIGSYS), so that this is seen.
ONLY_THREADS = (
    instruction(LOAD, AT_ARGUMENTS),
    instruction(ANY_BIT, NEW_SPACES, 0, 1),
    returning(EPERM),
    instruction(ANY_BIT, CLONE_THREAD, 0, 1),
    returning(ALLOW),
    returning(KILL),
)


def assemble(instructions: list[Instruction]) -> bytes:
    return b"".join(struct.pack("HBBI", *one) for one in instructions)


def start(foreign: int) -> list[Instruction]:
    """Calls of another architecture's programs end with `foreign`; the number is loaded for what follows."""
    return [
        instruction(LOAD, AT_ARCH),
        instruction(EQUAL, AUDIT_ARCH[MACHINE], 1, 0),
        returning(foreign),
        instruction(LOAD, AT_NUMBER),
        *([instruction(ANY_BIT, X32_BIT, 0, 1), returning(ENOSYS)] if MACHINE == "x86_64" else []),
    ]


def call_filter(
    trust: str, *, broker: bool, alone: bool = True, starts_processes: bool = True, requests: bool = True
) -> bytes:
    """For a kernel what it has no business with; with a broker what names other processes or could stay behind. With
    neither a broker nor namespaces (`alone`) a kernel makes no objects that could stay behind. A kernel that may not
    start processes (`starts_processes`) is killed where it tries. Without `requests` it makes none but those of devices
    that compute."""
    program = start(EPERM if trust == "kernel" else ALLOW)
    if trust == "kernel":
        for name in REFUSED:
            program += when(name, returning(EPERM))
        program += when("prctl", *refuse(0, PR_SET_CHILD_SUBREAPER), returning(ALLOW))
        limited = () if requests else refuse_others(1, HARMLESS_REQUESTS, COMPUTING_REQUESTS)
        program += when("ioctl", *(limited or refuse_any(1, FLAG_REQUESTS)))
        if not (alone or broker):
            for name in GETTING:
                program += when(name, returning(EPERM))
            program += when("mq_open", *decide(1, ANY_BIT, O_CREAT, EPERM, ALLOW))
        program += when("clone", *(CLONING if starts_processes else ONLY_THREADS))
        for name in () if starts_processes else ("fork", "vfork"):
            program += when(name, returning(KILL))
        program += when("unshare", *decide(0, ANY_BIT, NEW_SPACES | NEW_TIME, EPERM, ALLOW))
        program += when("clone3", returning(ENOSYS))  # its flags are in memory; libraries go on with clone
    if broker:
        for name, which in OF_A_USER:
            program += when(name, *refuse(0, which), *decide(1, EQUAL, 0, ALLOW, NOTIFY))
        for name, argument in NAMING.items():
            program += when(name, *decide(argument, EQUAL, 0, ALLOW, NOTIFY))
        for name in (*GETTING, *NAMES):
            program += when(name, returning(NOTIFY))
        for name, (_, _, flags) in OPENING.items():
            program += when(name, *decide(flags, ANY_BIT, O_CREAT, NOTIFY, ALLOW))
        program += when("openat2", returning(ENOSYS))
    return assemble([*program, returning(ALLOW)])
