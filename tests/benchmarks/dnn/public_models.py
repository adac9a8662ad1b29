"""Models of public repositories, unchanged but for the comments that say what goes in: how many are read, and why not.

    python -m tests.benchmarks.dnn.public_models FOLDER ... [--counts FILE] [--only TEXT]
    python -m tests.benchmarks.dnn.public_models FOLDER ... --count FILE    the frameworks' own counts, into FILE

Known are checkouts of pytorch/vision, pytorch/examples, pytorch-cifar, pytorch-image-models (of each file the first
model that it registers) and keras. A model is read if all its weights, operations and memory are numbers; where
`--counts` names what `--count` wrote, in a Python that has the framework, its weights are held against those.
"""

from __future__ import annotations

import argparse
import collections
import json
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.dnn.public_sources import PublicModel, models


@dataclass(frozen=True, slots=True)
class Read:
    """`weights` None: it is not read, and `problem` says why."""

    model: PublicModel
    seconds: float
    weights: int | None = None
    problem: str = ""


def read(model: PublicModel) -> Read:
    from tunepass.diagnostics import Source, TunepassError
    from tunepass.expr import algebra
    from tunepass.frontends.dnn.frontend import DnnFrontend
    from tunepass.hwmodels.dnn.model import DnnModel

    started = time.perf_counter()
    lines = [f"# tunepass model {model.call}", *(f"# tunepass input {text}" for text in model.inputs)]
    text = model.path.read_text() + "\n" + "\n".join(lines) + "\n"
    try:
        (kernel,) = DnnFrontend().parse(Source(str(model.path), text)).kernels
        costs = DnnModel().costs(kernel, "")
        assert costs is not None
        weights = algebra.number(costs.values["weights"])
    except TunepassError as error:
        (first, *_) = error.diagnostics
        place = f"{Path(first.span.source.name).name}:{first.span.line}" if first.span else "?"
        return Read(model, time.perf_counter() - started, None, f"{first.message} ({place})")
    if weights is None:
        return Read(model, time.perf_counter() - started, None, "its weights are no number")
    return Read(model, time.perf_counter() - started, int(weights))


def counted(model: PublicModel) -> int | None:
    """What the framework counts: the model is run, in a Python that has it."""
    from tests.benchmarks.dnn.public_counts import weights

    try:
        return weights(model)
    except (Exception, SystemExit) as error:  # whatever a public source raises
        print(f"  {model.name}: {type(error).__name__}: {error}"[:200], file=sys.stderr)
        return None


def reason(problem: str) -> str:
    """Without names, numbers and places, so that like is counted with like."""
    return re.sub(r"-?\d+(\.\d+)?", "N", re.sub(r" \(\S+:\d+\)$", "", problem))


def report(folder: Path, results: list[Read], counts: dict[str, int]) -> None:
    done = [result for result in results if result.weights is not None]
    held = [result for result in done if result.model.name in counts]
    equal = [result for result in held if counts[result.model.name] == result.weights]
    slowest = max(results, key=lambda result: result.seconds)
    print(f"{folder.name}: {len(done)} of {len(results)} read; of {len(held)} that the framework counted {len(equal)}")
    print(f"  have its weights; the slowest took {slowest.seconds:.2f} s ({slowest.model.name})")
    for result in held:
        if result not in equal:
            told = counts[result.model.name]
            print(
                f"  weights differ: {result.model.name}: {result.weights:,}, not {told:,} ({result.weights - told:+,})"
            )
    groups = collections.defaultdict(list)
    for result in results:
        if result.weights is None:
            groups[reason(result.problem)].append(result)
    for _, members in sorted(groups.items(), key=lambda item: -len(item[1])):
        names = ", ".join(member.model.name for member in members[:4])
        print(f"  {len(members):4} {members[0].problem}: {names}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--counts", type=Path, metavar="FILE", help="weights by model, as --count writes them")
    parser.add_argument("--count", type=Path, metavar="FILE", help="run the models and write their weights")
    parser.add_argument("--only", default="", metavar="TEXT", help="models whose names have it")
    options = parser.parse_args()
    counts: dict[str, Any] = json.loads(options.counts.read_text()) if options.counts else {}
    for folder in options.folders:
        chosen = [model for model in models(folder) if options.only in model.name]
        if options.count:
            counts |= {model.name: number for model in chosen if (number := counted(model)) is not None}
            options.count.write_text(json.dumps(counts, indent=1) + "\n")
        else:
            report(folder, [read(model) for model in chosen], counts)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
