"""The system calls that have no function in Python, by their numbers on this machine."""

from __future__ import annotations

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 22, 24
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38

# Linux's tables arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h: x86-64, AArch64.
# None: the architecture has no such call, only its newer forms.
CALLS: dict[str, tuple[int | None, int | None]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "alarm": (37, None),
    "bpf": (321, 280),
    "capset": (126, 91),
    "chmod": (90, None),
    "chown": (92, None),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "clone": (56, 220),
    "clone3": (435, 435),
    "creat": (85, None),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "file_setattr": (469, 469),
    "finit_module": (313, 273),
    "fork": (57, None),
    "fremovexattr": (199, 16),
    "fsconfig": (431, 431),
    "fsetxattr": (190, 7),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "futimesat": (261, None),
    "init_module": (175, 105),
    "io_uring_setup": (425, 425),
    "ioctl": (16, 29),
    "ioperm": (173, None),
    "iopl": (172, None),
    "ioprio_set": (251, 30),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "kill": (62, 129),
    "landlock_add_rule": (445, 445),
    "landlock_create_ruleset": (444, 444),
    "landlock_restrict_self": (446, 446),
    "lchown": (94, None),
    "link": (86, None),
    "linkat": (265, 37),
    "lremovexattr": (198, 15),
    "lsetxattr": (189, 6),
    "memfd_secret": (447, 447),
    "migrate_pages": (256, 238),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "mknod": (133, None),
    "mknodat": (259, 33),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "msgget": (68, 186),
    "open": (2, None),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "openat": (257, 56),
    "openat2": (437, 437),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434),
    "pivot_root": (155, 41),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "reboot": (169, 142),
    "removexattr": (197, 14),
    "removexattrat": (466, 466),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "request_key": (249, 218),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "seccomp": (317, 277),
    "semget": (64, 190),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setitimer": (38, 103),
    "setns": (308, 268),
    "setpriority": (141, 140),
    "settimeofday": (164, 170),
    "setxattr": (188, 5),
    "setxattrat": (463, 463),
    "shmget": (29, 194),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "symlink": (88, None),
    "symlinkat": (266, 36),
    "syslog": (103, 116),
    "tgkill": (234, 131),
    "timer_create": (222, 107),
    "tkill": (200, 130),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "utime": (132, None),
    "utimensat": (280, 88),
    "utimes": (235, None),
    "vfork": (58, None),
    "vhangup": (153, 58),
}
MACHINE = os.uname().machine
COLUMN = {"x86_64": 0, "aarch64": 1}.get(MACHINE)
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


def number(call: str) -> int | None:
    """None where this architecture lacks the call, or is one that is not in the table."""
    return None if COLUMN is None else CALLS[call][COLUMN]


def call(name: str, *arguments: object) -> int:
    """The call's value; OSError with its errno when it fails, ENOSYS where its number is not known."""
    nr = number(name)
    if nr is None:
        raise OSError(38, f"{name} is not known here")
    value: int = libc.syscall(ctypes.c_long(nr), *arguments)
    if value < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
    return value


def prctl(option: int, value: int = 0) -> int:
    """0, or -1 where the kernel refuses."""
    result: int = libc.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0))
    return result


def linux_version() -> tuple[int, ...]:
    """Major and minor."""
    return tuple(int(word) for word in os.uname().release.split("-")[0].split(".")[:2] if word.isdigit())
