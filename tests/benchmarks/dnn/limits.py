"""What limits leave: the spaces of Tables III and IV of DnnSAT (Gao et al., ICSE 2021), and one of 10**12.

    python -m tests.benchmarks.dnn.limits

Table III is on our own arithmetic, beside what the paper reports: its first rows of weights and FLOPs are matched, the
others cannot be (their shares follow from costs per image that have no constant part). Milliseconds of CPU are those
after reading, the best of several; the paper took 1.1 s with interval filtering and 19,681 s without on Table IV. Where
the extra smt is installed, Z3 answers Table IV too: as the solver `z3`, which asks about boxes, and as the paper does,
one configuration after the other in subspaces as small as its smallest.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tunepass.diagnostics import Source
from tunepass.expr import algebra
from tunepass.frontends.dnn.frontend import DnnFrontend
from tunepass.hwmodels.dnn.device import load
from tunepass.hwmodels.dnn.model import priced
from tunepass.ir.graph import Graph
from tunepass.pruning.base import Count, Remaining, Solver, solver
from tunepass.pruning.smt import smt_script
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Ordinal, Parameter

MODELS = Path(__file__).parents[2] / "frontends" / "dnn" / "architectures"
GIB, MIB = 2**30, 2**20
VGG = """# tunepass param batch_size: integer(1..256) = 32
# tunepass param kernel: ordinal(1, 3, 5) = 3
# tunepass param unit: ordinal(128, 512, 1024, 4096, 10240) = 4096
kernel = 3
unit = 4096
"""
SEQ2SEQ = """# tunepass param batch_size: integer(1..4800) = 64
# tunepass param latent: integer(16..20) = 16
"""
ROWS = (  # resource, unit, what a unit is, and bounds with the shares that the paper reports, in percent
    ("weight_byte", "MiB", MIB, ((1024, 80.0), (512, 60.0), (128, 0.0))),
    ("flops", "Gi", GIB, ((4096, 58.4), (3584, 51.1), (3072, 43.7))),
    ("memory_sum", "GiB", GIB, ((12, 84.3), (8, 56.2), (6, 42.1))),
    ("time", "ms", 1e-3, ((1000, 80.3), (800, 64.0), (10, 0.7))),
)
SOLVERS = ("diagram", "intervals")
TINY = 20  # configurations of a subspace


class Model:
    """A source's parameters, and what it takes on a P40."""

    def __init__(self, name: str, text: str):
        (self.kernel,) = DnnFrontend().parse(Source(name, text)).kernels
        self.costs = priced(self.kernel.body_as(Graph), load("p40"))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return self.kernel.parameters

    def limit(self, resource: str, most: float) -> Constraint:
        return Constraint(algebra.compare(self.costs.values[resource], "<=", most), f"{resource} <= {most:g}")


def vgg() -> Model:
    text = (MODELS / "vgg16_keras.py").read_text()
    return Model("vgg16_keras.py", VGG + text.replace("4096", "unit").replace("filters, 3,", "filters, kernel,"))


def seq2seq() -> Model:
    text = (MODELS / "lstm_seq2seq_keras.py").read_text()
    return Model("lstm_seq2seq_keras.py", SEQ2SEQ + text)


def milliseconds(work: Callable[[], Remaining], times: int = 5) -> tuple[float, Count]:
    """The best of several, with the lists of values that are left."""
    best, count = float("inf"), Count(0, 0)
    for _ in range(times):
        begun = time.process_time()
        left = work()
        left.kept()
        best, count = min(best, time.process_time() - begun), left.count
    return best * 1e3, count


def timed(parameters: Sequence[Parameter], conditions: Sequence[Constraint]) -> str:
    def with_(one: Solver) -> Callable[[], Remaining]:
        return lambda: one.remaining(parameters, conditions)

    found = {name: milliseconds(with_(solver(name))) for name in SOLVERS}
    assert len({count for _, count in found.values()}) == 1, found
    return ", ".join(f"{name} {best:.1f} ms" for name, (best, _) in found.items())


def table_three() -> None:
    model = vgg()
    total = 256 * 3 * 5
    print(f"Table III, VGG-16, {total:,} configurations: what is left, in percent (the paper's own in brackets)")
    for resource, unit, factor, bounds in ROWS:
        shares = []
        for most, reported in bounds:
            left = solver("diagram").remaining(model.parameters, [model.limit(resource, most * factor)])
            shares.append(f"{most:>5} {unit} {100 * left.count.low / total:5.1f} ({reported:4.1f})")
        print(f"  {resource:12}", "  ".join(shares))
    every = [model.limit(resource, bounds[0][0] * factor) for resource, _, factor, bounds in ROWS]
    print("  all four first bounds:", timed(model.parameters, every))


def table_four() -> None:
    model = seq2seq()
    print("Table IV, Seq2Seq, 24,000 configurations")
    for most in (1e15, 1.5e10):
        conditions = [model.limit("flops", most)]
        left = solver("diagram").remaining(model.parameters, conditions).count.low
        print(f"  flops <= {most:g}: {left:,} left;", timed(model.parameters, conditions))
        if importlib.util.find_spec("z3") is not None:
            print("   ", by_z3(model.parameters, conditions, left))


def by_z3(parameters: Sequence[Parameter], conditions: Sequence[Constraint], expected: int) -> str:
    """Seconds of CPU of Z3 asked about boxes, and of its listing all that is left in one tiny subspace."""
    begun = time.process_time()
    count = solver("z3").remaining(parameters, conditions).count
    assert (count.low, count.high) == (expected, expected), count
    boxes = time.process_time() - begun
    batch, latent = parameters
    part = Ordinal(batch.name, list(batch.domain)[-TINY:]), Ordinal(latent.name, [latent.domain[-1]])
    begun = time.process_time()
    found = listed("\n".join(smt_script(part, conditions, (), "a subspace of Table IV")))
    listing = time.process_time() - begun
    subspaces = batch.size * latent.size // TINY
    return (
        f"z3 in boxes {boxes:.1f} s; one by one {listing:.2f} s for {found} configurations of a subspace of {TINY}, "
        f"of which there are {subspaces:,}"
    )


def listed(script: str) -> int:
    """How many models Z3 finds, each forbidden once it is found."""
    z3 = importlib.import_module("z3")
    asked, found = z3.Solver(), 0
    asked.from_string(script)
    while asked.check() == z3.sat:
        model = asked.model()
        asked.add(z3.Or([name() != model[name] for name in model.decls() if name.range() == z3.IntSort()]))
        found += 1
    return found


def widths(values: Sequence[int], most: int, name: str) -> None:
    """Ten layers, each as wide as the next one's input."""
    parameters = tuple(Ordinal(f"w{i}", list(values)) for i in range(10))
    text = "27 * w0 + " + " + ".join(f"9 * w{i} * w{i + 1}" for i in range(9)) + f" <= {most}"
    begun = time.process_time()
    count = solver("diagram").remaining(parameters, [Constraint.parse(text, parameters)]).count
    told = f"{count.low:,} left" if count.exact else f"{count.low:,} to {count.high:,} left, a gap of {count.gap:.2%}"
    print(f"  {name}: {told}; {time.process_time() - begun:.1f} s")


def main() -> None:
    table_three()
    table_four()
    print(f"Ten widths of 16 values, {16**10:,} configurations")
    widths(range(32, 513, 32), 8_000_000, "multiples of 32")
    widths((17, 23, 31, 37, 41, 53, 61, 73, 89, 101, 127, 163, 191, 257, 319, 511), 2_000_000, "odd widths")


if __name__ == "__main__":
    main()
