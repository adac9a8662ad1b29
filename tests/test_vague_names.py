"""Vague identifiers and docstring openings may only become fewer: tests/vague_names.txt bounds them by module."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.vague_names import (
    LIST,
    OPENINGS,
    VAGUE,
    Bound,
    Use,
    count,
    lowered,
    product_uses,
    read_bounds,
    table,
    uses_in,
    write_bounds,
)

ROOT = Path(__file__).parents[1]


def test_no_module_exceeds_its_bounds() -> None:
    bounds, excesses = read_bounds(LIST.read_text()), []
    for module, uses in product_uses().items():
        bound = bounds.get(module, Bound())
        if bound.exceeded_by(count(uses)):
            places = "".join(f"\n    {module}:{use.line}: {use.text}" for use in uses)
            excesses.append(f"{module}: at most {bound}, now {count(uses)}{places}")
    hint = f"name the thing by a term of docs/glossary.md; a hand edit of {LIST.name} allows a use that is right"
    assert not excesses, "\n".join([hint, *excesses])


@pytest.mark.parametrize(
    "code,words",
    [
        ("found = 1", ["found"]),
        ("print(found)", []),
        ("found, (*kept, trial) = rows", ["found", "kept"]),
        ("for own_size in sizes: pass", ["own"]),
        ("class LooksAgain: pass", ["looks"]),
        ("MOST_SHOWN: int = 6", ["shown"]),
        ("def needs_found(who): pass", ["found", "who"]),
        ("async def f(*told, **asked): pass", ["told", "asked"]),
        ("lambda mine: mine", ["mine"]),
        ("self.held = 0", ["held"]),
        ("f(found=1)", []),
        ("import a as made", ["made"]),
        ("from a import made", []),
        ("try: pass\nexcept E as said: pass", ["said"]),
        ("if (shown := 1): pass", ["shown"]),
        ("match x:\n case [a, *taken]: pass\n case {**wanted}: pass\n case here: pass", ["taken", "wanted", "here"]),
        ("lookup = foundation = adhere = 1", []),
    ],
)
def test_identifiers_count_where_they_are_bound(code: str, words: list[str]) -> None:
    assert sorted(str(use.word) for use in uses_in(code)) == sorted(words)


@pytest.mark.parametrize(
    "docstring,counts",
    [
        ("What a function gives.", True),
        ("Of conditions that leave nothing those that still do", True),
        ("Where the text is.", True),
        ("Whatsoever", False),
        ("Posterior of the latent loss at `x`.", False),
        ("Parse a number; None if the text is not one.", False),
    ],
)
def test_docstrings_count_by_their_first_word(docstring: str, counts: bool) -> None:
    uses = uses_in(f'def f():\n    """{docstring}"""')
    assert uses == ([Use(2, None, docstring)] if counts else [])


def test_names_of_modules_and_folders_count() -> None:
    assert uses_in("", "tunepass/kept.py") == [Use(1, "kept", "tunepass/kept.py")]
    assert uses_in("", "tunepass/kept/__init__.py") == [Use(1, "kept", "tunepass/kept/__init__.py")]
    assert uses_in("", "tunepass/kept/trials.py") == []


def test_an_update_only_lowers_bounds() -> None:
    bounds = {"a.py": Bound(2, 1), "b.py": Bound(1, 0), "moved.py": Bound(3, 3)}
    counts = {"a.py": Bound(1, 4), "b.py": Bound(2, 0), "new.py": Bound(1, 1)}
    after = lowered(bounds, counts)
    assert read_bounds(write_bounds(after)) == {"a.py": Bound(1, 1), "b.py": Bound(1, 0)}


def test_the_table_counts_by_folder_and_word() -> None:
    lines = table({"tunepass/jobs/job.py": [Use(1, "told", "told"), Use(2, None, "What a job is.")]}).splitlines()
    assert [line.split() for line in lines[1:]] == [
        [folder, "1", "1", "told", "1"] for folder in (".", "tunepass", "tunepass/jobs")
    ]


def test_the_glossary_is_linked_and_uses_no_vague_word_as_a_term() -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text()
    assert "(docs/glossary.md)" in (ROOT / "CONTRIBUTING.md").read_text()
    assert "(glossary.md)" in (ROOT / "docs" / "architecture.md").read_text()
    terms = [row.split("|")[1].strip() for row in glossary.splitlines() if row.startswith("| ")]
    assert len(terms) > 30 and not VAGUE & {word for term in terms for word in term.replace(",", " ").split()}
    assert not any(row.startswith(tuple(OPENINGS)) for row in terms)
