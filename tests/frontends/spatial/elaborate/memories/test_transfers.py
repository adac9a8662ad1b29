"""Tiles between DRAM and on-chip memories."""

from __future__ import annotations

from tests.frontends.spatial.apps import app, program
from tunepass.expr.printer import to_text
from tunepass.ir.hardware import Transfer


def transfers(accel: str) -> list[Transfer]:
    host = "val d = DRAM[Int](64, 32)"
    memories = "val x = SRAM[Int](4, 8); val y = SRAM[Int](16); val a = SRAM[Int](16)\n"
    return list(program(app(memories + accel, host)).accel.transfers())


def test_lengths_par_and_alignment() -> None:
    loop = "Foreach(64 by 4, 32 by 8) { (i, j) => x load d(i::i+4, j::j+8 par 2); d(i, j::j+8) storeAligned y }"
    load, store = transfers(loop)
    assert (load.kind, [to_text(e) for e in load.lengths], to_text(load.par)) == ("load", ["4", "8"], "2")
    assert (store.kind, [to_text(e) for e in store.lengths], store.aligned) == ("store", ["8"], True)


def test_a_gather_is_as_long_as_its_addresses() -> None:
    (gather,) = transfers("y gather d(a, 16)")
    assert (gather.kind, gather.local, [to_text(e) for e in gather.lengths]) == ("gather", "y", ["16"])
