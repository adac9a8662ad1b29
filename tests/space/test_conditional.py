"""Parameters with conditions: one configuration for each program, and errors for conditions that mean nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tunepass.diagnostics import SpaceError
from tunepass.space.configuration import Configuration
from tunepass.space.constraint import Constraint
from tunepass.space.features.embedding import Embedding
from tunepass.space.features.encoding import INACTIVE, Encoding
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Permutation, Real
from tunepass.space.space import Space
from tunepass.study.space_description import describe_space, space_differences
from tunepass.surrogates.kernels import Features, distances

KERNEL = Categorical("kernel", ["linear", "rbf", "poly"])
GAMMA = Integer("gamma", 1, 5, when="kernel == 'rbf'")
DEGREE = Ordinal("degree", [2, 3, 4], when="kernel == 'poly'")
FAST = Categorical("fast", [False, True], when="degree > 2")


def svm(constraints: Sequence[str] = (), *more: Parameter) -> Space:
    return Space([KERNEL, GAMMA, DEGREE, FAST, *more], constraints)


PROGRAMS = [
    {"kernel": "linear"},
    *({"kernel": "rbf", "gamma": gamma} for gamma in range(1, 6)),
    {"kernel": "poly", "degree": 2},
    *({"kernel": "poly", "degree": degree, "fast": fast} for degree in (3, 4) for fast in (False, True)),
]


def test_the_size_counts_programs() -> None:
    space = svm()
    assert space.complete and space.size == len(PROGRAMS)
    assert set(space.enumerate()) == {Configuration(program) for program in PROGRAMS}
    for rank, configuration in enumerate(space.enumerate()):
        assert space.contains(configuration)
        assert space.rank(configuration) == rank and space.unrank(rank) == configuration


def test_an_inactive_parameter_has_no_value() -> None:
    default = svm().default
    assert default == Configuration({"kernel": "linear"})
    assert default.get("gamma") is None and "gamma" not in default
    with pytest.raises(KeyError):
        default["gamma"]


def test_a_configuration_has_values_for_the_active_parameters_and_no_others() -> None:
    space = svm()
    assert not space.contains({"kernel": "linear", "gamma": 1})
    assert not space.contains({"kernel": "rbf"})
    assert not space.contains({"gamma": 1})
    with pytest.raises(SpaceError, match="gamma: a configuration must give it a value when kernel == 'rbf'"):
        space.columns([Configuration({"kernel": "rbf"})])
    assert space.completed({"kernel": "rbf", "degree": 3}) == Configuration({"kernel": "rbf", "gamma": 1})


def test_draws_are_distinct_programs() -> None:
    drawn = svm().sample(99, np.random.default_rng(0))
    assert len(set(drawn)) == len(drawn) == len(PROGRAMS)
    assert len(set(svm().sample(99, np.random.default_rng(0), prior=True))) == len(PROGRAMS)


@pytest.mark.parametrize(
    "parameter",
    [
        Real("x", 0.0, 1.0, when="kernel == 'rbf'"),
        Real("x", 0.0, 1.0, step=0.25, when="kernel == 'rbf'"),
        Integer("x", 1, 1 << 40, when="kernel == 'rbf'"),
        Categorical("x", [None, "a"], when="kernel == 'rbf'"),
        Categorical("x", [False, True], default=True, when="kernel == 'rbf'"),
        Permutation("x", ["i", "j", "k"], when="kernel == 'rbf'"),
        Permutation("x", 1, when="kernel == 'rbf'"),
    ],
    ids=["real", "grid", "long", "none", "flag", "order", "single order"],
)
def test_every_kind_takes_a_condition(parameter: Parameter) -> None:
    space = Space([KERNEL, parameter])
    drawn = space.sample(40, np.random.default_rng(0))
    assert drawn and len(set(drawn)) == len(drawn)
    assert {len(c) for c in drawn} == {1, 2}
    for configuration in drawn:
        assert ("x" in configuration) == (configuration["kernel"] == "rbf")
        assert space.contains(configuration)
        assert space.configurations(space.columns([configuration])) == [configuration]


def test_long_integers_under_a_condition_are_not_counted() -> None:
    space = Space([KERNEL, Integer("x", 1, 1 << 40, when="kernel == 'rbf'")])
    assert not space.complete
    assert "sampled, not counted" in space.warnings[0].message


def test_constraints_and_conditions_over_reals() -> None:
    learning = Real("rate", 0.0, 1.0, when="kernel == 'rbf'")
    space = Space([KERNEL, learning, Real("decay", 0.0, 1.0)], ["kernel != 'rbf' or rate + decay <= 0.5"])
    drawn = space.sample(60, np.random.default_rng(0))
    assert {"linear", "rbf", "poly"} == {c["kernel"] for c in drawn}
    assert all(c["kernel"] != "rbf" or c["rate"] + c["decay"] <= 0.5 for c in drawn)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("when", "message", "column"),
    [
        ("kernl == 'rbf'", "x: unknown name `kernl`", 1),
        ("kernel == ", "x: the expression ends too early", 10),
        ("kernel", "x: a condition is true or false, got a value of type string: kernel", 1),
        ("x > 1", "conditions go in a circle: x -> x", 1),
        ("y > 1", "conditions go in a circle: x -> y -> x", 1),
    ],
)
def test_a_condition_that_means_nothing(when: str, message: str, column: int) -> None:
    with pytest.raises(SpaceError) as error:
        Space([KERNEL, Integer("x", 1, 4, when=when), Integer("y", 1, 4, when="x > 1")])
    diagnostic = error.value.diagnostics[0]
    assert diagnostic.message == message
    assert diagnostic.span is not None and diagnostic.span.column == column


def test_a_condition_is_text() -> None:
    with pytest.raises(SpaceError, match="when is the text of a condition, got 3"):
        Integer("x", 1, 4, when=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "constraint", ["gamma < 3", "gamma < 3 or kernel != 'rbf'", "not (kernel == 'poly') and gamma < 3"]
)
def test_an_unguarded_constraint(constraint: str) -> None:
    with pytest.raises(SpaceError) as error:
        svm([constraint])
    diagnostic = error.value.diagnostics[0]
    assert (
        diagnostic.message
        == f"the constraint `{constraint}` reads `gamma`, which has a value only when kernel == 'rbf'"
    )
    assert diagnostic.span is not None and diagnostic.span.text == "gamma"
    assert diagnostic.hint is not None and diagnostic.hint.startswith("guard it: `not (kernel == 'rbf') or ")
    guarded = diagnostic.hint.removeprefix("guard it: `").removesuffix("`")
    assert svm([guarded]).size


@pytest.mark.parametrize(
    ("constraint", "size"),
    [
        ("not (kernel == 'rbf') or gamma < 3", 8),
        ("kernel != 'rbf' or gamma < 3", 8),
        ("kernel == 'rbf' and gamma < 3", 2),
        ("if(kernel == 'rbf', gamma, 1) < 3", 8),
        ("kernel == 'linear' or kernel == 'poly' or gamma < 3", 8),
        ("kernel in {'linear', 'rbf'} or degree < 4 or not fast", 10),
    ],
)
def test_a_guarded_constraint(constraint: str, size: int) -> None:
    assert svm([constraint]).size == size


def test_a_comparison_with_an_inactive_parameter_is_false() -> None:
    either = Integer("either", 1, 2, when="gamma > 4 or degree > 3")
    negated = Integer("negated", 1, 2, when="not (degree > 2)")
    programs = list(svm([], either, negated).enumerate())
    for c in programs:
        gamma, degree = c.get("gamma"), c.get("degree")
        assert ("either" in c) == (gamma == 5 or degree == 4)
        assert ("negated" in c) == (degree == 2)
    assert len(set(programs)) == len(programs)


def test_no_single_change_alters_an_inactive_parameter() -> None:
    space = svm()
    for start in space.enumerate():
        neighbours = space.neighbours(start)
        assert len(set(neighbours)) == len(neighbours) and start not in neighbours
        rows, owner = Neighbourhood(space).of(space.columns([start]))
        assert set(space.configurations(rows)) == set(neighbours) and not owner.any()
        for neighbour in neighbours:
            assert sum(neighbour.get(name) != value for name, value in start.items() if name in neighbour) == 1


def test_double_moves_reach_a_program_whose_default_is_infeasible() -> None:
    space = svm(["kernel != 'rbf' or gamma > 3", "kernel != 'poly' or degree > 3"])
    rows, _ = Neighbourhood(space).of(space.columns([space.default]))
    reached = space.configurations(rows)
    assert Configuration({"kernel": "rbf", "gamma": 4}) in reached
    assert len(set(reached)) == len(reached) and space.default not in reached


def test_the_distance_of_an_inactive_parameter_is_constant() -> None:
    order = Permutation("order", 3, when="kernel == 'linear'")
    space = Space([KERNEL, GAMMA, order, Categorical("mode", ["a", "b"], when="kernel == 'poly'")])
    embedding = Embedding(space.parameters, activity=space.activity)
    programs = list(space.enumerate())
    rows = embedding.rows(space.columns(programs))
    by_parameter = distances(rows, rows, Features.of(embedding.group, embedding.nominal))
    for number, p in enumerate(space.parameters[1:], start=1):
        active = np.array([p.name in c for c in programs])
        apart = by_parameter[number][np.ix_(active, ~active)]
        assert np.allclose(apart, apart[0, 0]) and apart[0, 0] > 0
        assert not by_parameter[number][np.ix_(~active, ~active)].any()


def test_trees_see_inactive_as_a_value_of_its_own() -> None:
    space = svm()
    encoding = Encoding(space)
    rows = encoding.encode(
        space.columns([Configuration({"kernel": "linear"}), Configuration({"kernel": "rbf", "gamma": 1})])
    )
    gamma = encoding.features.index("gamma")
    assert rows[0, gamma] == INACTIVE and rows[1, gamma] == 0.0


def test_the_description_names_the_condition() -> None:
    plain = Space([KERNEL, Integer("gamma", 1, 5)])
    conditional = Space([KERNEL, GAMMA])
    assert "when" not in describe_space(plain)
    (line,) = space_differences(describe_space(plain), describe_space(conditional))
    assert line.startswith("parameter gamma:") and "kernel == 'rbf'" in line


def test_a_table_of_programs() -> None:
    rows = [{"kernel": "rbf", "gamma": 2}, {"kernel": "linear"}, {"kernel": "poly", "degree": 2}]
    space = Space.from_table(rows, svm().parameters)
    assert space.size == 3 and {frozenset(c.items()) for c in space.enumerate()} == {frozenset(r.items()) for r in rows}
    assert space.contains({"kernel": "linear"}) and not space.contains({"kernel": "rbf", "gamma": 1})
    fewer = Space.from_table(rows[:2], svm().parameters)
    assert space_differences(describe_space(space), describe_space(fewer))[0].startswith("rows: 3 rows")
    with pytest.raises(SpaceError, match="gamma: a configuration must give it a value when kernel == 'rbf'"):
        Space.from_table([{"kernel": "rbf"}], svm().parameters)


def test_an_inactive_parameter_has_no_part_in_the_priors() -> None:
    """By the priors half of the draws are linear, whatever the prior of the default of gamma."""
    kernel = Categorical("kernel", ["linear", "rbf"], prior=[0.5, 0.5])
    gamma = Integer("gamma", 1, 50, prior=(8.0, 1.0), when="kernel == 'rbf'")
    space = Space([kernel, gamma])
    (group,) = space.groups
    drawn = group.draw_by_prior(400, np.random.default_rng(0))
    assert 150 < np.count_nonzero(drawn["kernel"] == 0) < 250
    assert np.median(drawn["gamma"][drawn["kernel"] == 1]) > 40
    linear, rbf = Configuration({"kernel": "linear"}), Configuration({"kernel": "rbf", "gamma": 50})
    masses = np.exp(space.log_prior(space.columns([linear, rbf])))
    assert masses[0] == pytest.approx(0.5) and masses[1] < 0.5


def test_a_constraint_without_names_counts_too() -> None:
    assert svm(["1 < 2"]).size == len(PROGRAMS)
    with pytest.raises(SpaceError, match="no value meets this constraint: 1 > 2"):
        svm(["1 > 2"])


def test_conditions_and_constraints_that_leave_nothing() -> None:
    with pytest.raises(
        SpaceError, match="the space is empty: no configuration meets these 2 constraints together"
    ) as error:
        svm(["kernel == 'rbf' and gamma > 4", "kernel != 'rbf'"])
    assert "only when" not in str(error.value)


def test_a_tree_of_conditions_is_counted() -> None:
    parameters: list[Parameter] = [Categorical("top", [False, True])]
    parameters += [Categorical(f"f{i}", [False, True], when="top") for i in range(30)]
    for i in range(30):
        parameters += [Integer(f"c{i}_{j}", 1, 8, when=f"f{i}") for j in range(2)]
    assert Space(parameters).size == 1 + (1 + 8**2) ** 30


def test_a_long_chain_of_conditions() -> None:
    chain = [Integer("x0", 1, 4), *(Integer(f"x{i}", 1, 4, when=f"x{i - 1} > 2") for i in range(1, 40))]
    assert Space(chain).size == sum(2 * 2**i for i in range(39)) + 4 * 2**39


def random_parameters(rng: np.random.Generator) -> list[Parameter]:
    """Each may have a condition that reads parameters before it."""
    parameters: list[Parameter] = []
    for i in range(5):
        atoms = [
            f"{'not ' * int(rng.integers(2))}(x{rng.integers(i)} {rng.choice(['<', '==', '>'])} {rng.integers(1, 4)})"
            for _ in range(rng.integers(3) if i else 0)
        ]
        when = f" {rng.choice(['and', 'or'])} ".join(atoms) or None
        parameters.append(Integer(f"x{i}", 1, 3, default=int(rng.integers(1, 4)), when=when))
    return parameters


def programs_of(parameters: Sequence[Parameter], values: dict[str, int]) -> list[dict[str, int]]:
    """All programs that begin with `values`: a parameter at a time."""
    if not parameters:
        return [values]
    first, *others = parameters
    atoms = {} if first.when is None else {name: values.get(name) for name in (f"x{i}" for i in range(5))}
    active = first.when is None or holds(first.when.text, atoms)
    choices = [{**values, first.name: value} for value in (1, 2, 3)] if active else [values]
    return [program for choice in choices for program in programs_of(others, choice)]


def holds(text: str, values: dict[str, int | None]) -> bool:
    """`text` read by itself: a comparison with a missing value is false, with `not` too."""
    for word, joined in ((" or ", any), (" and ", all)):
        if word in text:
            return joined(holds(part, values) for part in text.split(word))
    negated = text.startswith("not ")
    name, op, bound = text.removeprefix("not ").strip("()").split()
    value = values[name]
    if value is None:
        return False
    return {"<": value < int(bound), "==": value == int(bound), ">": value > int(bound)}[op] != negated


@pytest.mark.parametrize("seed", range(25))
def test_programs_are_those_of_brute_force(seed: int) -> None:
    parameters = random_parameters(np.random.default_rng(seed))
    expected = programs_of(parameters, {})
    space = Space(parameters)
    assert space.size == len(expected)
    assert set(space.enumerate()) == {Configuration(program) for program in expected}


def test_a_constraint_built_of_an_expression_is_guarded_too() -> None:
    expression = Constraint.parse("gamma > 2", [KERNEL, GAMMA]).expression
    with pytest.raises(SpaceError, match="reads `gamma`, which has a value only when"):
        Space([KERNEL, GAMMA], [Constraint(expression, "gamma > 2")])


def test_a_constraint_derived_from_a_source_reads_the_default() -> None:
    expression = Constraint.parse("gamma < 3", [KERNEL, GAMMA]).expression
    space = Space([KERNEL, GAMMA], [Constraint(expression, "gamma < 3", derived=True)])
    assert [dict(c) for c in space.enumerate() if c["kernel"] != "poly"] == [
        {"kernel": "linear"},
        {"kernel": "rbf", "gamma": 1},
        {"kernel": "rbf", "gamma": 2},
    ]


@pytest.mark.parametrize(
    ("when", "message", "column"),
    [
        ("b ==", "x: the expression ends too early", 5),
        ("b = 1", "x: unexpected `=`", 3),
        ("(b", "x: this `(` is never closed", 1),
        ("", "x: an expression is missing", 1),
    ],
)
def test_a_condition_that_no_names_could_complete_is_refused_by_the_parameter_itself(
    when: str, message: str, column: int
) -> None:
    for made in (
        lambda: Integer("x", 0, 3, when=when),
        lambda: Real("x", 0.0, 3.0, when=when),
        lambda: Ordinal("x", [1, 2], when=when),
        lambda: Categorical("x", ["i", "j"], when=when),
        lambda: Permutation("x", 3, when=when),
    ):
        with pytest.raises(SpaceError) as raised:
            made()
        diagnostic = raised.value.diagnostics[0]
        assert diagnostic.message == message and diagnostic.span is not None
        assert diagnostic.span.source.name == "<when of x>" and diagnostic.span.start + 1 == column


@pytest.mark.parametrize(
    ("parameters", "constraint", "programs"),
    [
        ([Integer("x", 1, 10**5, when='k == "a"'), Integer("y", 1, 10**5, when='k == "a"')], "x * y == 1000", 16),
        ([Real("x", 0.0, 1.0, when='k == "a"'), Real("y", 0.0, 1.0, when='k == "a"')], "x + y >= 2", 1),
        ([Integer("x", 1, 9, when='k == "a"'), Real("y", 0.0, 1.0, when='k == "a"')], "x * y >= 9", 1),
    ],
)
def test_a_branch_of_few_feasible_rows_is_drawn(parameters: list[Parameter], constraint: str, programs: int) -> None:
    space = Space([Categorical("k", ["a", "b"]), *parameters], constraints=[f'k == "b" or {constraint}'])
    drawn = space.sample(40, np.random.default_rng(0))
    assert all(space.contains(c) for c in drawn)
    assert sum(c["k"] == "a" for c in drawn) == programs and sum(c["k"] == "b" for c in drawn) == 1


def test_a_branch_without_feasible_rows_is_left_out() -> None:
    parameters = [Real("x", 0.0, 1.0, when='k == "a"'), Real("y", 0.0, 1.0, when='k == "a"')]
    space = Space([Categorical("k", ["a", "b"]), *parameters], constraints=['k == "b" or x + y >= 3'])
    assert [dict(c) for c in space.sample(4, np.random.default_rng(0))] == [{"k": "b"}]
