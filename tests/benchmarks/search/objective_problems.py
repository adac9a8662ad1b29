"""Problems of several objectives with known formulas: DTLZ, ZDT, WFG and real engineering designs; smaller is better.

DTLZ1 to 7   Deb, Thiele, Laumanns & Zitzler 2005; three objectives of 6 reals, of four and six objectives; the front
             of a "moved" one is off the middle of the box, where searches begin
ZDT1 to 6    Zitzler, Deb & Thiele 2000; two objectives of 6 reals (ZDT5 is of bits)
WFG4, 5, 7   Huband, Hingston, Barone & While 2006; three objectives of 6 reals, 2 of them for the position; four of 7
RE           Tanabe & Ishibuchi 2020; what breaks a limit is their last objective, 0 where none is broken
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tunepass.space.parameter import Integer, Parameter, Real
from tunepass.space.space import Space
from tunepass.surrogates.base import Floats

Formula = Callable[[Floats], Floats]  # losses (n, k) of rows (n, d)


@dataclass(frozen=True, slots=True)
class ObjectiveProblem:
    """`bounds` of each variable; `losses` of rows (n, d)."""

    name: str
    objectives: int
    bounds: tuple[tuple[float, float], ...]
    losses: Formula
    whole: bool = False  # integers only

    @property
    def corner(self) -> tuple[tuple[float, ...], float]:
        """What hypervolumes are measured to, and that of the true front."""
        return CORNERS[self.name]

    @property
    def space(self) -> Space:
        parameters: list[Parameter] = [
            Integer(f"x{i}", int(lo), int(hi)) if self.whole else Real(f"x{i}", lo, hi)
            for i, (lo, hi) in enumerate(self.bounds, start=1)
        ]
        return Space(parameters)


def dtlz(number: int, k: int = 3, d: int = 6, middle: float = 0.5) -> ObjectiveProblem:
    """DTLZ1 to 7: the first k - 1 variables place a vector on the front, the others bring it there, at `middle`."""

    def losses(x: Floats) -> Floats:
        place, others = x[:, : k - 1], x[:, k - 1 :]
        if number in (1, 3):
            g = 100 * (others.shape[1] + ((others - 0.5) ** 2 - np.cos(20 * np.pi * (others - 0.5))).sum(axis=1))
        elif number == 6:
            g = (others**0.1).sum(axis=1)
        elif number == 7:
            g = 1 + 9 * others.mean(axis=1)
            h = k - (place / (1 + g[:, None]) * (1 + np.sin(3 * np.pi * place))).sum(axis=1)
            return np.column_stack([place, (1 + g) * h])
        else:
            g = ((others - middle) ** 2).sum(axis=1)
        if number == 1:
            return _linear(place) * 0.5 * (1 + g[:, None])
        if number == 4:
            place = place**100
        if number in (5, 6):
            rest = (1 + 2 * g[:, None] * place[:, 1:]) / (2 * (1 + g[:, None]))
            place = np.column_stack([place[:, :1], rest])
        return _spherical(place) * (1 + g[:, None])

    suffix = "" if k == 3 else f" of {k}" if middle == 0.5 else f" moved of {k}"
    return ObjectiveProblem(f"DTLZ{number}{suffix}", k, ((0.0, 1.0),) * d, losses)


def _linear(place: Floats) -> Floats:
    """Vectors (n, k) whose losses sum to 1, from places (n, k - 1)."""
    ones = np.ones((len(place), 1))
    rising = np.cumprod(np.hstack([ones, place]), axis=1)[:, ::-1]
    return rising * np.hstack([ones, 1 - place[:, ::-1]])


def _spherical(place: Floats) -> Floats:
    """Vectors (n, k) of length 1, from places (n, k - 1)."""
    ones, angle = np.ones((len(place), 1)), place * np.pi / 2
    rising = np.cumprod(np.hstack([ones, np.cos(angle)]), axis=1)[:, ::-1]
    return rising * np.hstack([ones, np.sin(angle[:, ::-1])])


def zdt(number: int, d: int = 6) -> ObjectiveProblem:
    """ZDT1, 2, 3, 4 and 6."""

    def losses(x: Floats) -> Floats:
        first, others = x[:, 0], x[:, 1:]
        if number == 4:
            g = 1 + 10 * (d - 1) + (others**2 - 10 * np.cos(4 * np.pi * others)).sum(axis=1)
        elif number == 6:
            g = 1 + 9 * others.mean(axis=1) ** 0.25
            first = 1 - np.exp(-4 * first) * np.sin(6 * np.pi * first) ** 6
        else:
            g = 1 + 9 * others.mean(axis=1)
        share = first / g
        h = 1 - share**2 if number in (2, 6) else 1 - np.sqrt(share)
        if number == 3:
            h = h - share * np.sin(10 * np.pi * first)
        return np.column_stack([first, g * h])

    rest = (-5.0, 5.0) if number == 4 else (0.0, 1.0)
    return ObjectiveProblem(f"ZDT{number}", 2, ((0.0, 1.0), *(rest,) * (d - 1)), losses)


def wfg(number: int, k: int = 3, places: int = 2, d: int = 6) -> ObjectiveProblem:
    """WFG4 (many local minima), WFG5 (deceptive), WFG7 (a place's bias depends on what follows it)."""

    def losses(z: Floats) -> Floats:
        y = z / (2.0 * np.arange(1, d + 1))
        if number == 4:
            y = _multimodal(y)
        elif number == 5:
            y = _deceptive(y)
        else:
            y = np.column_stack([*(_biased(y[:, i], y[:, i + 1 :].mean(axis=1)) for i in range(places)), y[:, places:]])
            y[:, places:] = _shifted(y[:, places:])
        groups = [*np.array_split(y[:, :places], k - 1, axis=1), y[:, places:]]
        reduced = np.column_stack([group.mean(axis=1) for group in groups])
        place, distance = reduced[:, :-1], reduced[:, -1:]
        ones, angle = np.ones((len(y), 1)), place * np.pi / 2
        rising = np.cumprod(np.hstack([ones, np.sin(angle)]), axis=1)[:, ::-1]
        shape = rising * np.hstack([ones, np.cos(angle[:, ::-1])])
        return distance + 2.0 * np.arange(1, k + 1) * shape

    suffix = "" if k == 3 else f" of {k}"
    return ObjectiveProblem(f"WFG{number}{suffix}", k, tuple((0.0, 2.0 * i) for i in range(1, d + 1)), losses)


def _multimodal(y: Floats, a: float = 30.0, b: float = 10.0, c: float = 0.35) -> Floats:
    off = np.abs(y - c) / (2 * (np.floor(c - y) + c))
    return np.asarray((1 + np.cos((4 * a + 2) * np.pi * (0.5 - off)) + 4 * b * off**2) / (b + 2))


def _deceptive(y: Floats, a: float = 0.35, b: float = 0.001, c: float = 0.05) -> Floats:
    left = np.floor(y - a + b) * (1 - c + (a - b) / b) / (a - b)
    right = np.floor(a + b - y) * (1 - c + (1 - a - b) / b) / (1 - a - b)
    return np.asarray(1 + (np.abs(y - a) - b) * (left + right + 1 / b))


def _biased(y: Floats, u: Floats, a: float = 0.98 / 49.98, b: float = 0.02, c: float = 50.0) -> Floats:
    v = a - (1 - 2 * u) * np.abs(np.floor(0.5 - u) + a)
    return np.asarray(y ** (b + (c - b) * v))


def _shifted(y: Floats, a: float = 0.35) -> Floats:
    return np.asarray(np.abs(y - a) / np.abs(np.floor(a - y) + a))


def _broken(*limits: Floats) -> Floats:
    """By how much limits (which should be at least 0) are broken, in all."""
    return np.asarray(np.sum([np.maximum(-limit, 0.0) for limit in limits], axis=0))


def _disc_brake(x: Floats) -> Floats:
    inner, outer, force, surfaces = x.T
    area, cube = outer**2 - inner**2, outer**3 - inner**3
    mass = 4.9e-5 * area * (surfaces - 1)
    seconds = 9.82e6 * area / (force * surfaces * cube)
    limits = (
        outer - inner - 20, 0.4 - force / (3.14 * area), 1 - 2.22e-3 * force * cube / area**2,
        2.66e-2 * force * surfaces * cube / area - 900,
    )  # fmt: skip
    return np.column_stack([mass, seconds, _broken(*limits)])


def _crash(x: Floats) -> Floats:
    a, b, c, d, e = x.T
    mass = 1640.2823 + 2.3573285 * a + 2.3220035 * b + 4.5688768 * c + 7.7213633 * d + 4.4559504 * e
    chest = 6.5856 + 1.15 * a - 1.0427 * b + 0.9738 * c + 0.8364 * d - 0.3695 * a * d + 0.0861 * a * e
    chest = chest + 0.3628 * b * d - 0.1106 * a**2 - 0.3437 * c**2 + 0.1764 * d**2
    toe = -0.0551 + 0.0181 * a + 0.1024 * b + 0.0421 * c - 0.0073 * a * b + 0.024 * b * c - 0.0118 * b * d
    toe = toe - 0.0204 * c * d - 0.008 * c * e - 0.0241 * b**2 + 0.0109 * d**2
    return np.column_stack([mass, chest, toe])


def _gear_train(x: Floats) -> Floats:
    off = np.abs(6.931 - x[:, 2] / x[:, 0] * x[:, 3] / x[:, 1])
    return np.column_stack([off, x.max(axis=1), _broken(0.5 - off / 6.931)])


# Coefficients of products of a (angle), h and o (changes of hydrogen's and oxygen's area), p (post's tip thickness).
_INJECTOR: tuple[dict[str, float], ...] = (
    {"": 0.692, "a": 0.477, "h": -0.687, "o": -0.080, "p": -0.0650, "aa": -0.167, "ha": -0.0129, "hh": 0.0796,
     "oa": -0.0634, "oh": -0.0257, "oo": 0.0877, "pa": -0.0521, "ph": 0.00156, "po": 0.00198, "pp": 0.0184},
    {"": 0.153, "a": -0.322, "h": 0.396, "o": 0.424, "p": 0.0226, "aa": 0.175, "ha": 0.0185, "hh": -0.0701,
     "oa": -0.251, "oh": 0.179, "oo": 0.0150, "pa": 0.0134, "ph": 0.0296, "po": 0.0752, "pp": 0.0192},
    {"": 0.370, "a": -0.205, "h": 0.0307, "o": 0.108, "p": 1.019, "aa": -0.135, "ha": 0.0141, "hh": 0.0998,
     "oa": 0.208, "oh": -0.0301, "oo": -0.226, "pa": 0.353, "po": -0.0497, "pp": -0.423, "haa": 0.202, "oaa": -0.281,
     "hha": -0.342, "hho": -0.245, "ooh": 0.281, "ppa": -0.184, "hao": -0.281},
)  # fmt: skip


def _injector(x: Floats) -> Floats:
    columns = dict(zip("ahop", x.T))
    losses = []
    for terms in _INJECTOR:
        parts = [c * np.prod([np.ones(len(x)), *(columns[v] for v in names)], axis=0) for names, c in terms.items()]
        losses.append(np.sum(parts, axis=0))
    return np.column_stack(losses)


def _side_impact(x: Floats) -> Floats:
    a, b, c, d, e, f, g = x.T
    mass = 1.98 + 4.9 * a + 6.67 * b + 6.98 * c + 4.01 * d + 1.78 * e + 0.00001 * f + 2.73 * g
    force = 4.72 - 0.5 * d - 0.19 * b * c
    pillar = 10.58 - 0.674 * a * b - 0.67275 * b
    door = 16.45 - 0.489 * c * g - 0.843 * e * f
    upper = 0.261 - 0.0159 * a * b - 0.06486 * a - 0.019 * b * g + 0.0144 * c * e + 0.0154464 * f
    middle = 0.214 + 0.00817 * e - 0.0587118 * a + 0.03099 * b * f - 0.018 * b * g + 0.030408 * c - 0.00364 * e * f
    lower = 0.74 - 0.61 * b - 0.031296 * c - 0.031872 * g + 0.227 * b**2
    limits = (
        1 - (1.16 - 0.3717 * b * d - 0.0092928 * c), 0.32 - upper, 0.32 - (middle - 0.018 * b**2), 0.32 - lower,
        32 - (28.98 + 3.818 * c - 4.2 * a * b + 1.27296 * f - 2.68065 * g),
        32 - (33.86 + 2.95 * c - 5.057 * a * b - 3.795 * b - 3.4431 * g + 1.45728),
        32 - (46.36 - 9.9 * b - 4.4505 * a), 4 - force, 9.9 - pillar, 15.7 - door,
    )  # fmt: skip
    return np.column_stack([mass, force, (pillar + door) / 2, _broken(*limits)])


def _water(x: Floats) -> Floats:
    a, b, c = x.T
    ratio = 1 / (a * b)
    network, facility = 106780.37 * (b + c) + 61704.67, 3000 * a
    treatment = 305700 * 2289 * b / (0.06 * 2289) ** 0.65
    damage = 250 * 2289 * np.exp(-39.75 * b + 9.9 * c + 2.74)
    economic = 25 * (1.39 * ratio + 4940 * c - 80)
    limits = (
        1 - (0.00139 * ratio + 4.94 * c - 0.08), 1 - (0.000306 * ratio + 1.082 * c - 0.0986),
        50000 - (12.307 * ratio + 49408.24 * c + 4051.02), 16000 - (2.098 * ratio + 8046.33 * c - 696.71),
        10000 - (2.138 * ratio + 7883.39 * c - 705.04), 2000 - (0.417 * a * b + 1721.26 * c - 136.54),
        550 - (0.164 * ratio + 631.13 * c - 54.48),
    )  # fmt: skip
    return np.column_stack([network, facility, treatment, damage, economic, _broken(*limits)])


ENGINEERING = (
    ObjectiveProblem("RE33 disc brake", 3, ((55, 80), (75, 110), (1000, 3000), (11, 20)), _disc_brake),
    ObjectiveProblem("RE34 crash", 3, ((1, 3),) * 5, _crash),
    ObjectiveProblem("RE36 gear train", 3, ((12, 60),) * 4, _gear_train, whole=True),
    ObjectiveProblem("RE37 rocket injector", 3, ((0, 1),) * 4, _injector),
)
SIDE_IMPACT = ObjectiveProblem(
    "RE41 side impact", 4,
    ((0.5, 1.5), (0.45, 1.35), (0.5, 1.5), (0.5, 1.5), (0.875, 2.625), (0.4, 1.2), (0.4, 1.2)), _side_impact,
)  # fmt: skip
WATER = ObjectiveProblem("RE61 water", 6, ((0.01, 0.45), (0.01, 0.1), (0.01, 0.1)), _water)
THREE = (*(dtlz(n) for n in range(1, 8)), *(wfg(n) for n in (4, 5, 7)), *ENGINEERING)
TWO = tuple(zdt(n) for n in (1, 2, 3, 4, 6))
MORE = (
    dtlz(2, k=4), dtlz(2, k=4, d=7, middle=0.47), *(dtlz(n, k=4) for n in (1, 4, 5, 7)), dtlz(2, k=6, d=8),
    *(wfg(n, k=4, places=3, d=7) for n in (4, 5, 7)), SIDE_IMPACT, WATER,
)  # fmt: skip
PROBLEMS = {problem.name: problem for problem in (*TWO, *THREE, *MORE)}
# The corner is a tenth of the true front's range behind its worst losses (of DTLZ1, DTLZ3 and ZDT4, the worst of the
# front of 1,000 random rows: nobody comes near the true one within 100 evaluations). Its hypervolume is that of some
# thousand points of the front: of known places, and for RE what pymoo's NSGA-II found in 150 generations of 1,000; of
# spheres and ellipsoids in four objectives the formula's; of RE61 that of the undominated among 40,000 random rows.
CORNERS: dict[str, tuple[tuple[float, ...], float]] = {
    "ZDT1": ((1.1, 1.1), 0.876452),
    "ZDT2": ((1.1, 1.1), 0.543077),
    "ZDT3": ((0.9369, 1.177), 1.09813),
    "ZDT4": ((0.7671, 61.97), 47.2178),
    "ZDT6": ((1.072, 1.013), 0.407333),
    "DTLZ1": ((240.1, 208.6, 249.5), 1.24962e07),
    "DTLZ2": ((1.1, 1.1, 1.1), 0.792764),
    "DTLZ3": ((500.3, 493.0, 476.0), 1.17404e08),
    "DTLZ4": ((1.099, 1.1, 1.1), 0.791781),
    "DTLZ5": ((0.7778, 0.7778, 1.1), 0.134792),
    "DTLZ6": ((0.7778, 0.7778, 1.1), 0.134792),
    "DTLZ7": ((1.099, 0.9882, 6.334), 2.00272),
    "WFG4": ((2.178, 4.388, 6.6), 36.167),
    "WFG5": ((2.199, 4.385, 6.579), 36.7919),
    "WFG7": ((2.2, 4.4, 6.6), 37.9787),
    "RE33 disc brake": ((5.909, 9.8, 401400.0), 2.26302e07),
    "RE34 crash": ((1699.0, 11.21, 0.2865), 36.7904),
    "RE36 gear train": ((6.524, 47.2, 0.3913), 59.685),
    "RE37 rocket injector": ((1.101, 1.188, 1.249), 1.45988),
    "DTLZ2 of 4": ((1.082, 1.096, 1.1, 1.1), 1.06129),
    "DTLZ2 of 6": ((1.027, 0.9963, 1.076, 1.09, 1.1, 1.1), 1.18194),
    "DTLZ7 of 4": ((1.083, 1.092, 1.09, 8.469), 3.5339),
    "DTLZ2 moved of 4": ((1.1, 1.1, 1.1, 1.1), 1.15567),
    "DTLZ1 of 4": ((116.9, 168.9, 231.3, 294.0), 1.34309e09),
    "DTLZ4 of 4": ((1.1, 1.1, 1.1, 1.1), 1.15567),
    "DTLZ5 of 4": ((0.55, 0.55, 0.7778, 1.1), 0.0395212),
    "WFG4 of 4": ((2.2, 4.4, 6.6, 8.8), 443.779),
    "WFG5 of 4": ((2.2, 4.4, 6.6, 8.8), 443.779),
    "WFG7 of 4": ((2.2, 4.4, 6.6, 8.8), 443.779),
    "RE61 water": ((78650.0, 1480.0, 3107000.0, 1.679e07, 299700.0, 64380.0), 1.6279e31),
    "RE41 side impact": ((45.46, 4.511, 13.34, 10.44), 469.649),
}
