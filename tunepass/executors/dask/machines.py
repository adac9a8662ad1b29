"""Workers by machine: measurements of one study are those of machines of one identity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import TunepassError
from tunepass.executors.dask.exchange import Rejected
from tunepass.study.identity import differences


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """The machine of a worker: `identity` is what results depend on there, `description` tells a client that lacks its
    device of it."""

    address: str
    host: str
    pid: int
    identity: Mapping[str, str]
    description: str = ""

    def fits(self, identity: Mapping[str, str], choice: str) -> bool:
        """Has it the identity, and what the user chose by?"""
        return self.identity == identity and self.has(choice)

    def has(self, choice: str) -> bool:
        """Is the text in its host's name, its processor or its compiler? All have the empty one."""
        return any(choice in text for text in (self.host, *map(self._field, ("device", "compiler"))))

    def _field(self, name: str) -> str:
        return self.identity.get(name, "")


def machine_of(value: object, address: str) -> tuple[Machine, tuple[str, ...]]:
    """The machine and the capabilities of an opened evaluator. Raises Rejected."""
    match value:
        case {
            "host": str(host),
            "pid": int(pid),
            "identity": dict(identity),
            "capabilities": list(kinds),
            "description": str(description),
        }:
            texts = [*identity, *identity.values(), *kinds]
            if all(isinstance(text, str) for text in texts):
                machine = Machine(address=address, host=host, pid=pid, identity=identity, description=description)
                return machine, tuple(kinds)
    raise Rejected("an opened evaluator has a host, an identity, capabilities and a description")


def version_of(value: object) -> tuple[str, str]:
    """A worker's version of tunepass, and its host. Raises Rejected."""
    match value:
        case {"version": str(version), "host": str(host)}:
            return version, host
    raise Rejected("a worker answers with its version and its host")


VERSION_HINT = "install the same version of tunepass on all workers and here"


def other_version(address: str, host: str, theirs: str, ours: str) -> TunepassError:
    """The error of a worker with another version."""
    return TunepassError(f"worker {address} on {host} has tunepass {theirs}, here it is {ours}", hint=VERSION_HINT)


def chosen_machines(machines: Sequence[Machine], choice: str) -> Mapping[str, str]:
    """The identity of the machines to use. Raises TunepassError where there are several, or none is chosen."""
    chosen = [machine for machine in machines if machine.has(choice)]
    if not chosen:
        raise TunepassError(
            f"no worker's host, processor or compiler has {choice!r} in it", hint=f"there are: {_listed(machines)}"
        )
    first = chosen[0].identity
    other = next((machine for machine in chosen if machine.identity != first), None)
    if other is None:
        return first
    raise TunepassError(
        f"the workers are machines of several identities, whose measurements are never mixed: {_listed(chosen)}; "
        f"{'; '.join(differences(first, other.identity))}",
        hint="choose some by a part of their host's name, processor or compiler: --machine TEXT",
    )


def _listed(machines: Sequence[Machine]) -> str:
    """Each group of machines with its hosts."""
    groups: dict[tuple[str, ...], list[Machine]] = {}
    for machine in machines:
        groups.setdefault(tuple(machine.identity.values()), []).append(machine)
    return ", ".join(
        f"{len(group)} x {group[0].identity.get('device') or 'unnamed processor'} "
        f"({', '.join(sorted({machine.host for machine in group})[:3])})"
        for group in groups.values()
    )
