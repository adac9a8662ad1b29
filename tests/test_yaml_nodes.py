"""Nodes of YAML as mappings, records and lists, with a diagnostic where they are something else."""

from __future__ import annotations

import pytest
import yaml

from tunepass.diagnostics import Source, SourceError
from tunepass.yaml_nodes import NodeReader


def read(text: str) -> tuple[NodeReader[SourceError], yaml.Node]:
    return NodeReader(Source("a.yaml", text), SourceError, "look again"), yaml.compose(text, Loader=yaml.SafeLoader)


def test_records_keep_their_order() -> None:
    reader, node = read("b: 1\na: [x, y]\n")
    found = reader.record(node, "it", ("a", "b", "c"), needed=("a",))
    assert list(found) == ["b", "a"] and [n.value for n in reader.items(found["a"], "a")] == ["x", "y"]


@pytest.mark.parametrize(
    "text,message",
    [
        ("[1]", "a.yaml:1:1: error: it is a mapping(.|\n)*look again"),
        ("alpha: 1\nalpha: 2\n", "a.yaml:2:1: error: it has `alpha` twice"),
        ("alpha: 1\nalfa: 2\n", "a.yaml:2:1: error: it has no `alfa`(.|\n)*did you mean `alpha`"),
        ("beta: 1\n", "it lacks `alpha`"),
        ("{[1]: 2}\n", "a.yaml:1:2: error: a key of it is a name"),
    ],
)
def test_what_does_not_fit_is_said_where_it_stands(text: str, message: str) -> None:
    reader, node = read(text)
    with pytest.raises(SourceError, match=message):
        reader.record(node, "it", ("alpha", "beta"), needed=("alpha",))


def test_a_list_is_asked_for_with_an_example() -> None:
    reader, node = read("a: 1\n")
    with pytest.raises(SourceError, match=r"it is a list(.|\n)*write `\[a, b\]`"):
        reader.items(node, "it")
