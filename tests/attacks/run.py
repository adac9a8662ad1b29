"""Builds each attack and says whether it won, harmed an honest trial, or left anything behind. `make attack` runs it.

    python -m tests.attacks.run [--only PATTERN] [--privileges with|without|bare|both|all] [--parallel 2] [--verbose]

How an attack is written stands in `source.py`, where it runs in `enclosure.py`, with what rights in `privileges.py`.
Ends with status 0 if all have lost.
"""

from __future__ import annotations

import argparse
import fnmatch
import itertools
import json
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.attacks.enclosure import Request, run_enclosed
from tests.attacks.privileges import MODES
from tests.attacks.source import Attack

FOLDER = Path(__file__).parent
KINDS = ("cheats", "wrong", "misbehaving")
PRIVILEGES = {**{mode: (mode,) for mode in MODES}, "both": ("with", "without"), "all": MODES}
MOST_GAIN = 1.05  # of an attack that need not fail: its code may lie better in memory
_numbers = itertools.count(os.getpid() * 8)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an attack did. It has lost if the lists are empty."""

    won: tuple[str, ...] = ()
    harmed: tuple[str, ...] = ()
    misjudged: tuple[str, ...] = ()  # it failed, at a stage that was not expected
    left_behind: tuple[str, ...] = ()
    stage: str = ""
    gain: float | None = None  # beside the honest kernel in turns; None where it was not measured so

    @property
    def lost(self) -> bool:
        return not (self.won or self.harmed or self.misjudged or self.left_behind)

    def __str__(self) -> str:
        if self.lost:
            return f"lost ({self.stage}{'' if self.gain is None else f', {self.gain:.3f}x'})"
        kinds = (("WON", self.won), ("HARMED", self.harmed), ("MISJUDGED", self.misjudged), ("LEFT", self.left_behind))
        return "; ".join(f"{word}: {', '.join(what[:6])}" for word, what in kinds if what)


def attacks(pattern: str = "*") -> list[Path]:
    """The attacks whose `KIND/NAME` matches the pattern, or contains it."""
    found = sorted(p for kind in KINDS for p in (FOLDER / kind).glob("*") if p.suffix in (".c", ".cpp"))
    return [p for p in found if fnmatch.fnmatch(f"{p.parent.name}/{p.stem}", f"*{pattern}*")]


def attack(path: Path, mode: str) -> tuple[Verdict, dict[str, object]]:
    """Build it in an enclosure: the verdict, and what it rests on."""
    result = run_enclosed(Request(str(path), mode, next(_numbers)))
    return judge(Attack.read(path).expect, result), result


def judge(expect: frozenset[str], result: dict[str, object]) -> Verdict:
    """See `enclosure.build` for the result."""
    trials = result["trials"]
    assert isinstance(trials, list)
    by_kind = {(t["configuration"]["ATTACK"], t["configuration"]["AFTER"][-1]): t for t in trials}
    stages = {kind: t["stage"] or t["outcome"] for kind, t in by_kind.items()}
    default, attacked, after = (stages.get(kind, "no trial") for kind in ((0, "0"), (1, "0"), (0, "1")))
    chosen, gain = chosen_attack(str(result["stdout"])), gain_of_attack(str(result["stdout"]))
    harmed = [f"the build ended with status {result['status']}"] if result["status"] != 0 else []
    harmed += [f"{what}: {stage}" for what, stage in (("default", default), ("after", after)) if stage != "measured"]
    if list(by_kind)[-1:] == [(1, "0")]:
        harmed.append("no trial came after the attack")
    if result["source_changed"]:
        harmed.append("the source was changed")
    won = ["it was chosen"] if chosen == 1 and "measured" not in expect else []
    won += ["it was believed"] if attacked == "measured" and "measured" not in expect else []
    won += [f"it gained {gain:.3f}x"] if "measured" in expect and gain is not None and gain > MOST_GAIN else []
    misjudged = [f"{attacked} instead of {' or '.join(sorted(expect))}"] if attacked not in expect and not won else []
    left = result["left_behind"]
    assert isinstance(left, list)
    return Verdict(tuple(won), tuple(harmed), tuple(misjudged), tuple(left), attacked, gain)


def chosen_attack(answer: str) -> object:
    """ATTACK in the choice that the build printed; None where it printed none."""
    try:
        return json.loads(answer)["choice"]["ATTACK"]
    except (ValueError, KeyError, TypeError):
        return None


def gain_of_attack(answer: str) -> float | None:
    """Times that the attack is faster than the honest kernel in the final round, chosen or not; None where it was no
    finalist."""
    try:
        finalists = json.loads(answer)["finalists"]["candidates"]
        gains = [float(finalist["gain"]) for finalist in finalists if finalist["choice"]["ATTACK"] == 1]
    except (ValueError, KeyError, TypeError):
        return None
    return max(gains, default=None)


def run_all(paths: Sequence[Path], modes: Sequence[str], parallel: int) -> Iterator[tuple[str, Verdict, object]]:
    """Verdicts in the order of paths, each path with all modes."""

    def one(job: tuple[Path, str]) -> tuple[str, Verdict, object]:
        path, mode = job
        return f"{path.parent.name}/{path.stem} ({mode})", *attack(path, mode)

    with ThreadPoolExecutor(parallel) as pool:
        yield from pool.map(one, [(path, mode) for path in paths for mode in modes])


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="PATTERN", help="of KIND/NAME, such as cheats/ or *kill*")
    parser.add_argument("--privileges", choices=PRIVILEGES, default="all")
    parser.add_argument("--parallel", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", help="print trials and the build's words")
    options = parser.parse_args(words)
    if os.geteuid() != 0:
        sys.exit(
            "attacks are run by root, who can build an enclosure for them; they are built without root's privileges"
        )
    verdicts = []
    for name, verdict, result in run_all(attacks(options.only), PRIVILEGES[options.privileges], options.parallel):
        verdicts.append(verdict)
        print(f"{name:44} {verdict}", flush=True)
        if options.verbose:
            print(json.dumps(result, indent=2).replace("\\n", "\n    "))
    counts = {word: sum(bool(getattr(v, word)) for v in verdicts) for word in ("won", "harmed", "misjudged")}
    left = sum(bool(v.left_behind) for v in verdicts)
    print(
        f"{len(verdicts)} attacks: {sum(v.lost for v in verdicts)} lost, {counts['won']} won, "
        f"{counts['harmed']} harmed, {counts['misjudged']} misjudged, {left} left behind"
    )
    return 0 if verdicts and all(v.lost for v in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
