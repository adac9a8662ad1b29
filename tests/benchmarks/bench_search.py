"""The tables of docs/search.md, from recorded tuning data and what other tuners did on it.

    TUNEPASS_DATA=FOLDER TUNEPASS_PEERS=FOLDER python -m tests.benchmarks.bench_search [--table NAME ...] [--seeds N]

`make bench-search` runs it. TUNEPASS_DATA has the recorded tables (<suite>/<name>.json and .csv.gz, SPLIT.json), and
TUNEPASS_PEERS a folder `results` of the peers' runs (<rec.suite.name>.json). Every run is kept under --keep by the
digest of the code and the settings, so a bench that was stopped goes on, and one that changed nothing only prints.

dev          11 problems beside every peer's recorded runs         transfer   another device's table as the prior mean
core         the main set of the developers' tables                recall     HiPerBOt's recall with a source
failures     where some configurations fail                        overhead   CPU time and memory a suggestion
fronts       two objectives: hypervolume                           ablations  one switch of the settings at a time
priors       priors of the parameters, right and wrong         flags      60 and 120 flags, with interactions
reals        functions of 2 to 10 reals                         noise        recorded tables measured with noise
siblings     earlier searches of the same kernel elsewhere     objectives   DTLZ, ZDT, WFG and engineering designs
fidelity     a cheap level beside the objective                batches      16 suggestions at once
prior-means  right and wrong prior means (without TUNEPASS_PEERS)
drawn        problems with drawn parameters, noise, failures; needs no folders. Settings are chosen on seeds below 1000
peers        every installed peer on recorded spaces and drawn problems in one run; TUNEPASS_DATA alone, and without it
             the drawn problems only. Peers: Optuna, CatCMAwM (cmaes), Nevergrad, SMAC, BoTorch, HEBO
ceiling      what exact inference that is told more can know of drawn flags after noisy evaluations; needs no folders
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.benchmarks.search import (
    charts,
    fronts,
    overhead,
    panel_batches,
    panel_ceiling,
    panel_drawn,
    panel_fidelity,
    panel_noise,
    panel_objectives,
    panel_peers,
    panel_priors,
    panel_siblings,
    panels,
    pictures,
    single,
    transfer,
    variants,
)
from tests.benchmarks.search.drawn import KINDS, SPLIT
from tests.benchmarks.search.problems import DEV, MODELLED, core, pairs
from tests.benchmarks.search.runs import ROOT, Places
from tests.benchmarks.search.tables import DETAILS, with_details

MIXED = ("hlsyn/", "baco_cot/rise_mm", "baco_cot/mdh", "catbench/mm_rtx")  # core tables with failures beside DEV's


def main() -> int:
    options = _options()
    if options.table and WITHOUT_FOLDERS.issuperset(options.table):
        data = peers = Path()
    else:
        data = _folder("TUNEPASS_DATA", "SPLIT.json")
        needs_peers = set(options.table or TABLES) - WITHOUT_PEERS
        peers = _folder("TUNEPASS_PEERS", "results") if needs_peers else data
        if data is None or peers is None:
            return 2
    start = time.process_time()

    def told(text: str) -> None:
        print(f"[{time.process_time() - start:.0f} s] {text}", file=sys.stderr, flush=True)

    keep = options.keep or ROOT / "build" / "bench-search"
    bench = single.Bench(
        Places(data, keep), peers, options.seeds, options.others or options.seeds, options.evals, options.jobs, told
    )
    for name in options.table or list(TABLES):
        title, table = TABLES[name]
        text = table(bench, options)
        print(f"### {title}\n\n{text}\n", flush=True)
        if options.into:
            put(options.into, name, text)
        if options.pictures and name in PICTURES:
            draw(options.pictures / f"search-{name}.svg", PICTURES[name](bench, options))
    return 0


def draw(path: Path, panels: Sequence[charts.Panel]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(charts.picture(panels, FIRST_SHOWN), encoding="utf-8")


def put(page: Path, name: str, text: str) -> None:
    """Replace what the page has between `<!-- table: NAME -->` and `<!-- end -->`, by the table without its details."""
    text = text.partition(DETAILS)[0].rstrip()
    before, start, rest = page.read_text(encoding="utf-8").partition(f"<!-- table: {name} -->\n")
    _, end, after = rest.partition("<!-- end -->\n")
    if start and end:
        page.write_text(f"{before}{start}\n{text}\n\n{end}{after}", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0], epilog=(__doc__ or "").partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--table", action="append", choices=list(TABLES), help="only this one; may be repeated")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the first seed, of the panels")
    parser.add_argument("--evals", type=int, default=100)
    parser.add_argument("--problems", default="", help="only those whose name contains one of these, comma-separated")
    parser.add_argument("--strategies", default="", help="comma-separated; not of overhead, transfer, recall")
    parser.add_argument("--peers", default="", help="of the panels: only peers whose name contains one of these")
    parser.add_argument("--limit", type=float, default=600.0, help="of the table peers: CPU seconds a run")
    parser.add_argument(
        "--minutes", type=float, default=1e9, help="of the table peers: no run is started after these; 0: print only"
    )
    parser.add_argument("--others", type=int, help="seeds of strategies other than the first one (as many)")
    parser.add_argument("--switches", default="", help="only ablations with one of these words, comma-separated")
    parser.add_argument("--into", type=Path, help="a page whose tables, marked `<!-- table: NAME -->`, are replaced")
    parser.add_argument("--pictures", type=Path, help="a folder for the curves of dev, flags, reals and objectives")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--keep", type=Path, help="where runs are kept (build/bench-search)")
    return parser.parse_args()


def _folder(variable: str, holds: str) -> Path | None:
    stated = os.environ.get(variable)
    if stated and (Path(stated) / holds).exists():
        return Path(stated).resolve()
    problem = f"{stated} has no {holds}" if stated else "it is not set"
    print(f"{variable} must name the folder with {holds}: {problem}", file=sys.stderr)
    return None


Table = Callable[[single.Bench, argparse.Namespace], str]


def _chosen(names: list[str], options: argparse.Namespace) -> list[str]:
    wanted = _words(options.problems)
    return [name for name in names if not wanted or any(word in name for word in wanted)]


def _strategies(options: argparse.Namespace) -> list[str]:
    return _words(options.strategies) or list(variants.NAMED)


def _dev(bench: single.Bench, options: argparse.Namespace) -> str:
    return single.evaluations(bench, _chosen(list(DEV), options), _strategies(options))


def _core(bench: single.Bench, options: argparse.Namespace) -> str:
    return single.evaluations(bench, _chosen(core(bench.places.data), options), _strategies(options))


def _failures(bench: single.Bench, options: argparse.Namespace) -> str:
    more = [name for name in core(bench.places.data) if name.startswith(MIXED)]
    return single.failures(bench, _chosen([*DEV, *more], options), _strategies(options))


def _fronts(bench: single.Bench, options: argparse.Namespace) -> str:
    exhaustive = _chosen(["spatial/BlackScholes"], options)
    spector = _chosen([f"spector/{name}" for name in fronts.SPECTOR], options)
    ours = [s for s in _strategies(options) if s not in ("baco", "density_ratio")]  # those are for one objective
    parts = [fronts.fronts(bench.places, exhaustive, ours, (100, 200, 300, 500), bench.seeds)] if exhaustive else []
    if not spector:
        return "\n\n".join(parts)
    every = [*ours, *fronts.OPTUNA]
    parts.append(fronts.means(bench.places, spector, every, (20, 50, 100), bench.seeds))
    each = fronts.fronts(bench.places, spector, every, (20, 50, 100), bench.seeds)
    return with_details("\n\n".join(parts), each)


def _transfer(bench: single.Bench, options: argparse.Namespace) -> str:
    return transfer.table(bench.places, _pairs(bench, options), bench.seeds, bench.told)


def _recall(bench: single.Bench, options: argparse.Namespace) -> str:
    return transfer.recalls(bench.places, _pairs(bench, options), bench.seeds, bench.told)


def _pairs(bench: single.Bench, options: argparse.Namespace) -> list[tuple[str, str]]:
    found = pairs(bench.places.data)
    wanted = set(_chosen([target for _, target in found], options))
    return [pair for pair in found if pair[1] in wanted]


def _overhead(bench: single.Bench, options: argparse.Namespace) -> str:
    return overhead.overhead(bench.peers)


def _ablations(bench: single.Bench, options: argparse.Namespace) -> str:
    bases = [base for base in ("auto", "baco") if base in _strategies(options)]
    labels = [label for label in variants.ABLATIONS if label.partition(":")[0] in bases and "priors" not in label]
    words = _words(options.switches)
    labels = [label for label in labels if not words or any(word in label for word in words)]
    return single.ablations(bench, _chosen(list(DEV), options), labels)


def _priors(bench: single.Bench, options: argparse.Namespace) -> str:
    return single.priors(bench, _chosen([name for name in DEV if name not in MODELLED], options))


def _seeds(bench: single.Bench, options: argparse.Namespace) -> range:
    return range(options.first, options.first + bench.seeds)


def _words(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def _panel(options: argparse.Namespace) -> list[str]:
    return _words(options.strategies) or ["auto", "baco", "random"]


def _of_panel(bench: single.Bench, options: argparse.Namespace) -> tuple[list[str], range, int]:
    """Methods, seeds and processes of flags and reals."""
    return [*_panel(options), *panels.there(panels.PEERS, _words(options.peers))], _seeds(bench, options), bench.jobs


def _of_objectives(bench: single.Bench, options: argparse.Namespace) -> tuple[list[str], range, int]:
    several = [s for s in _panel(options) if s not in ("baco", "density_ratio")]  # those are for one objective
    peers = panels.there(panel_objectives.PEERS, _words(options.peers))
    return [*several, *peers], _seeds(bench, options), bench.jobs


def _flags(bench: single.Bench, options: argparse.Namespace) -> str:
    return panels.flags(bench.places, *_of_panel(bench, options))


def _reals(bench: single.Bench, options: argparse.Namespace) -> str:
    return panels.reals(bench.places, *_of_panel(bench, options), _words(options.problems))


def _noise(bench: single.Bench, options: argparse.Namespace) -> str:
    return panel_noise.table(bench.places, _chosen(list(panel_noise.PROBLEMS), options), _seeds(bench, options))


def _siblings(bench: single.Bench, options: argparse.Namespace) -> str:
    targets = sorted({target for _, target in _pairs(bench, options)})
    return panel_siblings.table(bench.places, targets, _seeds(bench, options))


def _fidelity(bench: single.Bench, options: argparse.Namespace) -> str:
    names = _chosen(list(panel_fidelity.NAMES), options)
    return panel_fidelity.table(bench.places, names, _seeds(bench, options))


def _batches(bench: single.Bench, options: argparse.Namespace) -> str:
    return panel_batches.table(bench.places, _chosen(list(panel_noise.PROBLEMS), options), _seeds(bench, options))


def _prior_means(bench: single.Bench, options: argparse.Namespace) -> str:
    return panel_priors.table(bench.places, _seeds(bench, options), _words(options.problems), bench.told)


def _drawn(bench: single.Bench, options: argparse.Namespace) -> str:
    searches = panel_drawn.methods(_words(options.strategies) or ["auto", "random"])
    first = options.first or SPLIT
    return panel_drawn.table(
        bench.places, _chosen(list(KINDS), options), searches, range(first, first + bench.seeds), bench.told
    )


def _ceiling(bench: single.Bench, options: argparse.Namespace) -> str:
    first = options.first or SPLIT
    return panel_ceiling.table(range(first, first + bench.seeds), bench.evals)


def _peers(bench: single.Bench, options: argparse.Namespace) -> str:
    data = _folder("TUNEPASS_DATA", "SPLIT.json")
    names = [*(panel_peers.recorded_names(data) if data else []), *panel_peers.DRAWN]
    words = _words(options.peers)
    methods = [*panel_peers.OURS, *(name for name in panel_peers.PEERS if not words or any(w in name for w in words))]
    first, until = options.first or SPLIT, time.monotonic() + 60 * options.minutes
    panel = panel_peers.Panel(
        Places(data or Path(), bench.places.kept), range(first, first + bench.seeds), panel_peers.MARKS[-1],
        options.limit, until, bench.told,
    )  # fmt: skip
    text = panel_peers.table(panel, _chosen(names, options), methods)
    return text if data else f"Recorded spaces were not searched: TUNEPASS_DATA names no folder.\n\n{text}"


def _objectives(bench: single.Bench, options: argparse.Namespace) -> str:
    return panel_objectives.table(bench.places, *_of_objectives(bench, options), _words(options.problems))


TABLES: dict[str, tuple[str, Table]] = {
    "dev": ("Optimum over best on the DEV problems", _dev),
    "core": ("Optimum over best on the developers' core tables", _core),
    "failures": ("Failed evaluations", _failures),
    "fronts": ("Share of the true front's hypervolume", _fronts),
    "transfer": ("Another device's table as the prior mean", _transfer),
    "recall": ("HiPerBOt's recall with a source", _recall),
    "overhead": ("CPU time and memory on MM_GPU's space", _overhead),
    "priors": ("Priors of the parameters on the complete DEV tables", _priors),
    "flags": ("Optimum over best with 60 and 120 flags", _flags),
    "objectives": ("Share of the hypervolume of two, three and more objectives", _objectives),
    "reals": ("Regret on functions of reals", _reals),
    "noise": ("Recorded tables measured with noise", _noise),
    "fidelity": ("A cheap level beside the objective", _fidelity),
    "batches": ("Suggestions in batches", _batches),
    "prior-means": ("Right and wrong prior means", _prior_means),
    "drawn": ("Drawn problems", _drawn),
    "ceiling": ("What exact inference can know of drawn flags", _ceiling),
    "peers": ("Installed peers in one run", _peers),
    "siblings": ("Earlier searches of sibling kernels as the prior mean", _siblings),
    "ablations": ("One switch at a time on the DEV problems", _ablations),
}

WITHOUT_FOLDERS = frozenset({"drawn", "ceiling", "peers"})  # tables of problems that are drawn
WITHOUT_PEERS = frozenset({"prior-means"})  # tables that show no other tuner's runs
FIRST_SHOWN = 10  # evaluation of a picture
PICTURES: dict[str, Callable[[single.Bench, argparse.Namespace], list[charts.Panel]]] = {
    "dev": lambda bench, options: pictures.recorded(bench, _chosen(list(DEV), options), _strategies(options)),
    "flags": lambda bench, options: pictures.flags(bench.places, *_of_panel(bench, options)),
    "reals": lambda bench, options: pictures.reals(bench.places, *_of_panel(bench, options), _words(options.problems)),
    "objectives": lambda bench, options: pictures.objectives(
        bench.places, *_of_objectives(bench, options), _words(options.problems)
    ),
}

if __name__ == "__main__":
    raise SystemExit(main())
