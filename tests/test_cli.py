from __future__ import annotations

import subprocess
import sys

import pytest

from tunepass import cli
from tunepass.commands import doctor
from tunepass.diagnostics import EnvironmentFault, TunepassError

HEAVY = ("numpy", "scipy", "sklearn", "lark", "islpy", "rich", "yaml", "cffi")


def loaded_by(statement: str) -> list[str]:
    """The heavy packages that a statement of a fresh interpreter imports."""
    code = f"import sys\n{statement}\nprint(*[m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stderr.split()


@pytest.mark.parametrize("words", [["--help"], ["build", "--help"], ["--version"]])
def test_help_loads_nothing_heavy(words: list[str]) -> None:
    assert loaded_by(f"import tunepass.cli; tunepass.cli.main({words!r})") == []


def test_the_package_itself_loads_nothing_heavy() -> None:
    assert loaded_by("import tunepass; dir(tunepass)") == []


@pytest.mark.parametrize("words,status", [(["--help"], 0), (["--version"], 0), (["frobnicate"], 2), ([], 2)])
def test_status_of_the_grammar(words: list[str], status: int) -> None:
    assert cli.main(words) == status


def test_an_internal_error_is_short_unless_asked(monkeypatch, capsys) -> None:  # type: ignore[no-untyped-def]
    def broken(options: object) -> None:
        raise RuntimeError("the impossible happened\nand more")

    monkeypatch.setattr(doctor, "run", broken)
    monkeypatch.delenv("TUNEPASS_DEBUG", raising=False)
    assert cli.main(["doctor"]) == 2
    err = capsys.readouterr().err
    assert "internal error: RuntimeError: the impossible happened\n" in err and "Traceback" not in err
    monkeypatch.setenv("TUNEPASS_DEBUG", "1")
    assert cli.main(["doctor"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_ctrl_c_outside_a_search_is_130(monkeypatch, capsys) -> None:  # type: ignore[no-untyped-def]
    def interrupted(options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(doctor, "run", interrupted)
    assert cli.main(["doctor"]) == 130
    assert capsys.readouterr().err == "tunepass: interrupted\n"


@pytest.mark.parametrize("kind,status", [(TunepassError, 2), (EnvironmentFault, 4)])
def test_a_fault_of_the_machine_is_not_the_users(kind, status, monkeypatch, capsys) -> None:  # type: ignore[no-untyped-def]
    def failing(options: object) -> None:
        raise kind("no space left on device", hint="free some")

    monkeypatch.setattr(doctor, "run", failing)
    assert cli.main(["doctor"]) == status
    assert capsys.readouterr().err == "error: no space left on device\n  = help: free some\n"


def test_a_reader_that_goes_away_is_no_error() -> None:
    code = "from tunepass.cli import main; import sys; sys.exit(main(['doctor', '--format', 'json']))"
    run = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert run.stdout is not None and run.stderr is not None
    run.stdout.close()
    assert run.wait() == 0 and run.stderr.read() == b""


def test_python_dash_m_is_the_same_program() -> None:
    done = subprocess.run([sys.executable, "-m", "tunepass", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("tunepass ")
