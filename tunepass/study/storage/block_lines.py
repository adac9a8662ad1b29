"""The JSON lines of a block of trials, put together of the JSON texts that the store has.

They are those of tunepass.study.storage.json_lines for the same trials, where that JSON is written as a store
writes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import repeat
from json.encoder import encode_basestring as quoted
from typing import cast

from tunepass.study.storage import checked, json_text
from tunepass.study.storage.json_lines import StoredTrial, line
from tunepass.study.storage.trial_blocks import Cells, TrialBlock

_RARE = ("deviation", "repeats", "other_s", "intermediate")


def block_lines(block: TrialBlock, study: str) -> Iterator[str]:
    """The line of each trial, with its end; those with cells that few trials have are written one by one."""
    cells, head = block.cells, f'{{"kind":"trial","study":{quoted(study)},"number":'
    rare = {i for name in _RARE for i, cell in enumerate(cells[name]) if cell is not None}
    log, code, finished = (_quoted(cells[name]) for name in ("log", "code", "finished"))
    checks = (_checks(cell) for cell in cells["checks"])
    scalars = zip(cells["calibration"], cells["same_as"])
    rows = zip(
        block.numbers, cells["configuration"], _outcomes(cells), _times(block), log, scalars, code, checks, finished
    )
    for i, (number, configuration, outcome, times, log_, (speed, same), code_, ledger, ended) in enumerate(rows):
        text = (
            f'{head}{number},"configuration":{configuration},"outcome":{outcome},"seconds":{{{times}}},"log":{log_},'
            f'"calibration":{"null" if speed is None else repr(speed)},"same_as":{"null" if same is None else same},'
            f'"code":{code_},{ledger}"finished":{ended}}}\n'
        )
        if i in rare or text.count("\n") > 1:  # white space between the words of the store's JSON, say
            text = line(StoredTrial(study, block[i], cast(str, cells["finished"][i])))
        yield text


def _quoted(texts: Sequence[object]) -> list[str]:
    """The texts in JSON; those that occur often are written once."""
    written = {text: quoted(text) for text in set(cast(Sequence[str], texts))}
    return [written[text] for text in cast(Sequence[str], texts)]


def _outcomes(cells: Cells) -> Iterator[str]:
    names = ("outcome", "objectives", "samples", "censored", "stage", "reason")
    for kind, objectives, samples, censored, stage, reason in zip(*(cells[name] for name in names)):
        if kind == "measured":
            cut = "true" if censored else "false"
            yield f'"measured","objectives":{objectives},"samples":{samples or "[]"},"censored":{cut}'
        elif kind == "failed":
            yield f'"failed","stage":{quoted(cast(str, stage))},"reason":{quoted(cast(str, reason))}'
        else:
            yield f'"infeasible","reason":{quoted(cast(str, reason))}'


def _times(block: TrialBlock) -> Iterator[str]:
    """The seconds of each trial in stages with a column, without the brackets around them."""
    columns = block.stage_columns()
    template = ",".join(f'"{stage}":%r' for stage in columns)
    for row in zip(*columns.values()) if columns else repeat((), len(block)):
        if None in row:
            yield ",".join([f'"{stage}":{value!r}' for stage, value in zip(columns, row) if value is not None])
        else:
            yield template % row


@lru_cache(256)  # the trials of a store have few different ones
def _checks(text: object) -> str:
    ledger = checked.ledger(text)
    return f'"checks":{json_text.dump(json.loads(ledger.encode()))},' if ledger else ""
