"""Special values and distributions of random inputs, by the numbers that a harness knows them by."""

from __future__ import annotations

SPECIAL = {1: "NaN and infinities", 2: "denormals and zeros of both signs", 3: "the largest numbers"}  # checks.h
INFINITE = 1
DISTRIBUTIONS = {  # distributions.h
    4: "equal elements",
    5: "ascending elements",
    6: "few whole numbers",
    7: "very small numbers",
    8: "very large numbers",
    9: "descending elements",
    10: "zeros",
    11: "numbers up to 8",
    12: "numbers up to 87",
    13: "numbers up to 700",
    14: "numbers of mixed magnitudes",
    15: "numbers whose squares overflow",
    16: "whole numbers up to 2^16",
    17: "whole numbers up to 2^31",
    18: "whole numbers from -2^9 to 2^9",
    19: "whole numbers from -2^16 to 2^16",
    20: "whole numbers from -2^24 to 2^24",
    21: "whole numbers from -2^31 to 2^31",
    22: "whole numbers from -2^63 to 2^63",
    23: "the largest whole numbers",
    24: "the least whole numbers",
    25: "quarters",
    26: "elements most of which are alike",
    27: "numbers whose squares underflow",
    28: "odd numbers of all bits",
    29: "the largest whole numbers beside the least",
    30: "powers of two and their neighbours",
    31: "numbers that differ little",
    32: "elements equal to the largest",
    33: "multiples of whole scalars and their neighbours",
    34: "zeros among other numbers",
    35: "whole numbers at their bounds and around zero",
    36: "one large whole number among others",
    37: "ascending elements with equal ones among them",
    38: "elements that ascend, then descend",
    39: "elements that repeat earlier ones",
    40: "text",
    41: "text with one error",
    42: "numbers close to quarters",
    43: "elements at both ends of their range",
    44: "elements at the lower end of their range",
    45: "elements at the upper end of their range",
    46: "arrays at either end of their ranges",
    47: "round numbers within their range",
    48: "each element the place of a neighbour",
    49: "other elements in filled arrays",
    50: "few different elements in filled arrays",
    51: "filled arrays in another order",
    52: "numbers and letters of the source's text",
}
EQUAL, SIGNED, LARGEST, ALIKE, MULTIPLES, ONE_LARGE, PEAK, REPEATS, ONE_ERROR = 4, 21, 23, 26, 33, 36, 38, 39, 41
EITHER_END, ROUND, CHAIN = 46, 47, 48
TEXTS = (40, ONE_ERROR)  # of bytes
LITERAL = 52
REFILLED = (49, 50, 51)  # what the pragma's `fill` gives is replaced: callers may never do so
ENDS = (43, 44, 45, EITHER_END, ROUND, CHAIN)  # and other places of ranges that the pragma gives
LATER = (*range(35, 49), *REFILLED, LITERAL)  # fewer kernels need these
PERMUTED = (EQUAL, 5, 9, ALIKE, 32, PEAK, REPEATS)  # numbers as they are drawn, alike or in another order
REAL = (7, 8, 11, 12, 13, 14, 15, 25, 27, 28, 31, 42)  # of floating types alone
WHOLE = {16: (16, 0), 17: (31, 0), 18: (9, 9), 19: (16, 16), 20: (24, 24), 21: (31, 31), 22: (63, 63)}
WHOLE |= {23: (64, 0), 24: (63, 64), 29: (64, 64), 30: (64, 63), MULTIPLES: (64, 63)}
WHOLE |= {35: (64, 64), LITERAL: (64, 64), ONE_LARGE: (31, 0), **dict.fromkeys(TEXTS, (64, 64))}
"""Distributions of whole numbers alone: the bits of the largest and of the least number."""
APART = (9, 10, PEAK, *ENDS, *REFILLED, *REAL, *WHOLE)
"""Distributions with tolerances of their own: outputs are of another magnitude than usually, or cancel otherwise."""
# Tried as far as the source computes numbers there.
GROWING = (
    (11, 12, 13, 15),
    (16, 17, 23, ONE_LARGE),
    (18, 19, 20, 21, 22, 24, 30, MULTIPLES, 29, 35, *TEXTS, LITERAL),
    (*ENDS[:4], ROUND),  # not chains, which are of another kind
)
# At the largest cheap size, `ALIKE` elements at the tuned one, if that is cheap: rows are as long as usual. Others are
# tried at the largest short one.
AT_MIDDLE = (EQUAL, 5, 6, 7, 8, 23, 24, 29, 32, 34, ALIKE, *ENDS)
