"""`tunepass import search_space.json --source train.py`: NNI's space and DnnSAT's constraints of a model."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tunepass.cli import main

SAMPLE = Path(__file__).parents[2] / "samples" / "dnn" / "mnist_keras.py"
SPACE = {
    "filters": {"_type": "choice", "_value": [16, 32, 64]},
    "kernel": {"_type": "quniform", "_value": [3, 7, 2]},
    "units": {"_type": "randint", "_value": [64, 129]},
    "padding": {"_type": "choice", "_value": ["same", "valid"]},
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    plain = re.sub(r"# tunepass .*\n", "", SAMPLE.read_text())
    (tmp_path / "train.py").write_text(f"#!/usr/bin/env python\n{plain}")
    (tmp_path / "search_space.json").write_text(json.dumps(SPACE))
    (tmp_path / "limits.json").write_text('{"constraint": "weight_size", "max": 1048576, "min": 4}')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(list(words))
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_the_model_gets_parameters_and_limits(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = ("--source", "train.py", "--source", "limits.json")
    status, out, err = run(capsys, "import", "search_space.json", *files, "-o", "tuned.py")
    assert status == 0 and "4 parameters\nwrote tuned.py" in out
    assert "--limit 'weight_byte>=4'" in err
    lines = (here / "tuned.py").read_text().splitlines()
    assert lines[:6] == [
        "#!/usr/bin/env python",
        "# tunepass param filters: ordinal(16, 32, 64)",
        "# tunepass param kernel: ordinal(4, 6, 7)",
        "# tunepass param units: integer(64..128)",
        '# tunepass param padding: categorical("same", "valid")',
        "# tunepass limit weight_byte <= 1048576",
    ]
    status, out, _ = run(capsys, "prune", "tuned.py", "--format", "json")
    assert status == 0 and json.loads(out)["dense"] == 3 * 3 * 65 * 2
    assert [limit["most"] for limit in json.loads(out)["limits"]] == [1048576]


@pytest.mark.parametrize(
    "words,message",
    [
        ((), "name the one model that it is of"),
        (("--source", "limits.json"), "name the one model that it is of"),
        (("--source", "train.py", "-o", "train.py"), "is the file that is read"),
        (("--source", "train.py", "--param", "a=[1]"), "--param is about kernels"),
        (("--source", "train.py", "--source", "search_space.json"), "a constraint has no `filters`"),
    ],
)
def test_what_cannot_be_imported(words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, "import", "search_space.json", *words)
    assert status == 2 and message in err


def test_a_parameter_of_more_values_than_can_be_listed_is_told_by_its_ends(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "large.json").write_text(json.dumps({**SPACE, "units": {"_type": "randint", "_value": [64, 6000000000]}}))
    words = ("import", "large.json", "--source", "train.py", "-o", "tuned.py", "--format", "json")
    status, out, err = run(capsys, *words)
    assert status == 0, err
    assert json.loads(out)["parameters"]["units"] == "64 .. 5999999999"
