"""`tunepass occupancy`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.program import run_tunepass

A100 = ("--device", "a100", "--threads", "256", "--registers", "64", "--shared", "16384")


def test_as_json(tmp_path: Path) -> None:
    done = run_tunepass(["occupancy", *A100, "--format", "json"], tmp_path)
    assert done.returncode == 0 and json.loads(done.stdout) == {
        "device": "a100",
        "blocks_per_sm": 4,
        "warps_per_sm": 32,
        "occupancy": 0.5,
        "limited_by": ["registers"],
        "blocks": {"warps": 8, "registers": 4, "shared": 9, "blocks": 32},
    }


def test_as_text(tmp_path: Path) -> None:
    done = run_tunepass(["occupancy", *A100], tmp_path)
    assert done.stdout.splitlines() == [
        "a100 (8.0): 4 blocks of 8 warps a multiprocessor, occupancy 50.0%, limited by registers",
        "  limit      blocks  a block takes; at most",
        "  warps      8       8 of 64 warps; 1,024 threads a block",
        "  registers  4       16,384 of 65,536; 65,536 a block, 255 a thread",
        "  shared     9       17,408 of 167,936 bytes; 166,912 a block",
        "  blocks     32      1 of 32",
    ]


def test_a_block_that_cannot_be_launched(tmp_path: Path) -> None:
    words = ["--device", "RTX 2080 Ti", "--threads", "1025", "--registers", "64", "--shared", "70000"]
    done = run_tunepass(["occupancy", *words], tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("2080-ti (7.5): such a block cannot be launched: warps, registers and shared\n")


def test_what_is_wrong_is_status_2(tmp_path: Path) -> None:
    done = run_tunepass(["occupancy", "--device", "a10", *A100[2:]], tmp_path)
    assert done.returncode == 2 and "no GPU 'a10'" in done.stderr and "did you mean 'a100'?" in done.stderr
    for words in (["--threads", "0", "--registers", "1"], ["--threads", "32"], ["--threads", "x", "--registers", "1"]):
        assert run_tunepass(["occupancy", "--device", "a100", *words], tmp_path).returncode == 2
