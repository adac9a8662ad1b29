"""What `import` reads of other tuners: Kernel Tuner's scripts, KTT's programs, T1 files and NNI's search spaces."""

from __future__ import annotations

import contextlib
import json
import random
from pathlib import Path

from tests.fuzz.gentle import varied
from tests.fuzz.mutation import mutated
from tunepass.commands import import_
from tunepass.commands.grammar.arguments import parse as parse_arguments
from tunepass.diagnostics import Source, TunepassError
from tunepass.jobs.reading import parse

Tree = dict[str, "Tree"] | list["Tree"] | str | int | float | bool | None
KERNEL = """\
extern "C" __global__ void blur(float *out, const float *in, const float *weights, int n)
{
    int x = blockIdx.x * block_size_x * tile + threadIdx.x;
    for (int t = 0; t < tile; t++)
        out[x + t * block_size_x] = in[x + t * block_size_x] * weights[t];
}
"""
LISTS = (
    *("[32, 64, 128]", "[32 * i for i in range(1, 9)]", "[2**i for i in range(5, 9)]", "list(range(32, 129, 32))"),
    *("(32, 64)", "[64]", "[32] + [64, 128]"),
)
SMALL_LISTS = ("[1, 2, 4]", "[1, 2, 4, 8]", "list(range(1, 5))", "[2**i for i in range(3)]")
CONDITIONS = ("block_size_x * tile <= 1024", "block_size_x >= 32", "block_size_x % 32 == 0 and tile < 100", "tile != 3")


def check(path: Path) -> None:
    """What `import` answers; where it writes a source, that is read again."""
    path.with_name("blur.cu").write_text(KERNEL)
    path.with_name("model.py").write_text(MODEL)
    words = ["import", str(path), *(["--source", str(path.with_name("model.py"))] if path.name == "nni.json" else [])]
    answer = import_.run(parse_arguments(words))
    assert answer.render("text") and json.loads(answer.render("json"))
    suffix = ".py" if path.name == "nni.json" else ".cu"
    with contextlib.suppress(TunepassError):  # a kernel without its launch, say: the notes name what is missing
        parse(Source(f"tuned{suffix}", answer.render("text")))


# -- Kernel Tuner


def script_case(rng: random.Random) -> str:
    text = _script(rng)
    return varied(rng, text, "#", (text, _script(rng)), wrong=0.35)


def _script(rng: random.Random) -> str:
    """A script with its sizes, parameters, arguments and restrictions in one of several usual forms."""
    size = rng.choice(("4096", "1024 * 4", "(4096, 16)", "2**12", "int(4096)"))
    params = [("block_size_x", rng.choice(LISTS)), ("tile", rng.choice(SMALL_LISTS))]
    params += [("mode", "['fast', 'exact']")] if rng.random() < 0.2 else []
    started = rng.choice(("dict()", "{}", "OrderedDict()"))
    written = "\n".join(f'tune_params["{name}"] = {values}' for name, values in params)
    literal = "tune_params = {" + ", ".join(f'"{name}": {values}' for name, values in params) + "}"
    tuned = literal if rng.random() < 0.4 else f"tune_params = {started}\n{written}"
    condition = rng.choice(CONDITIONS)
    lambdas = ('lambda p: p["tile"] < 4', "lambda p: p['block_size_x'] * p['tile'] <= 512")
    restrict = rng.choice(("[]", f'["{condition}"]', f"[{rng.choice(lambdas)}]", f'["{condition}", {lambdas[0]}]'))
    array = rng.choice(("numpy.zeros(n).astype(numpy.float32)", "numpy.random.randn(n).astype(numpy.float32)"))
    kernel = rng.choice(('"blur.cu"', f'"""{KERNEL}"""', f'"""{KERNEL}"""'))
    options = rng.choice(("", ', grid_div_x=["block_size_x", "tile"]', ", lang='CUDA', verbose=True", ", iterations=7"))
    return (
        "import numpy\nfrom kernel_tuner import tune_kernel\nfrom collections import OrderedDict\n"
        f"n = 65536\nproblem_size = {size}\n{tuned}\nargs = [{array}, {array}, {array}, numpy.int32(n)]\n"
        f'tune_kernel("blur", {kernel}, problem_size, args, tune_params, restrictions={restrict}{options})\n'
    )


# -- KTT


def program_case(rng: random.Random) -> str:
    text = _program(rng)
    return varied(rng, text, "//", (text, _program(rng)), wrong=0.35)


def _program(rng: random.Random) -> str:
    values = rng.choice(("8, 16, 32, 64", "32, 64", "64", "16, 8"))
    lines = [f'    tuner.AddParameter(kernel, "block_size_x", std::vector<uint64_t>{{{values}}});']
    lines += [f'    tuner.AddParameter(kernel, "tile", {rng.choice(("std::vector<uint64_t>", ""))}{{1, 2, 4}});']
    if rng.random() < 0.6:
        condition = rng.choice(("v[0] * v[1] >= 32", "v[0] <= 512", "v.at(0) % 8 == 0 || v.at(1) > 1"))
        lambda_ = f"[](const std::vector<uint64_t>& v) {{return {condition};}}"
        lines.append(f'    tuner.AddConstraint(kernel, {{"block_size_x", "tile"}}, {lambda_});')
    dimension = rng.choice("XYZ")
    modifier = f"ktt::ModifierType::Local, ktt::ModifierDimension::{dimension}"
    action = '"block_size_x", ktt::ModifierAction::Multiply'
    lines.append(f"    tuner.AddThreadModifier(kernel, {{definition}}, {modifier}, {action});")
    access = rng.choice(("ReadOnly", "ReadWrite"))
    lines += [
        f"    const auto in = tuner.AddArgumentVector(image, ktt::ArgumentAccessType::{access});",
        "    const auto out = tuner.AddArgumentVector(result, ktt::ArgumentAccessType::WriteOnly);",
        "    const auto size = tuner.AddArgumentScalar(width);",
        "    tuner.SetArguments(definition, {out, in, in, size});",
    ]
    started = "AddKernelDefinitionFromFile" if rng.random() < 0.8 else "AddKernelDefinition"
    return (
        "#include <Ktt.h>\n#include <vector>\nint main(int argc, char** argv)\n{\n"
        f"    const int width = {rng.choice((64, 1024))};\n"
        "    std::vector<float> image(width * width);\n    std::vector<float> result(width * width, 0.0f);\n"
        "    ktt::Tuner tuner(0, 0, ktt::ComputeApi::CUDA);\n"
        f'    const auto definition = tuner.{started}("blur", "blur.cu",\n'
        "        ktt::DimensionVector(width, width), ktt::DimensionVector());\n"
        '    const auto kernel = tuner.CreateSimpleKernel("Blur", definition);\n' + "\n".join(lines) + "\n"
        "    tuner.Tune(kernel);\n    return 0;\n}\n"
    )


# -- T1


def t1_case(rng: random.Random) -> str:
    tree = _t1(rng)
    if rng.random() < 0.25:
        _damage(rng, tree)
    text = json.dumps(tree, indent=rng.choice((None, 1, "\t")))
    return mutated(rng, text, (text,)) if rng.random() < 0.25 else text


def _t1(rng: random.Random) -> dict[str, Tree]:
    parameters: list[Tree] = [
        {"Name": "block_size_x", "Type": "int", "Values": rng.choice(LISTS[:3]), "Default": 64},
        {"Name": "tile", "Type": "int", "Values": rng.choice(SMALL_LISTS), "Default": rng.choice((1, [2], 2))},
    ]
    arguments: list[Tree] = [
        {"Name": name, "Type": "float", "MemoryType": "Vector", "AccessType": access,
         "FillType": rng.choice(("Random", "Constant")), "Size": rng.choice((4096, "4 * max(tile)", "ProblemSize[0]"))}
        for name, access in (("out", "WriteOnly"), ("in", "ReadOnly"), ("weights", "ReadOnly"))
    ]  # fmt: skip
    arguments.append({"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": rng.choice((1, 4096))})
    specification: dict[str, Tree] = {
        "Language": rng.choice(("CUDA", "CUDA", "OpenCL", "HIP")),
        "KernelName": "blur",
        "KernelFile": "blur.cu",
        "LocalSize": {"X": "block_size_x", "Y": "1", "Z": "1"},
        "ProblemSize": rng.choice(([4096, 1], [4096, 16, 1], "[4096, 1]", 4096)),
        "Arguments": arguments,
    }
    if rng.random() < 0.5:
        specification["GridDivX"] = ["block_size_x", "tile"]
    if rng.random() < 0.3:
        specification["CompilerOptions"] = ["-O3", "-lineinfo"]
    conditions: list[Tree] = [
        {"Parameters": ["block_size_x", "tile"], "Expression": rng.choice(CONDITIONS)} for _ in range(rng.randrange(3))
    ]
    space: dict[str, Tree] = {"TuningParameters": parameters, "Conditions": conditions}
    return {"ConfigurationSpace": space, "KernelSpecification": specification, "General": {"Author": "é \u202e"}}


ODD_VALUES: tuple[Tree, ...] = (
    None,
    True,
    -1,
    2**70,
    1e308,
    "",
    "x",
    "\x1b[31m",
    "__import__('os')",
    [],
    {},
    [[]],
    "9" * 5000,
)


def _damage(rng: random.Random, tree: Tree) -> None:
    """Another value somewhere in the tree, or a field less."""
    while isinstance(tree, dict | list) and tree:
        key = rng.choice(list(tree)) if isinstance(tree, dict) else rng.randrange(len(tree))
        child = tree[key]  # type: ignore[index,call-overload]
        if not isinstance(child, dict | list) or not child or rng.random() < 0.2:
            if rng.random() < 0.3:
                del tree[key]  # type: ignore[arg-type]
            else:
                tree[key] = rng.choice(ODD_VALUES)  # type: ignore[index,call-overload]
            return
        tree = child


# -- NNI

MODEL = """\
import keras
from keras import layers
units = 16
rate = 0.5
activation = "relu"
depth = 1
inputs = keras.Input((64,))
x = layers.Dense(units, activation=activation)(inputs)
x = layers.Dropout(rate)(x)
for i in range(depth):
    x = layers.Dense(32)(x)
model = keras.Model(inputs, layers.Dense(10)(x))
"""
DOMAINS: dict[str, tuple[Tree, ...]] = {
    "units": (
        {"_type": "choice", "_value": [16, 32, 64]},
        {"_type": "randint", "_value": [8, 32]},
        {"_type": "quniform", "_value": [16, 64, 16]},
    ),
    "rate": (
        {"_type": "uniform", "_value": [0.1, 0.9]},
        {"_type": "choice", "_value": [0.25, 0.5]},
        {"_type": "loguniform", "_value": [0.001, 0.5]},
        {"_type": "quniform", "_value": [0, 1, 0.25]},
    ),
    "activation": ({"_type": "choice", "_value": ["relu", "tanh"]},),
    "depth": ({"_type": "randint", "_value": [1, 4]}, {"_type": "choice", "_value": [1, 2]}),
}


def nni_case(rng: random.Random) -> str:
    names = rng.sample(list(DOMAINS), rng.randrange(1, 5))
    tree: dict[str, Tree] = {name: json.loads(json.dumps(rng.choice(DOMAINS[name]))) for name in names}
    if rng.random() < 0.25:
        _damage(rng, tree)
    text = json.dumps(tree, indent=rng.choice((None, 2)))
    return mutated(rng, text, (text,)) if rng.random() < 0.2 else text
