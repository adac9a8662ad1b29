"""Files that a source imports: of its folder and its package they are read, never executed."""

from __future__ import annotations

import os
from pathlib import Path
from textwrap import dedent

import pytest

from tests.frontends.dnn.sources import weights
from tunepass.diagnostics import SourceError
from tunepass.ir.graph import Graph
from tunepass.ir.kernel import Kernel
from tunepass.jobs.reading import load

INPUT = "# tunepass input x: float32[1, 8]\n"
NN = "import torch.nn as nn\n"


def read(folder: Path, files: dict[str, str], name: str = "train.py") -> Kernel:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(dedent(text))
    return load(str(folder / name))


NET = """
    import torch.nn as nn
    from sizes import WIDTH
    class Net(nn.Module):
        def __init__(self, width=WIDTH):
            super().__init__()
            self.layer = nn.Linear(8, width)
        def forward(self, x):
            return self.layer(x)
    """


@pytest.mark.parametrize(
    "source",
    [
        "from model import Net\nmodel = Net()\n",
        "import model\nnet = model.Net()\n",
        "import model as m\nnet = m.Net()\n",
        "from model import *\nnet = Net()\n",
        "from model import Net as N\ndef build():\n    return N()\n# tunepass model build()\n",
    ],
)
def test_modules_beside_the_source(tmp_path: Path, source: str) -> None:
    kernel = read(tmp_path, {"train.py": INPUT + source, "model.py": NET, "sizes.py": "WIDTH = 5"})
    assert weights(kernel) == 45
    assert [Path(file.name).name for file in kernel.body_as(Graph).files] == ["model.py", "sizes.py"]


def test_modules_of_the_package_by_dots_and_by_its_name(tmp_path: Path) -> None:
    kernel = read(
        tmp_path,
        {
            "lib/__init__.py": "raise SystemExit",
            "lib/ops/__init__.py": "from .dense import Dense\nfrom . import sizes",
            "lib/ops/dense.py": NN + "class Dense(nn.Linear):\n    pass\ndef dense(n):\n    return nn.Linear(8, n)",
            "lib/ops/sizes.py": "WIDTH = 3",
            "lib/models/net.py": INPUT
            + "from ..ops.dense import dense\nfrom lib.ops import sizes\nfrom .heads import head\n"
            + "import torch.nn as nn\nmodel = nn.Sequential(dense(sizes.WIDTH), head(3))\n",
            "lib/models/__init__.py": "",
            "lib/models/heads.py": NN + "def head(n):\n    return nn.Linear(n, 2)",
        },
        "lib/models/net.py",
    )
    assert weights(kernel) == 27 + 8


def test_a_package_is_not_left(tmp_path: Path) -> None:
    files = {
        "other.py": NN + "def layer():\n    return nn.Linear(8, 2)",
        "lib/__init__.py": "",
        "lib/net.py": INPUT + "from ..other import layer\nimport torch.nn as nn\nmodel = nn.Sequential(layer())",
    }
    with pytest.raises(SourceError, match=r"`other\.layer` is not followed"):
        read(tmp_path, files, "lib/net.py")


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text(NN + "def layer():\n    return nn.Linear(8, 2)")
    (tmp_path / "own").mkdir()
    os.symlink(tmp_path / "secret.py", tmp_path / "own" / "model.py")
    source = INPUT + "from model import layer\nimport torch.nn as nn\nmodel = nn.Sequential(layer())"
    with pytest.raises(SourceError, match="`model` is a link that leads out of the source's folder"):
        read(tmp_path, {"own/train.py": source}, "own/train.py")


def test_modules_that_import_each_other(tmp_path: Path) -> None:
    files = {
        "train.py": INPUT + "from a import layer\nimport torch.nn as nn\nmodel = nn.Sequential(layer())",
        "a.py": NN + "from b import width\ndef layer():\n    return nn.Linear(8, width())\nBASE = 2",
        "b.py": "from a import BASE\ndef width():\n    return BASE + 1",
    }
    assert weights(read(tmp_path, files)) == 27


def test_a_name_that_is_imported_in_a_circle(tmp_path: Path) -> None:
    files = {
        "train.py": INPUT + "from a import width\nimport torch.nn as nn\nmodel = nn.Sequential(nn.Linear(8, width))",
        "a.py": "from b import width",
        "b.py": "from a import width",
    }
    with pytest.raises(SourceError, match="`width` is imported in a circle"):
        read(tmp_path, files)


def test_a_problem_is_told_at_the_line_of_the_other_file(tmp_path: Path) -> None:
    files = {
        "train.py": INPUT + "from model import net\nmodel = net()\n",
        "model.py": NN
        + "def net():\n    return nn.Sequential(\n        nn.Linear(8, 4),\n        nn.Linear(5, 2),\n    )",
    }
    with pytest.raises(SourceError, match="in_features is 5, and the input has 4") as caught:
        read(tmp_path, files)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.span is not None
    assert (Path(diagnostic.span.source.name).name, diagnostic.span.line, diagnostic.span.column) == ("model.py", 5, 9)
    assert diagnostic.span.text == "nn.Linear(5, 2)"


def test_what_is_not_python_is_told_at_its_line(tmp_path: Path) -> None:
    files = {"train.py": INPUT + "from model import net\nmodel = net()\n", "model.py": "x = 1\ndef net(:\n    pass"}
    with pytest.raises(SourceError, match="this is not Python") as caught:
        read(tmp_path, files)
    (diagnostic,) = caught.value.diagnostics
    assert str(diagnostic.span).endswith("model.py:2:9")


def test_an_imported_file_is_not_executed(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    harm = f"open({str(mark)!r}, 'w').write('run')\n"
    files = {
        "train.py": INPUT + "from model import net\nmodel = net()\n",
        "model.py": harm
        + NN
        + f"def net(x=open({str(mark)!r}, 'w')):\n    {harm}    return nn.Sequential(nn.Linear(8, 2))",
    }
    assert weights(read(tmp_path, files)) == 18
    assert not mark.exists()


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    files = {"train.py": INPUT + "from model import net\nmodel = net()\n", "model.py": "#" * (1 << 20) + "\n"}
    with pytest.raises(SourceError, match="larger than"):
        read(tmp_path, files)


def test_what_a_framework_is_called_is_that_framework(tmp_path: Path) -> None:
    files = {
        "train.py": INPUT + NN + "model = nn.Sequential(nn.Linear(8, 2))",
        "torch/__init__.py": "",
        "torch/nn.py": "def Linear(a, b):\n    return None",
        "torch.py": "nn = None",
    }
    assert weights(read(tmp_path, files)) == 18


def test_parameters_are_names_of_the_source_alone(tmp_path: Path) -> None:
    """What another file sets cannot be written into the tuned source."""
    param = "# tunepass param width: ordinal(2, 4, 8) = 4\n"
    files = {
        "train.py": INPUT + param + "from model import net\nwidth = 4\nmodel = net(width)\n",
        "model.py": NN + "def net(n, width=3):\n    return nn.Sequential(nn.Linear(8, n), nn.Linear(n, width))",
    }
    kernel = read(tmp_path, files)
    assert [weights(kernel, width=width) for width in (2, 8)] == [18 + 9, 72 + 27]
    assert kernel.binding("width").span is not None


def test_a_module_is_followed_under_no_condition(tmp_path: Path) -> None:
    """It is read once, wherever a name of it is first needed."""
    param = "# tunepass param deep: ordinal(0, 1) = 1\n"
    files = {
        "train.py": INPUT
        + param
        + NN
        + "import model\ndeep = 1\nlayers = []\nif deep:\n    layers += model.parts\nlayers += model.parts\n"
        + "model = nn.Sequential(*layers)\n",
        "model.py": NN + "parts = []\nparts.append(nn.Linear(8, 8))",
    }
    kernel = read(tmp_path, files)
    assert weights(kernel, deep=0) == 72
