"""What the paper prints."""

from __future__ import annotations

# Table IV: mean and half the 80 % confidence interval, HyperMapper 2.0 (12,500 samples) and the Spatial baseline
TABLE_IV = {
    "BlackScholes": ((0.1, 0.0), (0.0, 0.0)),
    "KMeans": ((0.0, 0.0), (0.1, 0.05)),
    "OuterProduct": ((0.08, 0.06), (0.0, 0.0)),
    "DotProduct": ((0.1, 0.0), (0.0, 0.0)),
    "GEMM": ((0.12, 0.06), (0.0, 0.0)),
    "TPCHQ6": ((0.43, 0.2), (0.06, 0.06)),
    "GDA": ((0.08, 0.11), (0.4, 0.22)),
}
# §IV-E: samples of the baseline
BASELINE_SAMPLES = {
    "KMeans": 18_720,
    "OuterProduct": 31_068,
    "DotProduct": 100_000,
    "GEMM": 100_000,
    "TPCHQ6": 100_000,
    "GDA": 100_000,
}
# Figure 5 and §IV-C: max mean, max min, the mean over programs of the best setting by the worst program; then the worst
FIGURE_5 = {"after the warm-up": (0.784, 0.6, 0.735), "after 50 iterations": (0.967, 0.886, 0.964)}
# Table V: parameters in the order of our programs, logic and cycles
TABLE_V = {
    ("BlackScholes", "alms"): (0.003, 0.261, 0.735, 0.001),
    ("BlackScholes", "cycles"): (0.569, 0.072, 0.303, 0.056),
    ("OuterProduct", "alms"): (0.095, 0.075, 0.170, 0.321, 0.340),
    ("OuterProduct", "cycles"): (0.290, 0.323, 0.084, 0.248, 0.055),
}
EXHAUSTIVE = ("BlackScholes", "OuterProduct", "DotProduct")  # Figure 7
