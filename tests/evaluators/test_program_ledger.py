"""The ledgers of programs with a run of their own, and what of their output nothing compares."""

from __future__ import annotations

import sys

from tunepass.evaluators.measure.printed import uncompared_texts
from tunepass.evaluators.program_ledger import FIXED_INPUTS, UNWATCHED, ProgramChecks
from tunepass.study.ledger import CHECKS, Check, Ledger


def rows(ledger: Ledger) -> dict[str, Check]:
    return {check.name: check for check in ledger.checks}


def test_a_program_has_a_row_for_every_check_but_those_of_the_final_round() -> None:
    made = rows(ProgramChecks(program=sys.executable, threads=False, speed=True).ledger())
    assert set(CHECKS) - set(made) == {"sanitizers", "rounds"}
    assert made["outputs"].state == made["timed results"].state == made["machine speed"].state == "ran"
    assert made["data races"].state == "not requested" and made["new inputs"].reason == FIXED_INPUTS


def test_what_is_not_checked_of_a_program_is_told() -> None:
    made = rows(
        ProgramChecks(
            program=sys.executable,
            unchecked=["no reference"],
            uncompared=["2 lines differ"],
            prints=True,
            core=["no lock"],
        ).ledger()
    )
    reasons = {name: check.reason for name, check in made.items() if check.state == "could not run"}
    assert reasons["outputs"] == reasons["timed results"] == "no reference"
    assert reasons["all results"] == "no reference; 2 lines differ" and reasons["core"] == "no lock"
    assert (
        reasons["data races"] == reasons["schedules"] == UNWATCHED and "prints the numbers" in reasons["outside clock"]
    )
    once = rows(ProgramChecks(program=sys.executable, untimed=["once"], selected=True).ledger())
    assert once["outputs"].state == "ran" and once["timed results"].reason == "once"
    assert once["all results"].state == "not requested"


def test_lines_that_differ_from_run_to_run_are_counted() -> None:
    assert uncompared_texts({"stdout": "a\nb 1\nc"}, {"stdout": "a\nb 2\nc"}) == [
        "1 of 3 lines of stdout differ from run to run, and are not compared"
    ]
    assert "another number of lines" in uncompared_texts({"log": "a"}, {"log": "a\nb"})[0]
    assert uncompared_texts({"stdout": "a  b"}, {"stdout": "a b"}) == []
