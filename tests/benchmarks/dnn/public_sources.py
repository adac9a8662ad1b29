"""Which models checkouts of public repositories have, and what goes into them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

SMALL_CLIPS = ("r3d_18", "mc3_18", "r2plus1d_18")
IMAGE = "x: float32[1, 3, 224, 224]"
CLIP = "x: float32[1, 3, 16, 112, 112]"
LARGE_CLIP = "x: float32[1, 3, 16, 224, 224]"

# pytorch/examples: a file, the call that makes the model, and its inputs.
EXAMPLES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("mnist/main.py", "Net()", ("x: float32[64, 1, 28, 28]",)),
    ("mnist_hogwild/main.py", "Net()", ("x: float32[64, 1, 28, 28]",)),
    ("mnist_rnn/main.py", "Net()", ("x: float32[64, 1, 28, 28]",)),
    ("vae/main.py", "VAE()", ("x: float32[128, 1, 28, 28]",)),
    ("dcgan/main.py", "Generator(1)", ("x: float32[64, 100, 1, 1]",)),
    ("dcgan/main.py", "Discriminator(1)", ("x: float32[64, 3, 64, 64]",)),
    ("siamese_network/main.py", "SiameseNetwork()", ("a: float32[64, 1, 28, 28]", "b: float32[64, 1, 28, 28]")),
    ("super_resolution/model.py", "Net(3)", ("x: float32[4, 1, 64, 64]",)),
    ("fast_neural_style/neural_style/transformer_net.py", "TransformerNet()", ("x: float32[4, 3, 256, 256]",)),
    ("fast_neural_style/neural_style/vgg.py", "Vgg16()", ("x: float32[4, 3, 256, 256]",)),
    ("word_language_model/model.py", "TransformerModel(33278, 200, 2, 200, 2)", ("x: int64[35, 20]",)),
    ("time_sequence_prediction/train.py", "Sequence()", ("x: float32[97, 20]",)),
    ("gcn/main.py", "GCN(1433, 16, 7)", ("x: float32[2708, 1433]", "adjacency: float32[2708, 2708]")),
    ("gat/main.py", "GAT(1433, 64, 8, 7)", ("x: float32[2708, 1433]", "adjacency: float32[2708, 2708]")),
    ("reinforcement_learning/reinforce.py", "Policy()", ("x: float32[1, 4]",)),
    ("reinforcement_learning/actor_critic.py", "Policy()", ("x: float32[1, 4]",)),
    ("distributed/ddp/example.py", "ToyModel()", ("x: float32[20, 10]",)),
    ("distributed/tensor_parallelism/tensor_parallel_example.py", "ToyModel()", ("x: float32[20, 10]",)),
    ("distributed/FSDP2/model.py", "Transformer(ModelArgs())", ("x: int64[4, 16]",)),
    (
        "distributed/tensor_parallelism/llama2_model.py",
        "Transformer(ModelArgs(dim=256, n_layers=2, n_heads=16, vocab_size=32000))",
        ("x: int64[8, 256]",),
    ),
    (
        "distributed/minGPT-ddp/mingpt/model.py",
        "GPT(GPTConfig(n_layer=8, n_head=8, n_embd=512))",
        ("x: int64[8, 128]",),
    ),
)
APPLICATION_SIZES: Mapping[str, int] = {"NASNetLarge": 331, "Inception": 299, "Xception": 299}
TIMM_SIZES: Mapping[str, int] = {"sam2_hiera_tiny": 896, "samvit_base_patch16": 1024, "botnet26t_256": 256}
SIZES: Mapping[str, int] = {"inception_v3": 299}


@dataclass(frozen=True, slots=True)
class PublicModel:
    """`call` makes the model in the file at `path`; `inputs` as comments state them."""

    name: str
    path: Path
    call: str
    inputs: tuple[str, ...]


def models(folder: Path) -> Iterator[PublicModel]:
    """The models of a checkout, by what it looks like."""
    folder = folder.resolve()
    if (folder / "torchvision" / "models").is_dir():
        yield from _torchvision(folder / "torchvision" / "models")
    elif (folder / "timm" / "models").is_dir():
        yield from _timm(folder / "timm" / "models")
    elif (folder / "keras" / "src" / "applications").is_dir():
        yield from _applications(folder / "keras" / "src" / "applications")
    elif (folder / "models" / "preact_resnet.py").is_file():
        yield from _cifar(folder / "models")
    else:
        for file, call, inputs in EXAMPLES:
            if (folder / file).is_file():
                yield PublicModel(f"{file}:{call.partition('(')[0]}", folder / file, call, inputs)


def _functions(path: Path) -> Iterator[ast.FunctionDef]:
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            yield node


def _registered(function: ast.FunctionDef) -> bool:
    return any("register_model" in ast.unparse(item) for item in function.decorator_list)


def _takes(function: ast.FunctionDef, name: str) -> bool:
    return any(argument.arg == name for argument in (*function.args.args, *function.args.kwonlyargs))


def _torchvision(folder: Path) -> Iterator[PublicModel]:
    """All that are registered, but for those that take lists of images or pairs, or are quantized."""
    places = [*sorted(folder.glob("*.py")), *sorted((folder / "segmentation").glob("*.py"))]
    for path in (*places, *sorted((folder / "video").glob("*.py"))):
        for function in filter(_registered, _functions(path)):
            given = "weights_backbone=None" if _takes(function, "weights_backbone") else ""
            size = SIZES.get(function.name, 224)
            shape = f"x: float32[1, 3, {size}, {size}]"
            if path.parent.name == "video":
                shape = CLIP if function.name in SMALL_CLIPS else LARGE_CLIP
            yield PublicModel(f"{path.parent.name}.{function.name}", path, f"{function.name}({given})", (shape,))


def _timm(folder: Path) -> Iterator[PublicModel]:
    """The first of each file."""
    for path in sorted(folder.glob("*.py")):
        function = next(filter(_registered, _functions(path)), None)
        if function is not None:
            stated = re.search(r"_(\d{3})$", function.name)
            size = int(stated[1]) if stated and 160 <= int(stated[1]) <= 512 else TIMM_SIZES.get(function.name, 224)
            shape = f"x: float32[1, 3, {size}, {size}]"
            yield PublicModel(f"timm.{function.name}", path, f"{function.name}()", (shape,))


def _applications(folder: Path) -> Iterator[PublicModel]:
    for path in sorted(folder.glob("*.py")):
        for function in _functions(path):
            ready = len(function.args.defaults) == len(function.args.args)
            if ready and _takes(function, "include_top") and function.name[0].isupper():
                size = next((size for word, size in APPLICATION_SIZES.items() if word in function.name), 224)
                call = f"{function.name}(weights=None, input_shape=({size}, {size}, 3))"
                yield PublicModel(f"keras.{function.name}", path, call, ())


def _cifar(folder: Path) -> Iterator[PublicModel]:
    """Of each file all functions without arguments that are named as models are; else its class."""
    for path in sorted(folder.glob("*.py")):
        tree = ast.parse(path.read_text())
        names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and not node.args.args]
        calls = [f"{name}()" for name in names if not name.startswith("test")]
        if not calls:
            classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
            given = {"vgg": "'VGG16'", "shufflenetv2": "1"}.get(path.stem, "")
            calls = [f"{classes[-1].name}({given})"] if classes else []
        for call in calls:
            yield PublicModel(f"{path.stem}.{call.partition('(')[0]}", path, call, ("x: float32[1, 3, 32, 32]",))
