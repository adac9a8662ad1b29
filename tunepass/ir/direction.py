"""Is more of a metric better? What its unit or its name says, where nobody says it outright."""

from __future__ import annotations

import re

# An amount a second, or so many operations of a kind, whatever the prefix.
RATE_UNIT = re.compile(
    r"[A-Za-z0-9%µ_]+\s*/\s*(?:s|sec|secs|second|seconds|min|minute|h|hour)$|[kKMGTPE]?(?:FLOPS|IPS|IOPS|bps)$"
    r"|[kKMGTPE]?(?:flops|iops|ips|fps|qps|rps|tps|bps)$",
)
TIME_OF = re.compile(r"(?:[nµum]?s|sec|secs|seconds|min|h)\s*/")  # ms/frame
RATE_WORDS = frozenset(
    ["throughput", "bandwidth", "flops", "gflops", "mflops", "tflops", "iops", "mips", "fps", "qps", "rps", "tps"]
)
RATE_NAME = re.compile(r"(?:^|_)(?:\w+_)?per_(?:s|sec|second)$|(?:^|_)(?:[kmgt]?b|ops|iterations|items|rows)_s(?:ec)?$")
UNCERTAIN = frozenset(
    ["rate", "speed", "score", "performance", "perf", "efficiency", "quality", "speedup", "reward"]
) | frozenset(["accuracy", "acc", "top1", "top5", "auc", "f1", "precision", "recall", "bleu", "iou", "dice"])


def larger_is_better(name: str, unit: str) -> bool | None:
    """Of a metric with this name and unit; None where they leave it open."""
    words = name.lower()
    if TIME_OF.match(unit):
        return False
    parts = set(words.split("_"))
    if RATE_UNIT.fullmatch(unit) or RATE_NAME.search(words) or RATE_WORDS & {words, *parts}:
        return True
    return None if UNCERTAIN & parts and not unit else False
