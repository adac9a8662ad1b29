"""How much memory the machine has left."""

from __future__ import annotations

import math
import re
from pathlib import Path


def memory_left(meminfo: Path = Path("/proc/meminfo")) -> float:
    """Bytes that programs may take without others being swapped out; endless where the system does not say."""
    try:
        available = re.search(r"^MemAvailable: +(\d+) kB$", meminfo.read_text(), re.MULTILINE)
    except OSError:
        return math.inf
    return 1024.0 * int(available[1]) if available else math.inf
