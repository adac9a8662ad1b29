"""Programs that are asked are stopped at their limits, however these are set and their end is heard of."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tunepass.compilers import asking
from tunepass.compilers.asking import MEMORY_BYTE, OUTPUT_BYTE, ask, ask_about
from tunepass.diagnostics import EnvironmentFault, ToolError


@pytest.mark.parametrize("path", [os.defpath, ""], ids=["by a program", "in the child"])
def test_limits(path: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "defpath", path)
    told = ask_about(["sh", "-c", "ulimit -v; ulimit -f; ulimit -c; cat"], "the text")
    assert told.ok and told.stdout == f"{MEMORY_BYTE >> 10}\n{OUTPUT_BYTE >> 9}\n0\nthe text"
    with pytest.raises(ToolError, match="cannot run nocc: No such file"):
        ask_about(["nocc", "-E"], "")
    shadow = tmp_path / "prlimit"
    shadow.write_text("#!/bin/sh\necho shadow\n")
    shadow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert ask_about(["echo", "asked"], "").stdout == "asked\n"


@pytest.mark.parametrize("has_descriptors", [True, False])
def test_an_answer_and_the_end_of_patience(has_descriptors: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not has_descriptors:
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    assert ask_about(["cat"], "the text").stdout == "the text"
    assert not ask_about(["false"], "").ok
    monkeypatch.setattr(asking, "PATIENCE_S", 0.1)
    told = ask(["sh", "-c", "echo begun; sleep 60"])
    assert not told.ok and told.stdout == "" and told.stderr == "no answer within 0.1 s"


def failing(words: str) -> list[str]:
    return ["sh", "-c", f"echo 'cc1: {words}' >&2; exit 1"]


def test_memory_is_the_matter_of_a_text_within_limits_unless_the_machine_has_none(tmp_path: Path) -> None:
    exhausted = "virtual memory exhausted: Cannot allocate memory"
    of_the_text = ["sh", "-c", f"read -r text; [ -z $text ] || {{ echo {exhausted} >&2; exit 1; }}"]
    assert not ask_about(of_the_text, "much\n").ok
    moment = tmp_path / "moment"
    for_a_moment = ["sh", "-c", f"[ -e {moment} ] || {{ touch {moment}; echo {exhausted} >&2; exit 1; }}"]
    assert ask_about(for_a_moment, "much\n").ok
    with pytest.raises(EnvironmentFault, match=f"sh failed: cc1: {exhausted}"):
        ask_about(failing(exhausted), "much")
    for words in (
        "virtual memory exhausted: Resource temporarily unavailable",
        "cannot execute cc1: Cannot allocate memory",
    ):
        with pytest.raises(EnvironmentFault, match=rf"sh failed: cc1: {words}(.|\n)*close other programs"):
            ask_about(failing(words), "")
