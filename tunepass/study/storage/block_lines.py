"""The JSON lines of a block of trials, put together of the JSON texts that the store has.

They are those of tunepass.study.storage.json_lines for the same trials, where that JSON is written as a store
writes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from json.encoder import encode_basestring as quoted
from typing import cast

from tunepass.study.storage import checked, json_text
from tunepass.study.storage.json_lines import StoredTrial, line
from tunepass.study.storage.trial_blocks import Block

_COLUMNS = ("configuration", "outcome", "objectives", "samples", "censored", "stage", "reason", "log", "calibration")
_TAIL = ("same_as", "code", "checks", "finished")
_RARE = ("deviation", "repeats", "other_s", "intermediate")


def block_lines(block: Block, study: str) -> Iterator[str]:
    """The line of each trial, with its end; those with cells that few trials have are written one by one."""
    head = f'{{"kind":"trial","study":{quoted(study)},"number":'
    rows = zip(*(block.cells[name] for name in _COLUMNS), *(block.cells[name] for name in _TAIL))
    rare = {i for name in _RARE for i, cell in enumerate(block.cells[name]) if cell is not None}
    for i, (number, cells, seconds) in enumerate(zip(block.numbers, rows, block.seconds())):
        text = "" if i in rare else _rest(cells, seconds)
        if text.count("\n") == 1:
            yield f"{head}{number}{text}"
        else:  # white space between the words of the store's JSON, say
            yield line(StoredTrial(study, block[i], cast(str, block.cells["finished"][i])))


def _rest(cells: tuple[object, ...], seconds: dict[str, float]) -> str:
    """The line from the configuration on."""
    configuration, kind, objectives, samples, censored, stage, reason, log, speed, same_as, code, checks, ended = cells
    if kind == "measured":
        cut = "true" if censored else "false"
        outcome = f'"measured","objectives":{objectives},"samples":{samples or "[]"},"censored":{cut}'
    elif kind == "failed":
        outcome = f'"failed","stage":{quoted(cast(str, stage))},"reason":{quoted(cast(str, reason))}'
    else:
        outcome = f'"infeasible","reason":{quoted(cast(str, reason))}'
    times = ",".join([f'"{stage}":{value!r}' for stage, value in seconds.items()])
    calibration = "null" if speed is None else repr(speed)
    same = "null" if same_as is None else same_as
    ledger = "" if checks is None else _checks(checks)
    return (
        f',"configuration":{configuration},"outcome":{outcome},"seconds":{{{times}}},"log":{quoted(cast(str, log))},'
        f'"calibration":{calibration},"same_as":{same},"code":{quoted(cast(str, code))},{ledger}'
        f'"finished":{quoted(cast(str, ended))}}}\n'
    )


@lru_cache(256)  # the trials of a store have few different ones
def _checks(text: object) -> str:
    ledger = checked.ledger(text)
    return f'"checks":{json_text.dump(json.loads(ledger.encode()))},' if ledger else ""
