"""JSON as YAML's nodes, which know where they stand."""

from __future__ import annotations

import json
from typing import cast

import yaml

from tunepass.diagnostics import Source, SourceError
from tunepass.interchange.conditions import Json
from tunepass.yaml_nodes import Composer, NodeReader


class JsonReader(NodeReader[SourceError]):
    def composed(self, subject: str, size: int, depth: int) -> yaml.Node:
        """The node of the whole text, of limited size (in characters) and depth."""
        try:
            json.loads(self.source.text)
        except json.JSONDecodeError as error:
            span = self.source.span(error.pos, error.pos + 1)
            raise SourceError(f"{self.source.name} is not JSON: {error.msg}", span, self.hint) from None
        except (ValueError, RecursionError) as error:
            raise SourceError(f"{self.source.name} is not JSON: {error}", hint=self.hint) from None
        spaced = Source(self.source.name, self.source.text.replace("\t", " "))  # YAML has no tabs between tokens
        return Composer(subject, SourceError, size, depth, self.hint).filled(spaced)

    def value(self, node: yaml.Node) -> Json:
        """The value of a node as JSON reads its text."""
        return cast(Json, json.loads(self.source.text[node.start_mark.index : node.end_mark.index]))
