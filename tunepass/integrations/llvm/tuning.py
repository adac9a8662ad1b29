"""Spaces of recipes: passes in order, the default pipeline, thresholds and attributes, as parameters of a space."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from tunepass.diagnostics import SpaceError, TunepassError, spelling_hint
from tunepass.integrations.llvm.recipe import PASSES, SWITCHES, Recipe
from tunepass.integrations.llvm.worker import ATTRIBUTE
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Parameter
from tunepass.space.parameters.categorical import Categorical
from tunepass.space.parameters.ordinal import Ordinal

NO_PASS = "none"
AS_IT_IS = "as it is"
OPTION = re.compile(r"[a-z][a-z0-9.-]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Threshold:
    """An option of LLVM's own, as `-unroll-count`: it holds for a whole process, so each candidate has a process.

    Args:
        option: its name without the dash.
        values: whole numbers, or False and True.
        default: the value at which the option is not given, whatever LLVM's own is.
        also: further options that get the same value.
        when: the condition on parameters under which it is active; None: always.

    Example:
        >>> llvm.Threshold("unroll-count", (0, 2, 4, 8), 0).option
        'unroll-count'
    """

    option: str
    values: tuple[int, ...]
    default: int = 0
    also: tuple[str, ...] = ()
    when: str | None = None

    @property
    def options(self) -> tuple[str, ...]:
        return (self.option, *self.also)

    @property
    def parameter(self) -> str:
        return re.sub(r"\W", "_", self.option)

    def spelled(self, value: object) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True, slots=True)
class Attributes:
    """Attributes of which a function gets one choice.

    Args:
        function: its name in the module.
        options: attributes as LLVM writes them, several with blanks between: '"prefer-vector-width"="512"'.

    Example:
        >>> llvm.Attributes("helper", ("alwaysinline", "noinline")).function
        'helper'
    """

    function: str
    options: tuple[str, ...]


# Chosen on the development kernels of tests/benchmarks/bench_llvm.py, which are others than those that it reports.
THRESHOLDS = (
    Threshold("force-vector-width", (0, 1, 2, 4, 8, 16, 32)),
    Threshold("force-vector-interleave", (0, 1, 2, 4, 8)),
    Threshold("unroll-count", (0, 1, 2, 4, 8, 16)),
    Threshold("enable-loopinterchange", (False, True), False),
    Threshold("enable-unroll-and-jam", (False, True), False, also=("allow-unroll-and-jam",)),
    Threshold("unroll-and-jam-count", (0, 2, 3, 4, 6, 8), when="enable_unroll_and_jam"),
    Threshold("enable-epilogue-vectorization", (True, False), True),
    Threshold("extra-vectorizer-passes", (False, True), False),
    Threshold("unroll-runtime", (True, False), True),
    Threshold("disable-lsr", (False, True), False),
)
WIDTHS = tuple(f'"prefer-vector-width"="{bits}"' for bits in (128, 256, 512))
EARLY = (
    *("sroa_pass", "simplify_cfg_pass", "instruction_combine_pass", "loop_rotate_pass", "reassociate_pass"),
    *("new_gvn_pass", "loop_unroll_pass", "jump_threading_pass"),
)
LATE = (
    *("loop_strength_reduce_pass", "new_gvn_pass", "loop_unroll_pass", "reassociate_pass", "sinking_pass"),
    *("instruction_combine_pass", "simplify_cfg_pass", "dead_store_elimination_pass"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """The choices about a function.

    Args:
        levels: of the default pipeline; 0 is none. The highest is the default.
        before, after: passes that may run in any order before and after the default pipeline, each name that of an
            `add_*` method of llvmlite without `add_`.
        places: how many passes may run before, and after.
        thresholds: options of LLVM.
        attributes: by the name of a parameter; None: the vector width that the function prefers.
        cpu: "host", a processor's name, or "": each function's own.

    Raises:
        SpaceError: an unknown pass, with those known; a threshold or attributes that break their rule.

    Example:
        >>> llvm.Tuning(before=("sroa_pass",), places=(1, 0), thresholds=()).places
        (1, 0)
    """

    levels: tuple[int, ...] = (1, 2, 3)
    before: tuple[str, ...] = EARLY
    after: tuple[str, ...] = LATE
    places: tuple[int, int] = (2, 1)
    thresholds: tuple[Threshold, ...] = THRESHOLDS
    attributes: Mapping[str, Attributes] | None = None
    cpu: str = "host"
    switches: tuple[str, ...] = field(default=tuple(SWITCHES))

    def __post_init__(self) -> None:
        for name in (*self.before, *self.after):
            if name not in PASSES:
                raise SpaceError(f"unknown pass {name!r}", hint=spelling_hint(name, PASSES) or f"known: {_listed()}")
        for name in self.switches:
            if name not in SWITCHES:
                raise SpaceError(f"unknown switch {name!r}", hint=f"known: {', '.join(SWITCHES)}")
        if not self.levels or not set(self.levels) <= {0, 1, 2, 3}:
            raise SpaceError(f"levels are some of 0, 1, 2 and 3, got {self.levels!r}")
        for threshold in self.thresholds:
            for option in threshold.options:
                if not OPTION.fullmatch(option):
                    raise SpaceError(f"an option of LLVM is a name without its dash, got {option!r}")
            if threshold.default not in threshold.values:
                raise SpaceError(
                    f"{threshold.option}: the default {threshold.default!r} is none of {threshold.values!r}"
                )
        for name, attributes in (self.attributes or {}).items():
            for option in attributes.options:
                if " ".join(ATTRIBUTE.findall(option)) != " ".join(option.split()):
                    raise SpaceError(
                        f"{name}: {option!r} is no list of attributes", hint='as alwaysinline or "key"="x"'
                    )

    def attributes_of(self, function: str) -> Mapping[str, Attributes]:
        return {"vector_width": Attributes(function, WIDTHS)} if self.attributes is None else self.attributes

    def parameters(self, function: str) -> tuple[Parameter, ...]:
        """The parameters; the default configuration is the highest level alone."""
        parameters: list[Parameter] = [Ordinal("level", self.levels, default=max(self.levels))]
        active = "level > 0" if 0 in self.levels else None
        parameters += (Categorical(name, [True, False], when=active) for name in self.switches)
        for word, passes, places in (("before", self.before, self.places[0]), ("after", self.after, self.places[1])):
            for place in range(1, places + 1):
                when = f"{word}_{place - 1} != '{NO_PASS}'" if place > 1 else None
                parameters.append(Categorical(f"{word}_{place}", [NO_PASS, *passes], when=when))
        for threshold in self.thresholds:
            if isinstance(threshold.default, bool):
                flags = [bool(value) for value in threshold.values]
                flag = Categorical(threshold.parameter, flags, default=threshold.default, when=threshold.when)
                parameters.append(flag)
            else:
                values, default = sorted(threshold.values), threshold.default
                parameters.append(Ordinal(threshold.parameter, values, default=default, when=threshold.when))
        for name, attributes in self.attributes_of(function).items():
            parameters.append(Categorical(name, [AS_IT_IS, *attributes.options]))
        return tuple(parameters)

    def recipe(self, function: str, choice: Configuration, cpu: str, features: str) -> Recipe:
        """The recipe of a configuration, for a processor."""
        attributes: dict[str, str] = {}
        for name, known in self.attributes_of(function).items():
            if (value := choice[name]) != AS_IT_IS:
                attributes[known.function] = " ".join(filter(None, (attributes.get(known.function), str(value))))
        return Recipe(
            level=int(str(choice["level"])),
            switches={name: bool(choice.get(name, True)) if name in self.switches else True for name in SWITCHES},
            before=_chosen(choice, "before"),
            after=_chosen(choice, "after"),
            options=tuple(
                f"-{option}={t.spelled(value)}"
                for t in self.thresholds
                if (value := choice.get(t.parameter, t.default)) != t.default
                for option in t.options
            ),
            attributes=attributes,
            cpu=cpu,
            features=features,
        )

    def check_functions(self, kernel: Kernel, known: Mapping[str, object]) -> None:
        """Raises TunepassError for attributes of a function that the module does not define."""
        for name, attributes in (self.attributes or {}).items():
            if attributes.function not in known:
                words = f"{name}: there is no function @{attributes.function}"
                raise TunepassError(words, kernel.source.span(0, 0), spelling_hint(attributes.function, known))


def _chosen(choice: Configuration, word: str) -> tuple[str, ...]:
    """The passes up to the first place without one."""
    names: list[str] = []
    while (name := choice.get(f"{word}_{len(names) + 1}", NO_PASS)) != NO_PASS:
        names.append(str(name))
    return tuple(names)


def _listed() -> str:
    return ", ".join(PASSES)
