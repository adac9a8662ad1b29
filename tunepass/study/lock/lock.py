"""tunepass.lock: the schedules chosen for the sources of one folder, meant to be committed and reviewed."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from tunepass.diagnostics import Source, StudyError
from tunepass.files import read_utf8, write_bytes
from tunepass.machine_faults import cannot
from tunepass.space.configuration import Configuration
from tunepass.study.identity import OPTIONAL, Identity
from tunepass.study.ledger import EMPTY, Check, Ledger, State, ran
from tunepass.study.lock.layout import excerpt, is_laid_out
from tunepass.study.lock.text import SIZE_LIMIT, FlowValue, LockReader, flow, parse, scalar

NAME = "tunepass.lock"
VERSION = 2  # of a lock that says what was checked; one in which no entry does has the version 1
COMMENT = (
    "# tunepass.lock: the schedules chosen for the sources in this folder. "
    "Commit it; `tunepass verify` says if it still fits.\n"
)
HEADER = f"{COMMENT}version: 1\nkernels:\n"
STATE_KEYS: Mapping[str, State] = {
    "ran": "ran",
    "not_requested": "not requested",
    "could_not_run": "could not run",
}
DIGITS = 6  # significant digits of measured numbers: more is noise, and noise does not diff well


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedObjective:
    """Gain of the choice: `default` and `chosen` in `unit`, `gain` with its confidence `interval`. `default` and
    `gain` are None when the default fails, `interval` when nothing was measured in pairs."""

    name: str
    unit: str = ""
    default: float | None
    chosen: float
    gain: float | None
    interval: tuple[float, float] | None
    evaluations: int
    pick: str = ""  # where the choice is not the best of this objective: what else it was picked for

    def __post_init__(self) -> None:
        for name in ("default", "chosen", "gain"):
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None else _rounded(value))
        if self.interval is not None:
            object.__setattr__(self, "interval", (_rounded(self.interval[0]), _rounded(self.interval[1])))


@dataclass(frozen=True, slots=True)
class Entry:
    """One kernel: the choice in parameter order, what it gained, and what that depends on. `sizes` are the choices for
    further sizes (`n=256, m=64`), where a few variants were chosen for them; `checks` is the choice's ledger, empty
    in locks of version 1."""

    choice: Configuration
    objective: LockedObjective
    identity: Identity
    sizes: Mapping[str, Configuration] = field(default_factory=dict)
    checks: Ledger = EMPTY

    def text(self, key: str) -> str:
        """The entry's lines, ready for the `kernels` mapping."""
        o, i = self.objective, self.identity
        measured: list[tuple[str, FlowValue | None]] = [
            ("name", o.name),
            ("unit", o.unit),
            ("default", o.default),
            ("chosen", o.chosen),
            ("gain", o.gain),
            ("interval", list(o.interval) if o.interval else None),
            ("evaluations", o.evaluations),
            ("pick", o.pick or None),
        ]
        objective = flow([(name, value) for name, value in measured if value is not None])
        identity = flow(
            [
                ("source", i.source),
                ("space", i.space),
                ("compiler", i.compiler),
                ("flags", list(i.flags)),
                ("device", i.device),
                (
                    "harness",
                    int(i.harness) if i.harness.isdecimal() and str(int(i.harness)) == i.harness else i.harness,
                ),
                *((name, value) for name in OPTIONAL if (value := getattr(i, name))),
            ]
        )
        return (
            f"  {scalar(key)}:\n    choice: {flow(self.choice.items())}\n"
            f"    objective: {objective}\n    identity: {identity}\n{self._checks_text()}{self._sizes_text()}"
        )

    def _checks_text(self) -> str:
        """The checks by state: names of those that ran, reasons of the others."""
        rows = {key: self.checks.of(state) for key, state in STATE_KEYS.items()}
        parts = [
            f"ledger: {self.checks.digest}",
            f"ran: [{', '.join(scalar(check.name) for check in rows.pop('ran'))}]",
        ]
        parts += [f"{key}: {flow((check.name, check.reason) for check in listed)}" for key, listed in rows.items()]
        return f"    checks: {{{', '.join(parts)}}}\n" if self.checks else ""

    def _sizes_text(self) -> str:
        chosen = ", ".join(f"{scalar(size)}: {flow(choice.items())}" for size, choice in self.sizes.items())
        return f"    sizes: {{{chosen}}}\n" if chosen else ""


@dataclass(frozen=True, slots=True)
class Lock:
    """A folder's tunepass.lock: the chosen schedules. `with_entry` leaves the text of other entries as it is.

    Args:
        entries: by kernel (`matmul.c::matmul`).

    Example:
        >>> lock = tp.Lock.read("tunepass.lock")  # an empty one without a file
        >>> len(lock.entries)
        0
        >>> tp.Lock.parse(lock.text()) == lock
        True
    """

    entries: Mapping[str, Entry] = field(default_factory=dict)
    _head: str = field(default=HEADER, repr=False, compare=False)
    _texts: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def read(cls, path: str | Path, only: str | None = None) -> Lock:
        """The lock at a path; an empty one when there is no file.

        Args:
            path: of the file.
            only: a source's name: entries of other sources may be left out, which is faster.

        Returns:
            The lock.

        Raises:
            StudyError: the file is not a lock, or is of a newer version, with the place.

        Example:
            >>> tp.Lock.read("tunepass.lock").entries
            {}
        """
        path = Path(path)
        if not os.path.lexists(path):
            return cls()
        text = read_utf8(path, SIZE_LIMIT, StudyError)
        if only is not None and (part := excerpt(text, only)) is not None:
            with contextlib.suppress(StudyError):  # the whole file knows the right line
                return cls.parse(part, str(path))
        return cls.parse(text, str(path))

    @classmethod
    def parse(cls, text: str, name: str = NAME) -> Lock:
        """The lock of a text; diagnostics call the file `name`. StudyError as for `read`."""
        source = Source(name, text)
        reader, node = LockReader(source), parse(source, laid_out=is_laid_out(text))
        listed = reader.mapping(node, "a lock")
        if "version" not in listed:
            raise reader.fail("a lock lacks `version`", node)
        version = reader.whole(listed["version"], "version")
        if version > VERSION:
            hint = "update tunepass"
            raise reader.fail(
                f"lock version {version} is newer than this tunepass knows ({VERSION})", listed["version"], hint
            )
        if version < 1:
            raise reader.fail(f"lock versions start at 1, got {version}", listed["version"])
        top = reader.record(node, "a lock", ("version", "kernels"), ("kernels",))
        kernels = top["kernels"]
        if isinstance(kernels, yaml.ScalarNode) and kernels.value in ("", "null", "~"):
            return cls()
        entries = {
            key: _entry(reader, key, value, version) for key, value in reader.mapping(kernels, "kernels").items()
        }
        return cls(entries, *_slices(text, top, kernels))

    def with_entry(self, key: str, entry: Entry) -> Lock:
        """The lock with `key` added or replaced; an entry that says the same keeps its text."""
        if self.entries.get(key) == entry:
            return self
        entries = {**self.entries, key: entry}
        texts = {k: self._texts.get(k) or e.text(k) for k, e in self.entries.items()}
        texts[key] = entry.text(key)
        return Lock({k: entries[k] for k in sorted(entries)}, self._head, texts)

    def without(self, key: str) -> Lock:
        """The lock without `key`."""
        return Lock(
            {k: e for k, e in self.entries.items() if k != key},
            self._head,
            {k: t for k, t in self._texts.items() if k != key},
        )

    def text(self) -> str:
        """Entries in the order of their keys."""
        if not self.entries:
            return HEADER.rstrip("\n") + " {}\n"
        version = VERSION if any(entry.checks for entry in self.entries.values()) else 1
        head = re.sub(r"^version: \d+$", f"version: {version}", self._head, count=1, flags=re.MULTILINE)
        return head + "".join(self._texts.get(key) or self.entries[key].text(key) for key in sorted(self.entries))

    def write(self, path: str | Path) -> None:
        """Replace the file atomically: a reader, or a crash, sees the old lock or the new one."""
        write_bytes(Path(path), self.text().encode("utf-8"), StudyError, "the old lock, if any, is untouched")


def update(path: str | Path, key: str, entry: Entry) -> Lock:
    """Read, set one entry, write: other processes that update the same lock wait, so none loses its entry."""
    path = Path(path)
    with _exclusive(path.parent):
        lock = Lock.read(path).with_entry(key, entry)
        lock.write(path)
    return lock


@contextlib.contextmanager
def _exclusive(folder: Path) -> Iterator[None]:
    """Holds the folder itself, so that no lock file of a lock file is left behind."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise cannot(f"open {folder}", error, StudyError) from error
    try:
        with contextlib.suppress(OSError):  # a file system without flock: last writer wins, never a torn file
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _entry(reader: LockReader, key: str, node: yaml.Node, version: int) -> Entry:
    parts = ("choice", "objective", "identity")
    known = (*parts, *(("checks",) if version > 1 else ()), "sizes")
    fields = reader.record(node, f"kernel {key}", known, parts)
    listed = reader.mapping(fields["sizes"], "sizes") if "sizes" in fields else {}
    return Entry(
        _choice(reader, fields["choice"]),
        _objective(reader, fields["objective"]),
        _identity(reader, fields["identity"]),
        {size: _choice(reader, choice) for size, choice in listed.items()},
        _checks(reader, fields["checks"]) if "checks" in fields else Ledger(),
    )


def _checks(reader: LockReader, node: yaml.Node) -> Ledger:
    fields = reader.record(node, "checks", ("ledger", *STATE_KEYS), ("ledger",))
    rows = [*ran(*(reader.text(item, "ran") for item in reader.items(fields["ran"], "ran")))] if "ran" in fields else []
    for key, state in STATE_KEYS.items():
        if key in fields and key != "ran":
            for name, reason in reader.mapping(fields[key], key).items():
                why = reader.text(reason, name)
                if state == "could not run" and not why:
                    raise reader.fail(f"{name} could not run for no reason", reason)
                rows.append(Check(name, state, why))
    ledger = Ledger(tuple(rows))
    if reader.text(fields["ledger"], "ledger") != ledger.digest:
        raise reader.fail("the digest `ledger` is not of these checks: somebody changed them", fields["ledger"])
    return ledger


def _choice(reader: LockReader, node: yaml.Node) -> Configuration:
    return Configuration({name: reader.value(value, name) for name, value in reader.mapping(node, "choice").items()})


def _objective(reader: LockReader, node: yaml.Node) -> LockedObjective:
    known = ("name", "unit", "default", "chosen", "gain", "interval", "evaluations", "pick")
    o = reader.record(node, "objective", known, ("name", "chosen", "evaluations"))
    ends = (
        [reader.number(end, "interval") for end in reader.items(o["interval"], "interval")] if "interval" in o else []
    )
    if "interval" in o and len(ends) != 2:
        raise reader.fail("interval must be two numbers", o["interval"])
    return LockedObjective(
        name=reader.text(o["name"], "name"),
        unit=reader.text(o["unit"], "unit") if "unit" in o else "",
        default=reader.number(o["default"], "default") if "default" in o else None,
        chosen=reader.number(o["chosen"], "chosen"),
        gain=reader.number(o["gain"], "gain") if "gain" in o else None,
        interval=(ends[0], ends[1]) if ends else None,
        evaluations=reader.whole(o["evaluations"], "evaluations"),
        pick=reader.text(o["pick"], "pick") if "pick" in o else "",
    )


def _identity(reader: LockReader, node: yaml.Node) -> Identity:
    known = ("source", "space", "compiler", "flags", "device", "harness", *OPTIONAL)
    i = reader.record(node, "identity", known, known[:2])
    texts = {name: reader.text(value, name) for name, value in i.items() if name != "flags"}
    flags = tuple(reader.text(flag, "flags") for flag in reader.items(i["flags"], "flags")) if "flags" in i else ()
    return Identity(flags=flags, **texts)


def _slices(text: str, top: Mapping[str, yaml.Node], kernels: yaml.Node) -> tuple[str, dict[str, str]]:
    """The text up to the first entry, and each entry's own lines; the standard head and no texts when the file is not
    laid out as one block of entries (then everything is written anew)."""
    if (
        not isinstance(kernels, yaml.MappingNode)
        or kernels.flow_style
        or list(top)[-1] != "kernels"
        or not text.endswith("\n")
    ):
        return HEADER, {}
    starts = [text.rfind("\n", 0, key.start_mark.index) + 1 for key, _ in kernels.value]
    if any(text[start : key.start_mark.index] != "  " for start, (key, _) in zip(starts, kernels.value)):
        return HEADER, {}
    ends = [*starts[1:], len(text)]
    return text[: starts[0]], {key.value: text[a:b] for (key, _), a, b in zip(kernels.value, starts, ends)}


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
