"""`tunepass flags`: what a compiler can be told, as the parameters of a description that `tunepass build` takes."""

from __future__ import annotations

import argparse

from tunepass.flags.block import block
from tunepass.flags.listing import OptionListing, listing
from tunepass.flags.option import Amount, Option
from tunepass.reports.answer import Answer, Json


def run(options: argparse.Namespace) -> Answer:
    flags = listing(
        options.program, f"-{options.level.lstrip('-')}", options.kinds, math=options.math, native=options.native
    )
    note = [
        f"{flags.compiler.version}: {len(flags.options)} parameters at -{options.level.lstrip('-')}, by tunepass flags"
    ]
    text = block(options.program, flags.options, flags.conflicts, note)
    return Answer(text.rstrip("\n"), _data(flags), notes=_notes(flags))


def _notes(flags: OptionListing) -> tuple[str, ...]:
    """On stderr: the text itself goes into a file."""
    if not flags.refused:
        return ()
    return (f"note: listed, but refused or without effect on this machine: {', '.join(flags.refused)}",)


def _data(flags: OptionListing) -> Json:
    return {
        "compiler": flags.compiler.version,
        "parameters": {option.name: _option(option) for option in flags.options},
        "conflicts": [list(pair) for pair in flags.conflicts],
        "refused": list(flags.refused),
    }


def _option(option: Option) -> Json:
    if isinstance(option, Amount):
        return {"form": option.form, "values": list(option.numbers), "default": option.default}
    return {"values": list(option.texts), "default": option.texts[0]}
