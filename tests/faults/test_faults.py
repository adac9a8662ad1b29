"""A sample of `make faults`: calls of each kind fail, and the command ends with a line that says so."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# One for each way in which a command ended in a traceback or with another's status.
SAMPLE = (
    "application:fsync/tunepass/3/EIO",
    "application:pipe/tunepass/2+/EMFILE",
    "application:fork/supervisor/1+/EAGAIN",
    "application:pipe/supervisor/1+/EMFILE",
    "application:exec/supervisor/1+/EIO",
    "cc:mkdir/tunepass/1/ENOSPC",
    "verify:pipe/tunepass/1/EMFILE",
    "verify:open/tunepass/7/EIO",
    "serve:write/tunepass/1/ENOSPC",
)


@pytest.mark.skipif(shutil.which("cc") is None, reason="the library that lets calls fail is compiled")
def test_a_call_that_fails_is_told_in_a_line_and_the_next_run_succeeds() -> None:
    words = [word for fault in SAMPLE for word in ("--only", fault)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.run", *words],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(rf"^{len(SAMPLE)} runs .*: 0 complaints; failed {len(SAMPLE)}", done.stdout, re.MULTILINE)
