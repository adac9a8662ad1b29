"""How a running search is shown: one live panel on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, TextIO

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

HEARTBEAT_S = 10.0  # a plain log says that the search is alive at least this often


class Snapshot(Protocol):
    """What a display needs of a search's progress (tunepass.tuning.result.Progress)."""

    @property
    def phase(self) -> str: ...
    @property
    def evaluations(self) -> int: ...
    @property
    def max_evals(self) -> int | None: ...
    @property
    def elapsed_s(self) -> float: ...
    @property
    def budget_s(self) -> float | None: ...
    @property
    def best_value(self) -> float | None: ...
    @property
    def unit(self) -> str: ...
    @property
    def gain(self) -> float | None: ...
    @property
    def improved(self) -> bool: ...
    @property
    def best_text(self) -> str: ...
    @property
    def failures(self) -> Mapping[str, int]: ...


class Display(Protocol):
    """Shows snapshots for as long as it is entered."""

    def __call__(self, snapshot: Snapshot, /) -> None: ...
    def __enter__(self) -> Display: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class PlainDisplay:
    """A line for each improvement, for the first failure of each kind, and every ten seconds."""

    def __init__(self, stream: TextIO, title: str, opening: str = ""):
        self.stream, self.title, self.opening = stream, title, opening
        self.said_s = 0.0
        self.kinds: frozenset[str] = frozenset()

    def __enter__(self) -> PlainDisplay:
        if self.opening:
            self.stream.write(f"{self.title}   {self.opening}\n")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stream.flush()

    def __call__(self, snapshot: Snapshot, /) -> None:
        new_kind = not self.kinds.issuperset(snapshot.failures)
        if not (snapshot.improved or new_kind or snapshot.elapsed_s - self.said_s >= HEARTBEAT_S):
            return
        self.said_s, self.kinds = snapshot.elapsed_s, frozenset(snapshot.failures)
        star = "* " if snapshot.improved else "  "
        parts = [f"{self.title} {star}{snapshot.evaluations} evaluated", best_line(snapshot), failure_line(snapshot)]
        parts.append(time_line(snapshot))
        self.stream.write("; ".join(part for part in parts if part) + "\n")
        self.stream.flush()


class LiveDisplay:
    """A panel that redraws itself in place, on stderr."""

    def __init__(self, stream: TextIO, title: str, opening: str = ""):
        from rich.console import Console
        from rich.live import Live

        self.title, self.opening = title, opening
        self.live: Live = Live(console=Console(file=stream), refresh_per_second=4, transient=True)

    def __enter__(self) -> LiveDisplay:
        self.live.start()
        if self.opening:
            self.live.console.print(f"{self.title}   {self.opening}", markup=False, highlight=False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.live.stop()

    def __call__(self, snapshot: Snapshot, /) -> None:
        self.live.update(panel(self.title, snapshot))


def panel(title: str, snapshot: Snapshot) -> Table:
    """The live picture as a rich table; all text is plain, so that a `[` in it is not markup."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    limit = f" of {snapshot.max_evals}" if snapshot.max_evals else ""
    rows = [
        (title, "measuring the finalists again" if snapshot.phase == "finalists" else "searching"),
        ("evaluated", f"{snapshot.evaluations}{limit}"),
        ("best so far", best_line(snapshot).removeprefix("best ") or "-"),
        ("with", snapshot.best_text or "-"),
        ("failures", failure_line(snapshot) or "none"),
        ("time", time_line(snapshot)),
    ]
    for name, value in rows:
        table.add_row(Text(name, style="bold" if name == title else "dim"), Text(value))
    return table


def open_display(stream: TextIO, title: str, opening: str = "", *, terminal: bool) -> Display:
    """`opening` is said once, before the first evaluation."""
    return LiveDisplay(stream, title, opening) if terminal else PlainDisplay(stream, title, opening)


def best_line(snapshot: Snapshot) -> str:
    if snapshot.best_value is None:
        return ""
    gain = "" if snapshot.gain is None else f", {snapshot.gain:.2f}x the default"
    return f"best {snapshot.best_value:.4g} {snapshot.unit}".rstrip() + gain


def failure_line(snapshot: Snapshot) -> str:
    if not snapshot.failures:
        return ""
    return "failed: " + ", ".join(f"{count} {kind}" for kind, count in snapshot.failures.items())


def time_line(snapshot: Snapshot) -> str:
    if snapshot.budget_s is None:
        return f"{clock_text(snapshot.elapsed_s)} so far"
    return f"{clock_text(max(0.0, snapshot.budget_s - snapshot.elapsed_s))} left"


def clock_text(seconds: float) -> str:
    whole = int(seconds + 0.5)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
