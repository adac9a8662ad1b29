"""Plug-ins of packages that are installed, broken, or in each other's way; and where names are looked up."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import tunepass as tp
from tests.plugin_packages import install, write_metadata
from tunepass import plugins, registry
from tunepass.backends.base import check_device, cost_model
from tunepass.cli import main
from tunepass.diagnostics import TunepassError
from tunepass.hwmodels.base import ModelError
from tunepass.jobs.reading import load
from tunepass.strategies.random import Random

ROOT = Path(__file__).parents[1]
CLIMB = "from tunepass.strategies.random import Random\n\nclass Climb(Random):\n    pass\n"
KERNEL = """\
#pragma tunepass param TILE: ordinal(2, 4, 8)
#pragma tunepass kernel twice(n = 512, x: inout double[n])
void twice(int n, double *x) {
  for (int i = 0; i < n; i += TILE)
    for (int j = i; j < i + TILE && j < n; j++) x[j] *= 2;
}
"""
WEAVE = """\
import tunepass as tp

class Weave(tp.Frontend):
    suffixes = (".c",)
    mark = r"(?m)^// weave$"

    def parse(self, source, only=None, words=()):
        threads = tp.Integer("threads", 1, 4)
        kernel = tp.Kernel(name="woven", language="weave", source=source, parameters=(threads,), bindings=(), body=None)
        return tp.Parsed((kernel,))

    def emit(self, kernels, note="", word="tuned"):
        return ()
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the Python path to install packages in."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    return folder


def strategies(site: Path, package: str, names: Mapping[str, str], files: Mapping[str, str]) -> None:
    install(site, package, "1.0", {"tunepass.strategies": names}, files)
    plugins.forget()


def test_a_strategy_of_a_package_is_known_by_name_and_by_path(site: Path) -> None:
    strategies(site, "climbing", {"climb": "climbing_a:Climb"}, {"climbing_a.py": CLIMB})
    space = tp.Space([tp.Integer("unroll", 1, 4)])
    for name in ("climb", "climbing_a:Climb"):
        study = tp.Study(space, [tp.Objective("t")], strategy=name, max_evals=2)
        assert study.suggest() == [space.default]
    assert registry.has("strategies", "climb") and "climb" in registry.names("strategies")
    with pytest.raises(TunepassError, match="mean 'climb'"):
        registry.find("strategies", "climd")


def test_a_name_that_is_registered_late_is_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.c").write_text("#ifndef TILE\n#define TILE 4\n#endif\n" + KERNEL)
    monkeypatch.setattr(registry, "STRATEGIES", {**registry.STRATEGIES, "hill": "tunepass.strategies.random:Random"})
    assert main(["build", "k.c", "--strategy", "hill", "--max-evals", "2", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["evaluations"] == 2


def test_paths_are_refused_unless_the_caller_takes_them(site: Path) -> None:
    strategies(site, "climbing", {}, {"climbing_b.py": CLIMB})
    with pytest.raises(TunepassError, match="no strategy 'climbing_b:Climb'"):
        registry.find("strategies", "climbing_b:Climb")
    with pytest.raises(TunepassError, match="no backend for kernels of the kind 'climbing_b:Climb'"):
        registry.find("backends", "climbing_b:Climb")
    assert "climbing_b" not in sys.modules
    assert registry.find("strategies", "climbing_b:Climb", paths=True)


@pytest.mark.parametrize("device", ["evil_device:Model", "evil_device"])
def test_a_device_in_a_lock_or_a_request_imports_nothing(site: Path, device: str) -> None:
    (site / "evil_device.py").write_text("raise SystemExit(7)\n")
    with pytest.raises(TunepassError):
        check_device(device)
    assert "evil_device" not in sys.modules


@pytest.mark.parametrize(
    "target,text,reason",
    [
        ("nowhere_c:Climb", None, "ModuleNotFoundError: No module named 'nowhere_c'"),
        ("broken_c:Climb", "import missing_d\n", "ModuleNotFoundError: No module named 'missing_d'"),
        ("syntax_c:Climb", "class\n", "SyntaxError"),
        ("exits_c:Climb", "raise SystemExit('no licence')\n", "SystemExit: no licence"),
        ("lacks_c:Climb", "", "AttributeError"),
        ("other_c:Climb", "class Climb:\n    pass\n", "is not a Strategy"),
        ("value_c:Climb", "Climb = 3\n", "is not a Strategy"),
        ("not a path", None, "is not written package.module:Class"),
    ],
)
def test_a_broken_plug_in_is_named_and_left_out(
    target: str, text: str | None, reason: str, site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    strategies(
        site, "climbing", {"climb": target}, {f"{target.partition(':')[0]}.py": text} if text is not None else {}
    )
    with pytest.raises(TunepassError, match=r"the strategy 'climb' of climbing 1\.0") as caught:
        registry.find("strategies", "climb")
    assert reason in str(caught.value)
    assert registry.find("strategies", "random") is Random
    assert main(["plugins"]) == 0
    out = capsys.readouterr().out
    assert "BROKEN" in out and "climbing 1.0" in out and reason in out
    assert main(["doctor"]) == 0
    assert "to get strategies climb: the strategy 'climb' of climbing 1.0" in capsys.readouterr().out


def test_a_device_that_cannot_be_read_is_named_in_a_note(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    install(site, "chips", "0.3", {"tunepass.devices": {"bare-chip": "no_chips", "odd-chip": "odd_chips"}}, {})
    (site / "odd_chips").mkdir()
    (site / "odd_chips" / "__init__.py").write_text("")
    (site / "odd_chips" / "odd-chip.yaml").write_text("name: odd-chip\n")
    plugins.forget()
    for words in (["devices"], ["devices", "--format", "json"]):
        assert main(words) == 0
        printed = capsys.readouterr()
        assert "left out: bare-chip: " in printed.err and "left out: odd-chip: " in printed.err
        assert "stratix-v" in printed.out


def test_a_broken_plug_in_ends_a_build_with_one_diagnostic(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    install(site, "looms", "2.0", {"tunepass.frontends": {".loomy": "no_looms:Loom"}}, {})
    plugins.forget()
    (tmp_path / "a.loomy").write_text("weave")
    assert main(["build", "a.loomy"]) == 2
    err = capsys.readouterr().err
    assert "'.loomy' of looms 2.0 cannot be loaded from no_looms:Loom" in err and "internal error" not in err


def test_an_error_in_a_plug_in_names_its_package(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {"weaving_g.py": WEAVE.replace('".c"', '".wv"').replace("threads = ", "threads = 1 // 0 and ")}
    install(site, "weaving", "1.0", {"tunepass.frontends": {".wv": "weaving_g:Weave"}}, files)
    plugins.forget()
    (tmp_path / "a.wv").write_text("// weave\n")
    assert main(["space", "a.wv"]) == 2
    err = capsys.readouterr().err
    assert "tunepass: error in the plug-in weaving 1.0: ZeroDivisionError" in err and "Traceback" not in err


def test_a_hardware_model_and_gpu_and_accelerator_devices_are_taken(site: Path) -> None:
    model = (
        "import tunepass as tp\nfrom tunepass.extension import ModelError\n\n"
        "class Loom(tp.CostModel):\n"
        "    def devices(self):\n        return ('jacquard',)\n\n"
        "    def summary(self, device):\n"
        "        if device != 'jacquard':\n            raise ModelError(device)\n"
        "        return tp.DeviceSummary(device, 'loom', 'a loom', None, {})\n\n"
        "    def costs(self, kernel, device, words=()):\n        return None\n"
    )
    gpu = (ROOT / "hwmodels" / "gpu" / "devices" / "a100.yaml").read_text().replace("a100", "a100-x", 1)
    dnn = (ROOT / "hwmodels" / "dnn" / "devices" / "a100.yaml").read_text().replace("a100", "pod", 1)
    devices = {"zz-board": "boards_h", "pod": "boards_h", "torn": "boards_h"}
    files = {"boards_h/__init__.py": "", "boards_h/zz-board.yaml": gpu, "boards_h/pod.yaml": dnn, "loom_h.py": model}
    files["boards_h/torn.yaml"] = "name: torn\nwings: 3\n"
    groups = {"tunepass.devices": devices, "tunepass.cost_models": {"loom": "loom_h:Loom"}}
    install(site, "boards", "3.1", groups, files)
    plugins.forget()
    assert registry.names("cost_models")[-1] == "loom" and cost_model("loom").devices() == ("jacquard",)
    assert cost_model("gpu").summary("zz-board").name == "zz-board"
    assert cost_model("dnn").summary("pod").name == "pod"
    for device in ("zz-board", "pod", "jacquard"):
        check_device(device)
    with pytest.raises(ModelError, match=r"torn\.yaml of boards 3\.1:\d+"):
        cost_model("fpga").summary("torn")
    assert registry.device_release("zz-board") == "boards 3.1"


def test_a_door_reads_a_foreign_file(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (
        "import tunepass as tp\nfrom tunepass.extension import Door\n\nclass Looms(Door):\n"
        "    def read(self, source):\n        return tp.EmittedFile('a.c', f'// {source.text}')\n"
    )
    install(site, "doors", "1.0", {"tunepass.doors": {".looms": "doors_i:Looms"}}, {"doors_i.py": text})
    plugins.forget()
    (tmp_path / "a.looms").write_text("weave\n")
    assert main(["import", "a.looms", "-o", "out.c"]) == 0
    assert (tmp_path / "out.c").read_text() == "// weave\n"
    assert main(["import", "a.looms", "--kernel", "k"]) == 2
    assert "--kernel is about built-in formats" in capsys.readouterr().err


def test_clashes_are_listed_and_neither_is_used(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    strategies(site, "climbing", {"climb": "climbing_e:Climb", "auto": "climbing_e:Climb"}, {"climbing_e.py": CLIMB})
    strategies(site, "hills", {"climb": "climbing_e:Climb"}, {})
    with pytest.raises(TunepassError, match=r"several packages have a strategy 'climb': climbing 1\.0, hills 1\.0"):
        registry.find("strategies", "climb")
    assert registry.find("strategies", "auto").__name__ == "Auto"  # type: ignore[attr-defined]
    assert main(["plugins", "--format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)["plugins"]
    assert [(p["name"], p["package"], p["state"]) for p in listed] == [
        ("auto", "climbing", "clash"),
        ("climb", "climbing", "clash"),
        ("climb", "hills", "clash"),
    ]
    assert "built-in" in listed[0]["problem"] and "climbing 1.0 and hills 1.0" in listed[1]["problem"]


def test_entry_points_that_cannot_be_read_are_one_line(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_metadata(site, "torn", "0.1", {})
    (site / "torn-0.1.dist-info" / "entry_points.txt").write_bytes(b"[tunepass.strategies\nclimb\n\xff = \n")
    write_metadata(site, "odd", "0.1", {"tunepass.wings": {"left": "odd:Left"}})
    plugins.forget()
    assert main(["plugins"]) == 0
    assert "odd 0.1 has it in no role of tunepass" in capsys.readouterr().out
    with pytest.raises(TunepassError, match="no strategy"):
        registry.find("strategies", "climb")


def test_a_mark_in_the_text_chooses_a_plug_ins_frontend(site: Path, tmp_path: Path) -> None:
    install(site, "weaving", "1.0", {"tunepass.frontends": {".c": "weaving_f:Weave"}}, {"weaving_f.py": WEAVE})
    plugins.forget()
    (tmp_path / "woven.c").write_text("// weave\nint x;\n")
    (tmp_path / "twice.c").write_text("#define TILE 4\n" + KERNEL)
    assert load(tmp_path / "woven.c").language == "weave"
    assert registry.find("frontends", ".c", KERNEL).__name__ == "CFrontend"  # type: ignore[attr-defined]
    marked = KERNEL.replace("// weave", "") + "#pragma tunepass weave x\n// weave\n"
    assert registry.find("frontends", ".c", marked).__name__ == "Weave"  # type: ignore[attr-defined]


def test_the_words_of_built_in_pragmas_are_all_listed() -> None:
    from tunepass.frontends.c.pragmas.pragma import PARSERS as C
    from tunepass.frontends.gpu.pragmas.groups import PARSERS as GPU
    from tunepass.frontends.hls.pragmas.own import PARSERS as HLS

    assert {*C, *GPU, *HLS} == set(registry.PRAGMA_WORDS)


def test_solvers_and_executors_are_taken_by_path(capsys: pytest.CaptureFixture[str]) -> None:
    source = str(ROOT / "samples" / "spatial" / "DotProduct.scala")
    words = ("pareto", source, "--device", "stratix-v", "--exact", "--max-evals", "5", "--strategy")
    assert main([*words, "tunepass.exact.enumeration:Enumeration"]) == 0
    capsys.readouterr()
    assert main([*words, "tunepass.strategies.random:Random"]) == 2
    assert "no exact solver 'tunepass.strategies.random:Random'" in capsys.readouterr().err
    assert main(["prune", source, "--solver", "diagrm"]) == 2
    assert "(did you mean 'diagram'?)" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--help"], ["build", "--help"], ["--version"], ["cc", "-c", "k.c"]])
def test_entry_points_are_not_read(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text("#define TILE 4\n" + KERNEL)
    code = (
        "import sys\nfrom tunepass.cli import main\n"
        "import os\nos.execv = os.execvp = lambda *given: sys.exit('importlib.metadata' in sys.modules)\n"
        f"status = main({words})\n"
        "sys.exit('importlib.metadata' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_build_with_built_in_names_reads_no_entry_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise AssertionError("entry points are read")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plugins, "installed", fail)
    (tmp_path / "k.c").write_text("#ifndef TILE\n#define TILE 4\n#endif\n" + KERNEL)
    for words in (("space", "k.c"), ("build", "k.c", "--max-evals", "2"), ("verify", "k.c"), ("explain", "k.c")):
        assert main(list(words)) == 0, capsys.readouterr().err
    source = str(ROOT / "samples" / "spatial" / "DotProduct.scala")
    assert main(["estimate", source, "--device", "stratix-v"]) == 0
