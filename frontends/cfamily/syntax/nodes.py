"""Nodes of a grammar's tree beside the tokens that they cover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tunepass.frontends.cfamily.syntax.feed import Feed
from tunepass.frontends.cfamily.syntax.tree import UNREADABLE, SyntaxFault
from tunepass.frontends.cfamily.text.tokens import Token

if TYPE_CHECKING:
    from tree_sitter import Node

JOINED = ("::", "<", "template")


class Nodes:
    """Gives tokens for nodes. Trees never keep a node."""

    def __init__(self, feed: Feed):
        self.feed = feed
        self.tokens: Sequence[Token] = feed.tokens

    def first(self, node: Node) -> int:
        return self.feed.first(node.start_byte)

    def last(self, node: Node) -> int:
        """Asides and left-out tokens right after the node's last written one are not part of it."""
        return self.feed.last(node.end_byte)

    def token(self, node: Node) -> Token:
        return self.tokens[self.first(node)]

    def ends(self, node: Node) -> tuple[Token, Token]:
        return self.tokens[self.first(node)], self.tokens[self.last(node)]

    def check(self, node: Node) -> None:
        """Raises SyntaxFault for a node that stands for what the grammar could not read."""
        if node.type == "ERROR" or (node.is_missing and not is_unnamed_bit_field(node)):
            raise self.fault(node)

    def first_fault(self, node: Node) -> SyntaxFault:
        """The first place in a node where the grammar could not go on."""
        while not (node.type == "ERROR" or node.is_missing):
            inner = next((child for child in node.children if child.has_error or child.is_missing), None)
            if inner is None:
                break
            node = inner
        return self.fault(node)

    def fault(self, node: Node, message: str = "") -> SyntaxFault:
        token = self.token(node)
        if node.is_missing:
            found = f" before `{token.text}`" if token.text else ""
            place = token
            if node.type == ";":  # belongs to the line that it ends
                before = self.tokens[self.feed.last(node.start_byte)]
                place = Token("op", "", before.end, before.end)
            return SyntaxFault(f"expected `{node.type}`{found}", place)
        return SyntaxFault(message or UNREADABLE, token)

    def text(self, node: Node) -> str:
        """Its tokens with a space between, as the compiler sees them."""
        return " ".join(t.text for t in self.tokens[self.first(node) : self.last(node) + 1])

    def folded(self, node: Node) -> Token:
        """All tokens of a name as one: `a::b`, `stream<int>`; a leading `std::` is left out."""
        first, last = self.first(node), self.last(node)
        if first == last:
            return self.tokens[first]
        if first > last:  # a name that the grammar missed, or made of a token's part
            raise self.fault(node)
        return fold(self.tokens[first : last + 1])


def fold(tokens: Sequence[Token]) -> Token:
    text = name_text(tokens)
    first, last = tokens[0], tokens[-1]
    made = any(t.made for t in tokens)
    return Token("name", text, first.start, max(first.end, last.end), made, first.macro or last.macro, first.within)


@dataclass(slots=True)
class Angles:
    """Which `<` and `>` are a template's: those inside brackets among its arguments are operators."""

    depth: int = 0  # of templates around the next token
    brackets: int = 0

    def enter(self, token: Token) -> int:
        """Goes past the token; how many templates are around it."""
        before = self.depth
        if not before and token.text != "<":
            return 0
        if before:
            self.brackets += token.at("(", "[", "{") - token.at(")", "]", "}")
        if not self.brackets and token.at("<"):
            self.depth += 1
        elif not self.brackets and token.at(">", ">>"):
            self.depth = max(0, before - len(token.text))
        return before


def name_text(tokens: Sequence[Token]) -> str:
    """`hls::stream<int>` of its tokens. Between words of template arguments stands a space."""
    if len(tokens) == 1 and tokens[0].text != "template":
        return tokens[0].text
    pieces: list[str] = []
    angles = Angles()
    for token in tokens:
        if token.at("template"):
            continue
        angles.enter(token)
        spaced = angles.depth > 0 and pieces and not token.at("<", "::") and not pieces[-1].endswith(("<", "::"))
        pieces.append(f" {token.text}" if spaced and not token.at(">") else token.text)
    text = "".join(pieces)
    return text.replace("std::", "").removeprefix("::")


def type_names(tokens: Sequence[Token]) -> list[str]:
    """The words of a type; qualified names and templates are one."""
    if not any(token.text in JOINED for token in tokens):
        return [token.text for token in tokens]
    groups: list[list[Token]] = []
    angles = Angles()
    for token in tokens:
        inside = angles.enter(token) > 0
        if groups and (inside or token.at("::", "<") or groups[-1][-1].at("::")):
            groups[-1].append(token)
        else:
            groups.append([token])
    return [name_text(group) for group in groups]


def is_unnamed_bit_field(node: Node) -> bool:
    """The name that the grammar misses in `int : 5;`, where C has none."""
    following = node.next_sibling
    return node.is_missing and following is not None and following.type == "bitfield_clause"


def has_fault(node: Node) -> bool:
    """Whether something in it could not be read."""
    if not node.has_error or is_unnamed_bit_field(node):
        return False
    return node.type == "ERROR" or node.is_missing or any(has_fault(child) for child in node.children)
