"""A study in a PostgreSQL database, which several machines go on with; here two processes stand for them.

pip install 'tunepass[postgres]'
createdb --encoding=UTF8 tuning
python samples/integrations/postgres_store.py postgresql://me@server/tuning
"""

import sys
from collections import Counter
from multiprocessing import Pool
from time import sleep

import tunepass as tp

SPACE = tp.Space(
    [tp.Ordinal("tile", [8, 16, 32, 64, 128], log=True), tp.Integer("unroll", 1, 8)], constraints=["tile % unroll == 0"]
)


def open_study(url: str) -> tp.Study:
    """The study of this name, made by the first process."""
    return tp.Study(SPACE, [tp.Objective("time", unit="s")], seed=0, max_evals=12, store=url, name="matmul")


def evaluate(machine: tuple[str, str]) -> Counter[str]:
    """Evaluate until the trials of all machines together are 12; how many were this one's."""
    url, name = machine
    study, own = open_study(url), Counter[str]()
    while configurations := study.suggest(1):
        for c in configurations:
            sleep(0.05)  # a made-up cost, in place of a compiler and a run
            study.observe(c, tp.Measured({"time": 1 + abs(c["tile"] - 32) / 8 + 4 / c["unroll"]}))
            own[name] += 1
    return own


if __name__ == "__main__":
    with Pool(2) as machines:
        parts = machines.map(evaluate, [(sys.argv[1], "one"), (sys.argv[1], "two")], chunksize=1)
    done = open_study(sys.argv[1])
    best = done.best
    print(f"{len(done.trials)} trials, {sum(map(len, parts))} machines")
    print(f"best time: {best.outcome.values['time']:.3f} s with {dict(best.configuration)}")
