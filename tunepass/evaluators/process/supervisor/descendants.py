"""The processes below this one, as /proc tells of them."""

from __future__ import annotations

import os

PAGE = os.sysconf("SC_PAGE_SIZE")
HAS_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def children_of(pid: int) -> list[int]:
    """Children of every thread of `pid`; empty when it is gone."""
    children: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as file:
                children += [int(word) for word in file.read().split()]
    except OSError:
        pass
    return children


def parents_by_scan() -> dict[int, list[int]]:
    """Parent -> children over all of /proc, for kernels without `children` files."""
    tree: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", "rb") as file:
                    fields = file.read().rpartition(b")")[2].split()
            except OSError:
                continue
            tree.setdefault(int(fields[1]), []).append(int(entry))
    return tree


def descendants() -> list[int]:
    """Every process below this one, zombies included, parents first."""
    tree = None if HAS_CHILDREN else parents_by_scan()
    pids: list[int] = []
    front = [os.getpid()]
    while front:
        pid = front.pop()
        below = children_of(pid) if tree is None else tree.get(pid, [])
        pids += below
        front += below
    return pids


def state_of(pid: int) -> tuple[str, int, int]:
    """State letter, threads and resident bytes of a process; ("X", 0, 0) when it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return "X", 0, 0
    return fields[0].decode(), int(fields[17]), int(fields[21]) * PAGE


def group_leader(thread: int) -> int:
    """The process that a thread belongs to; 0 when it is gone."""
    try:
        with open(f"/proc/{thread}/status") as file:
            return next(int(line[5:]) for line in file if line.startswith("Tgid:"))
    except (OSError, StopIteration):
        return 0


def send(pid: int, number: int) -> None:
    try:  # noqa: SIM105 (importing contextlib takes longer than all of this)
        os.kill(pid, number)
    except OSError:
        pass
