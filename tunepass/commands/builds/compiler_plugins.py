"""`tunepass gcc-plugin` and `tunepass clang-plugin`: build the plugin for an installed compiler."""

from __future__ import annotations

import argparse
from pathlib import Path

from tunepass.compilers.compiler_plugins.building import NAME, build_plugin
from tunepass.diagnostics import TunepassError
from tunepass.jobs.places import prepare_folder
from tunepass.reports.answer import Answer


def run(options: argparse.Namespace) -> Answer:
    output = Path(options.output)
    output = output / NAME if output.is_dir() or output.suffix != Path(NAME).suffix else output
    if output.name != NAME:
        hint = f"-o FOLDER, or -o FOLDER/{NAME}"
        raise TunepassError(f"the plugin is called {NAME}: gcc derives its arguments' names from it", hint=hint)
    prepare_folder(output.parent)
    version = build_plugin(options.program, options.family, output)
    data = {"output": str(output), "compiler": options.program, "version": version}
    return Answer(f"wrote {output}: for {options.family} {version}", data)
