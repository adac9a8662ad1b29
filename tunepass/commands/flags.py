"""`tunepass flags`: what a compiler can be told, as the parameters of a description that `tunepass build` takes."""

from __future__ import annotations

import argparse

from tunepass.commands.answer import Answer, Json
from tunepass.flags.block import block
from tunepass.flags.listing import Listing, listing
from tunepass.flags.option import Amount, Option


def run(options: argparse.Namespace) -> Answer:
    found = listing(
        options.program, f"-{options.level.lstrip('-')}", options.kinds, math=options.math, native=options.native
    )
    note = [
        f"{found.compiler.version}: {len(found.options)} parameters at -{options.level.lstrip('-')}, by tunepass flags"
    ]
    text = block(options.program, found.options, found.conflicts, note)
    return Answer(text.rstrip("\n"), _data(found), notes=_notes(found))


def _notes(found: Listing) -> tuple[str, ...]:
    """On stderr: the text itself goes into a file."""
    if not found.refused:
        return ()
    return (f"note: listed, but refused or without effect on this machine: {', '.join(found.refused)}",)


def _data(found: Listing) -> Json:
    return {
        "compiler": found.compiler.version,
        "parameters": {option.name: _option(option) for option in found.options},
        "conflicts": [list(pair) for pair in found.conflicts],
        "refused": list(found.refused),
    }


def _option(option: Option) -> Json:
    if isinstance(option, Amount):
        return {"form": option.form, "values": list(option.numbers), "default": option.default}
    return {"values": list(option.texts), "default": option.texts[0]}
