"""How a running search is shown: one live panel on a terminal, plain lines elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Protocol, TextIO

from tunepass.search.result import Progress

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

HEARTBEAT_S = 10.0  # a plain log says that the search is alive at least this often


class Display(Protocol):
    """Shows progress for as long as it is entered."""

    def __call__(self, progress: Progress, /) -> None: ...
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

    def __call__(self, progress: Progress, /) -> None:
        if progress.note:
            self.stream.write(f"{self.title}   {progress.note}\n")
            self.stream.flush()
        new_kind = not self.kinds.issuperset(progress.failures)
        if not (progress.improved or new_kind or progress.elapsed_s - self.said_s >= HEARTBEAT_S):
            return
        self.said_s, self.kinds = progress.elapsed_s, frozenset(progress.failures)
        star = "* " if progress.improved else "  "
        parts = [f"{self.title} {star}{progress.evaluations} evaluated", best_line(progress), failure_line(progress)]
        parts += [trust_line(progress), time_line(progress)]
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

    def __call__(self, progress: Progress, /) -> None:
        if progress.note:
            self.live.console.print(f"{self.title}   {progress.note}", markup=False, highlight=False)
        self.live.update(panel(self.title, progress))


def panel(title: str, progress: Progress) -> Table:
    """The live picture as a rich table; all text is plain, so that a `[` in it is not markup."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    limit = f" of {progress.max_evals}" if progress.max_evals else ""
    rows = [
        (title, "measuring the finalists again" if progress.phase == "finalists" else "searching"),
        ("evaluated", f"{progress.evaluations}{limit}"),
        ("best so far", best_line(progress).removeprefix("best ") or "-"),
        ("with", progress.best_text or "-"),
        ("failures", failure_line(progress) or "none"),
        ("time", time_line(progress)),
    ]
    if trust := trust_line(progress):
        rows.insert(-1, ("prior", trust.removeprefix("prior ")))
    for name, value in rows:
        table.add_row(Text(name, style="bold" if name == title else "dim"), Text(value))
    return table


def open_display(stream: TextIO, title: str, opening: str = "", *, terminal: bool) -> Display:
    """`opening` is said once, before the first evaluation."""
    return LiveDisplay(stream, title, opening) if terminal else PlainDisplay(stream, title, opening)


def best_line(progress: Progress) -> str:
    if progress.best_value is None:
        return ""
    gain = "" if progress.gain is None else f", {progress.gain:.2f}x the default"
    return f"best {progress.best_value:.4g} {progress.unit}".rstrip() + gain


def trust_line(progress: Progress) -> str:
    """How far the search's prior mean agrees with what was measured; nothing before two trials tell."""
    if progress.trust is None or progress.trust.trials < 2:
        return ""
    weight = "" if progress.trust.weight is None else f", weight {progress.trust.weight:.2f}"
    return f"prior agrees {progress.trust.rank_correlation:.2f}{weight}"


def failure_line(progress: Progress) -> str:
    if not progress.failures:
        return ""
    return "failed: " + ", ".join(f"{count} {kind}" for kind, count in progress.failures.items())


def time_line(progress: Progress) -> str:
    if progress.budget_s is None:
        return f"{clock_text(progress.elapsed_s)} so far"
    return f"{clock_text(max(0.0, progress.budget_s - progress.elapsed_s))} left"


def clock_text(seconds: float) -> str:
    whole = int(seconds + 0.5)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
