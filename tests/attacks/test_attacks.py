"""A few of the attacks that `make attack` makes, and the judgement of what they do."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.attacks.run import FOLDER, Verdict, attack, attacks, judge
from tests.attacks.source import Attack

# Those that no other test stands for; each costs a build of a few seconds.
IN_THE_SUITE = (("misbehaving/daemon.c", "bare"),)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can build the enclosure that an attack cannot leave")
@pytest.mark.parametrize("name,mode", IN_THE_SUITE)
@pytest.mark.slow
def test_an_attack_loses_and_leaves_nothing(name: str, mode: str) -> None:
    verdict, _ = attack(FOLDER / name, mode)
    assert verdict.lost, verdict


def test_every_attack_says_what_is_expected() -> None:
    for path in attacks():
        assert "ATTACK: categorical(0, 1) = 0" in path.read_text(), path
        Attack.read(path)


def test_a_file_beside_an_attack_is_read_into_it(tmp_path: Path) -> None:
    (tmp_path / "shared.h").write_text("int shared;\n")
    (tmp_path / "a.c").write_text('/* expect: crash */\n#include "shared.h"\n#include "other.h"\nint own;\n')
    assert Attack.read(tmp_path / "a.c").text.endswith('int shared;\n#include "other.h"\nint own;\n')


def trial(attacking: int, after: int, stage: str = "") -> dict[str, object]:
    configuration = {"ATTACK": attacking, "AFTER": f"-DAFTER={after}"}
    return {"configuration": configuration, "outcome": "failed" if stage else "measured", "stage": stage}


def judged(
    stage: str,
    *,
    chosen: int = 0,
    gain: float = 3.0,
    expect: tuple[str, ...] = ("crash", "run"),
    after: str = "",
    left: tuple[str, ...] = (),
    status: int = 0,
) -> Verdict:
    finalists = [{"choice": {"ATTACK": 0}, "gain": 9.0}, {"choice": {"ATTACK": 1}, "gain": gain}]
    result = {
        "status": status,
        "stdout": json.dumps({"choice": {"ATTACK": chosen}, "finalists": {"candidates": finalists}}),
        "trials": [trial(0, 0), trial(1, 0, stage), trial(0, 1, after)],
        "source_changed": False,
        "left_behind": list(left),
    }
    return judge(frozenset(expect), result)


def test_an_attack_that_fails_as_expected_has_lost() -> None:
    assert judged("crash").lost and judged("run").lost


def test_a_harmless_attack_may_be_chosen_for_where_its_code_lies() -> None:
    assert judged("", chosen=1, gain=1.02, expect=("measured",)).lost


@pytest.mark.parametrize("chosen", [0, 1])
def test_an_attack_that_may_be_measured_must_not_gain(chosen: int) -> None:
    assert judged("", chosen=chosen, gain=1.06, expect=("measured",)).won == ("it gained 1.060x",)
    assert judged("", chosen=chosen, gain=1.04, expect=("measured", "cheated")).lost


@pytest.mark.parametrize(
    "verdict,words",
    [
        (judged("", chosen=1), "WON: it was chosen, it was believed"),
        (judged("timeout"), "MISJUDGED: timeout instead of crash or run"),
        (judged("crash", after="run"), "HARMED: after: run"),
        (judged("crash", status=1), "HARMED: the build ended with status 1"),
        (judged("crash", left=("process 7",)), "LEFT: process 7"),
    ],
)
def test_what_an_attack_must_not_do_is_named(verdict: Verdict, words: str) -> None:
    assert not verdict.lost and str(verdict) == words


def test_a_source_without_expectation_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("void f(void) {}\n")
    with pytest.raises(ValueError, match="first line must be"):
        Attack.read(path)
