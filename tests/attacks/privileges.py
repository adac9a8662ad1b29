"""The privileges a build is attacked with: root's, a user's, and a user's where user namespaces are refused."""

from __future__ import annotations

import ctypes
import os
import platform
import struct

MODES = ("with", "without", "bare")  # `bare`: without, and user namespaces are refused
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 24, 38, 22, 2
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, EPERM = 0x7FFF0000, 0x00050001
UNSHARE = {"x86_64": 272, "aarch64": 97}
CLONE_NEWUSER = 0x10000000
libc = ctypes.CDLL(None, use_errno=True)


class Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def give_up(mode: str, user: int) -> None:
    """In the process that becomes the build; nothing of the privileges can be had back."""
    if mode == "with":
        return
    for capability in range(64):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if mode == "bare":
        refuse_user_namespaces()


def refuse_user_namespaces() -> None:
    """unshare(CLONE_NEWUSER | ...) fails with EPERM from now on, as where the administrator forbids it."""
    code = [
        (LOAD, 0, 0, 0),  # the number of the call
        (EQUAL, 0, 3, UNSHARE[platform.machine()]),
        (LOAD, 0, 0, 16),  # its first argument's low half
        (ANY_BIT, 0, 1, CLONE_NEWUSER),
        (RETURN, 0, 0, EPERM),
        (RETURN, 0, 0, ALLOW),
    ]
    filter_ = b"".join(struct.pack("HBBI", *instruction) for instruction in code)
    program = Program(len(code), filter_)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the kernel takes no seccomp filter")
