# make demo: set up .venv and tune a real kernel.  make test: set up and run the tests.  make test-slow: the slow ones.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NATIVE := $(wildcard native/*.py native/*.h native/include/*.h native/src/*.c native/src/*.h)
STAMP := $(VENV)/.installed
EXTRAS ?= dev
unexport PYTHONDONTWRITEBYTECODE # the tests start Python and tunepass many times: what is compiled is kept

.PHONY: demo test test-slow test-all lint types dist-check bench bench-applications bench-c bench-cc bench-checks bench-choices bench-deep bench-dnn bench-embedding bench-flags bench-fpga bench-gpu bench-gpu-device bench-hypermapper bench-hypermapper-quality bench-scenarios bench-instances bench-kernel-tuner bench-kernel-tuner-simulation bench-llvm bench-mlir bench-mlir-prior bench-long-store bench-loop-auto bench-model bench-objectives bench-optuna bench-projects bench-registers bench-resources bench-search bench-sparse bench-taco bench-trust nests lines names kills faults attack fuzz native clean bench-halide bench-dask bench-store

$(STAMP): setup.py pyproject.toml $(NATIVE)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS)]'
	touch $@

demo: $(STAMP)
	$(BIN)/tunepass build samples/c/matmul_auto.c -o out --budget 40s -- gcc -O2
	$(BIN)/tunepass report samples/c/matmul_auto.c -o out/matmul_auto.html

test: $(STAMP)
	$(BIN)/python -m pytest -n 3 --dist worksteal

# The tests that make test leaves out because a quicker one covers the same code.
test-slow: $(STAMP)
	$(BIN)/python -m pytest -n 4 --dist worksteal --slow

# Both, with all examples of properties and all cases of long lists.
test-all: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist worksteal --all

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# mypy cannot follow an editable install's finder, so it reads a folder laid out as the installed package.
types: $(STAMP)
	rm -rf .typecheck && mkdir -p .typecheck/tunepass
	ln -s $(CURDIR)/tunepass/* $(CURDIR)/frontends $(CURDIR)/hwmodels .typecheck/tunepass/
	cd .typecheck && ../$(BIN)/mypy --config-file ../pyproject.toml --cache-dir ../.mypy_cache -p tunepass

# The sdist and the wheel: whole, installed in a fresh environment, used and type-checked there (a minute or two).
dist-check:
	PYTHON=$(PYTHON) .ci/check_dist.sh

bench: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pyatf>=0.0.13' 'python-constraint2>=2.0'
	$(BIN)/python tests/benchmarks/bench_space.py
	$(BIN)/python tests/benchmarks/bench_expr.py

# What is read of models, what limits leave, NAS-Bench-101's cells. ARGS='limits', ARGS=--list.
bench-dnn: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_dnn $(ARGS)

# Hard spaces, 5,000 observations, a store of 200,000 trials: seconds and memory against their bounds (a minute).
bench-resources: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_resources $(ARGS)

# Requests a second of `tunepass hypermapper` over its pipes, in memory and in a store (two minutes). ARGS="--trials 1000".
bench-hypermapper: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_hypermapper $(ARGS)

# Public C projects built in each way that applies a choice: identical objects? (fifteen minutes). ARGS='CHECKOUTS --clang clang'.
bench-projects: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_projects $(ARGS)

# Scenarios of HyperMapper, BaCO and their kin that others wrote: how many run (some two seconds each). ARGS='CHECKOUT...'.
bench-scenarios: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_scenarios $(ARGS)

# HyperMapper's own examples by HyperMapper and by tunepass (hours). ARGS="--examples CHECKOUT --python VENV/bin/python".
bench-hypermapper-quality: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_hypermapper_quality $(ARGS)

# Claims and records a second of stores in SQLite and PostgreSQL (seconds).
bench-store: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_store


# Commands about a store of 200,000 trials: CPU seconds, memory, sizes of pages (two minutes). ARGS=20000 for fewer trials.
bench-long-store: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_long_store $(ARGS)

# Four to six objectives beside Optuna, by ARGS="--methods auto,SMAC,BoTorch" beside others, where installed: docs/search.md
bench-objectives: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_objectives $(ARGS)

# What tunepass inside Optuna costs beside tunepass alone (half a minute). ARGS='--storage sqlite --trials 60'.
bench-optuna: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'optuna>=3.6'
	$(BIN)/python -m tests.benchmarks.bench_optuna $(ARGS)

# The tables of docs/search.md from recorded data: TUNEPASS_DATA and TUNEPASS_PEERS name its folders. ARGS="--table dev".
bench-search: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_search $(ARGS)

# Searches over Dask's processes on this machine: 1,000 trials of 50 ms with 2 and 4, thirty killed workers, and a simulation of
# 1,000 workers with what was measured (three minutes). ARGS=--quick: one minute.
bench-dask: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'distributed>=2023.5'
	$(BIN)/python -m tests.benchmarks.bench_dask $(ARGS)

# Races over instances beside evaluations on all of them, at equal numbers of runs (five minutes). ARGS="--problems 12".
bench-instances: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_instances $(ARGS)

# Deep processes on recorded designs of the accelerator; --quick: some minutes, else days, resumable.
bench-deep: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_deep $(ARGS)

# The sparse process beside the full one on a subset of the rows, after 2,000 trials (15 minutes). ARGS="--seeds 3".
bench-sparse: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_sparse $(ARGS)

# Lines of Python by folder, now and in another commit. BASE=f612079. CODE=1: without blank lines, comments and docstrings.
lines:
	$(PYTHON) tests/benchmarks/lines.py $(BASE) $(if $(CODE),--code)

# Vague identifiers and docstring openings by folder and word. UPDATE=1 lowers the bounds of tests/vague_names.txt to them.
names: $(STAMP)
	$(BIN)/python -m tests.benchmarks.vague_names $(if $(UPDATE),--update)

# Builds ended at random moments, most with -9, resumed and compared with an undisturbed one: a thousand times in some
# ten minutes. ARGS='--kills 100'.
kills: $(STAMP)
	$(BIN)/python tests/benchmarks/kill_builds.py $(or $(ARGS),--kills 1000)

# Two thousand commands in which a call of the operating system fails: a documented status, a line that says what failed,
# nothing lost, and the next run succeeds (an hour on two cores). ARGS='--runs 200 --target cc --seed 7'.
faults: $(STAMP)
	$(BIN)/python -m tests.faults.run $(ARGS)

# Kernels that cheat, are wrong or misbehave, each built as root, as a user and without user namespaces (some minutes; root
# builds the enclosures that they cannot leave). ARGS='--only cheats/ --privileges without'.
attack: $(STAMP)
	$(BIN)/python -m tests.attacks.run $(ARGS)

# 177,000 inputs, many wrong in some way: sources of all languages, other tuners' files, descriptions, models, locks, stores,
# expressions, data, lines for `serve` (two hours on two cores). ARGS="--kind c --scale 0.1 --seed 7"
fuzz: $(STAMP)
	$(BIN)/python -m tests.fuzz $(ARGS)

# Three hundred random loop nests, rewritten, and as many imperfect ones and ones in other forms (C and C++) under two schedules each,
# under the sanitizers of gcc and clang (about an hour).
nests: $(STAMP)
	TUNEPASS_TEST_NESTS=300 $(BIN)/python -m pytest --all -n 2 tests/properties/test_loop_rewrites.py tests/properties/test_scop_schedules.py tests/properties/test_nest_forms.py

# PolyBench/C 4.2.1 with one pragma line a kernel: read, legal schedules right, gain beside Polly and -Ofast (hours; it goes
# on where it stopped). TUNEPASS_POLYBENCH names its folder, else it is fetched. ARGS='--kernels gemm,lu --budget 20s'.
bench-c: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_c $(ARGS)

# `loop auto` beside eight kernels whose loops were annotated by hand (ten minutes). ARGS='--kernels gemm,syrk --seeds 3'.
bench-loop-auto: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_loop_auto $(ARGS)

# What `tunepass cc` adds to a compiler's call, in CPU time (half a minute).
bench-cc: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_cc $(ARGS)

# Two hundred files by -include, gcc's plugin and `tunepass cc`: the same objects? CPU time beyond the compiler's (ten
# minutes; gcc's plugin headers). ARGS='--files 20'.
bench-choices: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_choices $(ARGS)

# A thousand pipelines in one process, and forty builds of C: memory, open files, threads, children: docs/embedding.md (a
# quarter of an hour). ARGS='--toy 100 --c 0'.
bench-embedding: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_embedding $(ARGS)

# Whole applications beside Optuna's TPE and OpenTuner, five seeds of a minute each (two hours; it goes on where it stopped).
# ARGS='--checkouts DIR --python VENV/bin/python', see the script; --budget 20 --seeds 1 for a first impression.
bench-applications: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_applications $(ARGS)

# All flags of gcc beside Optuna, OpenTuner, random and genetic search (many hours; finished searches are kept).
# ARGS as above; --measure instructions --programs tinyexpr --evaluations 50 --seeds 1 for a first impression.
bench-flags: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_flags $(ARGS)

# For whoever has a GPU, in one go: driver and YAML side by side, the model's times beside measured ones, a build of each
# sample (ten minutes; no network). ARGS='--device cuda:0 --configurations 200 --out FILE [SOURCE...]'.
bench-gpu-device: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_gpu_device $(ARGS)

# Schedules of six pipelines of Halide beside its own autoschedulers (half an hour). ARGS='--evaluations 60 --apps blur'.
bench-halide: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'halide>=21'
	$(BIN)/python -m tests.benchmarks.bench_halide $(ARGS)

# LLVM's passes for eight functions beside level 3 and OpenTuner (half an hour). ARGS='--evaluations 60 --kernels syrk'.
bench-llvm: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'llvmlite>=0.50' opentuner
	$(BIN)/python -m tests.benchmarks.bench_llvm $(ARGS)

# Modules of MLIR with knobs beside the same loops in C with `loop auto` (ten minutes). ARGS='--evaluations 40 --seeds 3'.
bench-mlir: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'torch-mlir>=20261001'
	$(BIN)/python -m tests.benchmarks.bench_mlir $(ARGS)

# The CPU model as a prior for recorded modules of MLIR; the first run measures them (half an hour). TUNEPASS_BENCH_CACHE names a folder.
bench-mlir-prior: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'torch-mlir>=20261001'
	$(BIN)/python -m tests.benchmarks.bench_mlir_prior $(ARGS)

# Kernel Tuner's C backend for the same wall time on three kernels (a quarter of an hour). ARGS='--python VENV/bin/python'.
bench-kernel-tuner: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_kernel_tuner $(ARGS)

# tunepass as a strategy of Kernel Tuner beside its own, in simulation on recorded spaces of TUNEPASS_DATA (a quarter of an hour).
# PYTHON_WITH_KERNEL_TUNER has tunepass and Kernel Tuner: `make EXTRAS=kernel-tuner` makes one.
PYTHON_WITH_KERNEL_TUNER ?= $(BIN)/python
bench-kernel-tuner-simulation:
	$(PYTHON_WITH_KERNEL_TUNER) -m tests.benchmarks.kernel_tuner.simulation $(ARGS)

# Sparse tensor kernels: spaces, results, SciPy, Optuna's TPE and OpenTuner (hours; it goes on where it stopped).
# ARGS='--python VENV/bin/python --kernels spmm --tensors 1 --seeds 1'.
bench-taco: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_taco $(ARGS)

# Searches of recorded loop nests with the model as prior mean, without, and inverted: TUNEPASS_BENCH_CACHE names a folder.
bench-model: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_model_prior $(ARGS)

# The model of GPU kernels beside tables recorded on real GPUs (TUNEPASS_DATA), and searches with it (an hour or two).
# ARGS='--table predictions' takes half a minute.
bench-gpu: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_gpu $(ARGS)

# Estimated registers of the CUDA samples' variants beside ptxas's. ARGS='--fit' fits them anew (a quarter of an hour).
bench-registers: $(STAMP)
	$(BIN)/python -m tests.benchmarks.gpu.registers $(ARGS)

# Can a build be trusted: kernels that nothing changes, a busy machine, several seeds (half an hour).
bench-trust: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_trust $(ARGS)

# Right schedules that are refused, wrong kernels that are believed, and what checks cost (an hour; ARGS="--schedules 5": ten minutes).
bench-checks: $(STAMP)
	$(BIN)/python -m tests.benchmarks.bench_checks $(ARGS)

# The models of FPGAs: fidelity and regressions (TUNEPASS_DATA: the recorded spaces), speed, exact fronts, HyperMapper 2.0's
# experiments, HLS beside records. ARGS are for HyperMapper's, which take hours as they are: ARGS=--quick minutes.
# SPATIAL and HLS: folders with other people's sources, to count what is read, priced and written back.
bench-fpga: $(STAMP)
	$(BIN)/python tests/benchmarks/bench_fpga.py
	$(BIN)/python -m tests.benchmarks.fit_fpga
	$(BIN)/python tests/benchmarks/bench_model_speed.py
	$(BIN)/python tests/benchmarks/bench_fronts.py --exhaust 3e8
	$(BIN)/python -m tests.benchmarks.bench_paper $(ARGS)
	$(BIN)/python -m tests.benchmarks.bench_goal
	$(BIN)/python -m tests.benchmarks.bench_hls
	$(if $(SPATIAL),$(BIN)/python tests/benchmarks/bench_spatial_files.py $(SPATIAL))
	$(if $(SPATIAL),$(BIN)/python -m tests.benchmarks.bench_spatial_emission $(SPATIAL))
	$(if $(HLS),$(BIN)/python -m tests.benchmarks.bench_hls_files $(HLS))

native: $(STAMP)
	$(BIN)/python setup.py --quiet build_ext --inplace

clean:
	rm -rf build .typecheck out *.egg-info $(VENV)
