"""Programs that answer as synthesis tools do: by the number after `factor=` in the source, in the tools' own forms."""

from __future__ import annotations

import sys
from pathlib import Path

PROGRAM = r"""#!{python}
import json, os, re, sys, time
name, words = os.path.basename(sys.argv[0]), sys.argv[1:]
with open({calls!r}, "a") as calls:
    calls.write(json.dumps([name, *words]) + "\n")
if any(word.strip("-") == "version" for word in words):
    print(name + " v2024.2 (64-bit)")
    sys.exit()
source = next(n for n in sorted(os.listdir(".")) if n.startswith("candidate.") and not n.endswith(".mco"))
text = open(source).read()
factor = re.search(r"factor\s*=\s*(\w+)", text)[1]
factor = int(factor if factor.isdigit() else re.search(r"#define " + factor + r" (\d+)", text)[1])
top = re.search(r"\bvoid\s+(\w+)\s*\(", text)[1]
if factor == 31:
    sys.exit("ERROR: [HLS 200-70] Compilation errors found: unlucky")
if factor == 37:
    time.sleep(600)
cycles, luts, dsps = 40 + 8000 // factor, 900 + 210 * factor, 5 * factor

def put(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    open(path, "w").write(text)

if name in ("vitis_hls", "vivado_hls", "vitis-run", "v++"):
    folder = "work/hls/syn/report" if name == "v++" else "project/solution/syn/report"
    put(folder + "/" + top + "_csynth.xml", {csynth!r}
        .replace("CYCLES", str(cycles)).replace("LUTS", str(luts)).replace("DSPS", str(dsps)))
elif name == "merlincc" and "-c" in words:
    put("candidate.mco", "")
elif name == "merlincc":
    put("merlin.rpt", {merlin!r}.replace("TOP", top)
        .replace("CYCLES", str(cycles)).replace("LUTS", str(luts)).replace("DSPS", str(dsps)))
elif name == "aoc":
    put("candidate/reports/lib/json/summary.json", {summary!r}.replace("LUTS", str(luts)).replace("DSPS", str(dsps)))
    if "-rtl" not in words:
        put("candidate/acl_quartus_report.txt", {quartus!r}.replace("LUTS", str(luts)).replace("DSPS", str(dsps)))
"""

CSYNTH = """\
<profile>
<ReportVersion>
<Version>2024.2</Version>
</ReportVersion>
<UserAssignments>
<unit>ns</unit>
<Part>xcu200-fsgd2104-2-e</Part>
<TopModelName>scale</TopModelName>
<TargetClockPeriod>4.00</TargetClockPeriod>
<ClockUncertainty>1.08</ClockUncertainty>
</UserAssignments>
<PerformanceEstimates>
<PipelineType>none</PipelineType>
<SummaryOfTimingAnalysis>
<unit>ns</unit>
<EstimatedClockPeriod>2.920</EstimatedClockPeriod>
</SummaryOfTimingAnalysis>
<SummaryOfOverallLatency>
<unit>clock cycles</unit>
<Best-caseLatency>CYCLES</Best-caseLatency>
<Worst-caseLatency>CYCLES</Worst-caseLatency>
<Interval-min>CYCLES</Interval-min>
<Interval-max>CYCLES</Interval-max>
</SummaryOfOverallLatency>
<SummaryOfLoopLatency>
<VITIS_LOOP_7_1>
<TripCount><range><min>8</min><max>32</max></range></TripCount>
<Latency><range><min>90</min><max>CYCLES</max></range></Latency>
<IterationLatency>?</IterationLatency>
<VITIS_LOOP_8_2>
<TripCount>64</TripCount>
<Latency>70</Latency>
<PipelineII>2</PipelineII>
<PipelineDepth>9</PipelineDepth>
</VITIS_LOOP_8_2>
</VITIS_LOOP_7_1>
</SummaryOfLoopLatency>
</PerformanceEstimates>
<AreaEstimates>
<Resources>
<BRAM_18K>30</BRAM_18K>
<DSP>DSPS</DSP>
<FF>4100</FF>
<LUT>LUTS</LUT>
<URAM>0</URAM>
</Resources>
<AvailableResources>
<BRAM_18K>4320</BRAM_18K>
<DSP>6840</DSP>
<FF>2364480</FF>
<LUT>1182240</LUT>
<URAM>960</URAM>
</AvailableResources>
</AreaEstimates>
</profile>
"""

MERLIN = """
====================================================================================
Summary
====================================================================================

Date: 2024-05-01 10:11:12
Target Device: sample platform
Target Frequency: 250MHz
Estimated Frequency: 200MHz
+------------------+-----------------+-----------+-----------+---------+----------+----+------+
|      Kernel      |     Cycles      |    LUT    |    FF     |  BRAM   |   DSP    |URAM|Detail|
+------------------+-----------------+-----------+-----------+---------+----------+----+------+
|TOP (scale.cpp:5) |CYCLES (0.031ms) |LUTS (~0%) | 4100 (~0%)| 30 (~0%)|DSPS (~0%)|0   |-     |
+------------------+-----------------+-----------+-----------+---------+----------+----+------+


====================================================================================
Performance Estimate (TC: Trip Count, AC: Accumulated Cycles, CPC: Cycles Per Call)
====================================================================================

+----------------------------------+----+---------------+-----+------------------------+
|            Hierarchy             | TC |      AC       | CPC |         Detail         |
+----------------------------------+----+---------------+-----+------------------------+
|TOP (scale.cpp:5)                 |    |CYCLES (100.0%)|CYCLES|-                      |
|    loop i (scale.cpp:7)          |32  | 2240 ( 90.0%) | 2240|-                       |
|        loop j (scale.cpp:8)      |64  | 2200 ( 88.0%) |   70|fine-grained pipeline (II=2)|
+----------------------------------+----+---------------+-----+------------------------+
"""

SUMMARY = """\
{"performanceSummary": {"name": "Kernel Summary", "columns": ["Kernel Name"], "children": []},
 "estimatedResources": {
  "name": "Estimated Resource Usage",
  "columns": ["Kernel Name", "ALUTs ", "FFs  ", "RAMs ", "DSPs "],
  "children": [
   {"name": "scale", "data": [700, 900, 12, 4]},
   {"name": "Kernel Subtotal", "data": [700, 900, 12, 4]},
   {"name": "Total", "data": [LUTS, 9000, 70, DSPS], "data_percent": [4.1, 2.2, 5.3, 3.1]},
   {"name": "Available", "data": [854400, 1708800, 2713, 1518]}]}}
"""

QUARTUS = """\
ALUTs: LUTS
Registers: 124,820
Logic utilization: 82,696 / 427,200 ( 19 % )
I/O pins: 305 / 826 ( 37 % )
DSP blocks: DSPS / 1,518 ( < 1 % )
Memory bits: 2,635,032 / 55,562,240 ( 5 % )
RAM blocks: 343 / 2,713 ( 13 % )
Actual clock freq: 234
Kernel fmax: 250.00
1x clock fmax: 260.75
"""


def install(folder: Path, *names: str) -> Path:
    """Programs of these names in the folder; returns the file that gets a line a call."""
    calls = folder / "calls"
    text = PROGRAM.format(
        python=sys.executable, calls=str(calls), csynth=CSYNTH, merlin=MERLIN, summary=SUMMARY, quartus=QUARTUS
    )
    for name in names:
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return calls
