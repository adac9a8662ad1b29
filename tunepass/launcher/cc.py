"""`tunepass cc` and `tunepass c++`: the compiler, plus what the lock says of each source. They never search, and are as
quiet as the compiler.

Here stands what most calls of a compiler need, and no module that takes long to load: no input is annotated, and the
compiler takes over; or the same call was worked out before. All others are those of tunepass.launcher.locked.

TUNEPASS_CC and TUNEPASS_CXX name the compilers behind them (default: cc, c++); as a launcher they stand before the
compiler's own command.
"""

from __future__ import annotations

import os

from tunepass.compilers.languages import is_linked
from tunepass.compilers.options import INCLUDED, STOPS_EARLY, is_input, table_of, value_of, walk
from tunepass.launcher import link_marks
from tunepass.launcher.calling import become
from tunepass.launcher.compiler import compiler_behind, without_time

TYPE_CHECKING = False  # of `typing`, which takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tunepass.launcher.prepared import CallQuestion

MARK = b"tunepass"


def run(
    words: Sequence[str], command: str = "cc", call: Callable[[Callable[[], int]], int] = lambda work: work()
) -> int:
    """The compiler's status, or that of a command that found something wrong. `call` does what takes a while."""
    if words[:1] in (["--show-stats"], ["--zero-stats"]):
        from tunepass.launcher import statistics_answer

        return statistics_answer.run(words)
    if "time" in words[:2] and words[0] in ("time", "--frozen"):
        words = without_time(words)
    frozen = os.environ.get("TUNEPASS_FROZEN") == "1" or words[:1] == ["--frozen"]
    if frozen or any(word.startswith("@") or word in ("-", "--", "-###") for word in words):
        return call(lambda: _locked(words, command))
    behind = compiler_behind(words, command)
    compiler, given = behind.command, behind.arguments
    marked = {name: data for name in _inputs(given, compiler[-1]) if MARK in (data := link_marks.read(name))}
    if not marked and not _asks_for_runtime(given):
        return become([*compiler, *given])
    from tunepass.launcher.prepared import CallQuestion

    question = CallQuestion(compiler, given, marked)
    prepared = question.answer()
    if prepared is None:
        return call(lambda: _locked(words, command, question))
    return prepared.run(compiler, given)


def _inputs(words: Sequence[str], compiler: str) -> list[str]:
    """What may be a file that is compiled or included."""
    pairs = [(word, value) for _, word, value in walk(words, table_of(compiler))]
    files = [w if is_input(w, v) else value_of(w, v, INCLUDED) for w, v in pairs]
    return [file for file in files if file and not is_linked(file)]


def _asks_for_runtime(words: Sequence[str]) -> bool:
    return STOPS_EARLY.isdisjoint(words) and bool(link_marks.needed(words))


def _locked(words: Sequence[str], command: str, question: CallQuestion | None = None) -> int:
    from tunepass.launcher import locked

    return locked.run(words, command, question)
