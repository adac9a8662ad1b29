"""Manifests: what a digest covers, and which part of it people are told of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tunepass.diagnostics import StudyError
from tunepass.study.identity import Identity
from tunepass.study.manifest import Manifest, Part
from tunepass.study.storage.store import Store

TILE, STDIO = Part("header", "include/tile.h", "aa"), Part("header", "/usr/include/stdio.h", "bb")
CC1 = Part("program", "cc1", "cc")
NATIVE = Part("flag", "-march=native", "-march=znver3 -mavx2 -msse")
OLD = Manifest((TILE, STDIO, CC1, NATIVE))


def test_a_checkout_elsewhere_has_the_same_digest() -> None:
    moved = Manifest((Part("header", "/elsewhere/tile.h", "aa"), STDIO, CC1, NATIVE))
    assert moved.digest == OLD.digest and moved != OLD
    assert Manifest((STDIO, TILE, CC1, NATIVE)).digest != OLD.digest  # headers that changed places
    assert Manifest().digest != ""


@pytest.mark.parametrize(
    ("now", "line"),
    [
        ((Part("header", "include/tile.h", "dd"), STDIO, CC1, NATIVE), "header changed: include/tile.h"),
        ((STDIO, CC1, NATIVE), "header gone: include/tile.h"),
        ((TILE, Part("header", "new.h", "ee"), STDIO, CC1, NATIVE), "header added: new.h"),
        ((TILE, STDIO, Part("program", "cc1", "ff"), NATIVE), "program changed: cc1"),
        (
            (TILE, STDIO, CC1, Part("flag", "-march=native", "-march=skylake -msse")),
            "flag -march=native: -march=znver3 -mavx2 -> -march=skylake",
        ),
        ((*OLD.parts, Part("variable", "CPATH", "/opt/include")), "variable added: CPATH=/opt/include"),
        ((STDIO, TILE, CC1, NATIVE), "the same files are read in another order"),
    ],
)
def test_the_part_that_changed_is_named(now: tuple[Part, ...], line: str) -> None:
    assert Manifest(now).digest != OLD.digest
    assert OLD.changes(Manifest(now)) == [line]


def test_many_changes_are_cut_short() -> None:
    old = Manifest(tuple(Part("header", f"h{i}.h", f"{i}") for i in range(9)))
    assert old.changes(Manifest()) == [*(f"header gone: h{i}.h" for i in range(5)), "and 4 more"]


def test_a_store_keeps_them_by_digest(tmp_path: Path) -> None:
    with Store(f"sqlite:///{tmp_path / 'store.db'}") as store:
        store.keep_manifests({OLD.digest: OLD})
        store.keep_manifests({OLD.digest: Manifest()})
    with Store(f"sqlite:///{tmp_path / 'store.db'}") as store:
        assert store.manifest(OLD.digest) == OLD and store.manifest("sha256:0") is None


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[["header","x"]]', '[["header","x",1]]'])
def test_what_is_no_manifest_is_refused(text: str) -> None:
    with pytest.raises(StudyError):
        Manifest.decode(text)


def test_an_identity_without_them_is_compared_on_what_it_has() -> None:
    before = Identity(source="s", space="p", compiler="gcc 12")
    now = Identity(source="s", space="p", compiler="gcc 12", files="sha256:aa", toolchain="sha256:bb")
    assert before.changes(now) == [] and "files" not in before.texts()
    assert now.changes(
        Identity(source="s", space="p", compiler="gcc 12", files="sha256:cc", toolchain="sha256:bb")
    ) == ["files: sha256:aa -> sha256:cc"]
