"""Equal parts of an expression as one node each, so that readers which remember nodes work each out once."""

from __future__ import annotations

from dataclasses import replace

from tunepass.expr import nodes as n


def shared(e: n.Expr) -> n.Expr:
    """The same expression; no two of its nodes are equal. Takes time linear in the nodes there are now."""
    return Sharing().shared(e)


class Sharing:
    """Shared nodes of several expressions: equal parts of all of them are one node."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], n.Expr] = {}
        self._instead: dict[
            int, tuple[n.Expr, n.Expr]
        ] = {}  # every node met, which is kept alive, and what stands for it

    def shared(self, e: n.Expr) -> n.Expr:
        """Takes time linear in the nodes that were not met before."""
        stack = [e]
        while stack:
            node = stack[-1]
            if id(node) in self._instead:
                stack.pop()
                continue
            missing = [child for child in node.children if id(child) not in self._instead]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            canonical = self._canonical(node)
            self._instead[id(node)] = (node, canonical)
            self._instead[id(canonical)] = (canonical, canonical)
        return self._instead[id(e)][1]

    def _canonical(self, node: n.Expr) -> n.Expr:
        children = tuple(self._instead[id(child)][1] for child in node.children)
        key = (type(node), node.label, node.type, *(id(child) for child in children))
        canonical = self._known.get(key)
        if canonical is None:
            canonical = self._known[key] = _with(node, children)
        return canonical


def _with(node: n.Expr, children: tuple[n.Expr, ...]) -> n.Expr:
    """`node` with other children, or itself where they are its own."""
    if all(new is old for new, old in zip(children, node.children)):
        return node
    match node:
        case n.Constant() | n.Name():
            return node
        case n.Unary():
            return replace(node, operand=children[0])
        case n.Binary():
            return replace(node, left=children[0], right=children[1])
        case n.Compare() | n.Logical():
            return replace(node, operands=children)
        case n.Member():
            return replace(node, item=children[0], choices=children[1:])
        case n.If():
            return replace(node, condition=children[0], then=children[1], otherwise=children[2])
        case n.Call():
            return replace(node, arguments=children)
        case n.Index():
            order, position = children
            assert isinstance(order, n.Name)
            return replace(node, order=order, index=position)
    raise TypeError(f"no such node: {node!r}")
