"""What this machine's kernel permits, found out by doing it in processes of their own."""

from __future__ import annotations

import os

from tunepass.evaluators.process.supervisor import confinement, namespaces
from tunepass.evaluators.process.supervisor.filters import assemble, returning, start
from tunepass.evaluators.process.supervisor.kernel import COLUMN, linux_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ALLOW = 0x7FFF0000
GO_ON_SINCE = (5, 5)  # the Linux since which a broker can let a call go on


def probe() -> dict[str, object]:
    """Can namespaces be entered with this user's privileges, and in a user namespace, are filters and brokers taken;
    Landlock's version."""
    return {
        "namespaces": works(lambda: namespaces.enter("namespaces", "kernel") == "namespaces"),
        "user_namespaces": works(lambda: namespaces.enter("user_namespaces", "kernel") == "user_namespaces"),
        "filter": COLUMN is not None and works(lambda: load(listen=False)),
        "broker": COLUMN is not None and works(lambda: load(listen=True)) and linux_version() >= GO_ON_SINCE,
        "landlock": confinement.landlock_version(),
    }


def works(action: Callable[[], bool]) -> bool:
    """In a child, which then forks once, as a supervisor does."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if action():
                grandchild = os.fork()
                if grandchild == 0:
                    os._exit(0)
                status = os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1])
        except OSError:
            pass
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


def load(*, listen: bool) -> bool:
    descriptor = confinement.filter_calls(assemble([*start(ALLOW), returning(ALLOW)]), listen=listen)
    return descriptor > 0 if listen else descriptor == 0
