"""The words of Vitis' pragmas, and those of other families, for what is misspelt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

PARTITIONS: tuple[Literal["complete", "cyclic", "block"], ...] = ("complete", "cyclic", "block")
VITIS = ("array_partition", "array_reshape", "bind_storage", "resource", "stream", "interface", "allocation",
         "pipeline", "unroll", "dataflow", "inline", "dependence", "loop_flatten", "loop_merge", "loop_tripcount",
         "latency", "bind_op", "aggregate", "disaggregate", "data_pack", "stable", "function_instantiate", "top",
         "expression_balance", "occurrence", "performance", "reset", "protocol", "alias", "cache", "array_map",
         "array_stencil", "clock", "if", "binding", "shared", "mmap")  # fmt: skip
_PARTITION = frozenset({"variable", "type", "factor", "dim", "off", *PARTITIONS})
MODES = frozenset({"m_axi", "axis", "s_axilite", "ap_none", "ap_stable", "ap_vld", "ap_ack", "ap_hs", "ap_ovld",
                   "ap_memory", "bram", "ap_fifo", "ap_bus", "ap_ctrl_none", "ap_ctrl_hs", "ap_ctrl_chain", "ap_auto",
                   "ap_master", "ap_slave", "register", "register_mode"})  # fmt: skip
WORDS: Mapping[str, frozenset[str]] = {
    "array_partition": _PARTITION,
    "array_reshape": _PARTITION | {"object"},
    "stream": frozenset({"variable", "depth", "dim", "off", "type"}),
    "interface": MODES | {
        "mode", "port", "bundle", "depth", "offset", "name", "clock", "latency", "direct_io", "interrupt", "stall",
        "max_widen_bitwidth", "num_read_outstanding", "num_write_outstanding", "max_read_burst_length",
        "max_write_burst_length", "storage_type", "storage_impl", "channel", "id", "autorestart", "packed", "both",
        "forward", "reverse", "default", "off",
    },
}  # fmt: skip
"""What may follow; of pragmas that are not here anything may."""
FAMILIES = frozenset({"ACCEL", "HLS", "AP", "UNROLL", "IVDEP", "II", "LOOP_COALESCE", "MAX_CONCURRENCY"})
"""The first words, in capitals, of pragmas that are read; others change nothing."""
HEADERS = frozenset(
    {"ap_int.h", "ap_fixed.h", "ap_cint.h", "ap_utils.h", "ap_axi_sdata.h", "ap_shift_reg.h", "hls_stream.h",
     "hls_math.h", "hls_half.h", "hls_vector.h", "hls_streamofblocks.h", "hls_burst_maxi.h", "hls_task.h",
     "hls_print.h", "ac_int.h", "ac_fixed.h", "autopilot_ssdm_op.h"}
)  # fmt: skip
"""Of compilers for synthesis: their types and functions are known without them."""
FIRST = ("HLS", "ACCEL", "unroll", "ivdep", "tunepass")  # words after `#pragma` that change a design
