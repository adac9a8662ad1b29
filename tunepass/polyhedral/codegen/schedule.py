"""Trees of loops to isl's syntax trees of code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tunepass.ir.scop import Scop
from tunepass.polyhedral.schedules.legality import time_text
from tunepass.polyhedral.schedules.tree import Band, Leaf, Sequence, Tree, statements_in

if TYPE_CHECKING:
    import islpy as isl


def syntax_tree(scop: Scop, tree: Tree) -> tuple[isl.AstNode, tuple[Band, ...], isl.Schedule]:
    """Code that runs `tree`; each loop of it lies under a mark whose name is `b` and its number among the bands. Last
    the schedule that it is made of."""
    import islpy as isl

    bands: list[Band] = []
    names = ", ".join(p.name for p in scop.parameters)
    domains = "; ".join(s.domain[s.domain.index("{") + 1 : s.domain.rindex("}")] for s in scop.statements)
    text = f'domain: "[{names}] -> {{ {domains} }}"\n{_child(scop, tree, 0, bands)}'
    schedule = isl.Schedule(text)
    build = isl.AstBuild.from_context(isl.Set(scop.context))
    return build.node_from_schedule(schedule), tuple(bands), schedule


def _child(scop: Scop, tree: Tree, depth: int, bands: list[Band]) -> str:
    """`tree` as the child of a node at `depth` of isl's YAML; nothing for a statement."""
    pad = "  " * depth
    match tree:
        case Leaf():
            return ""
        case Sequence(children):
            loops = {s.name: ", ".join(s.loops) for s in scop.statements}
            lines = [f"{pad}child:\n{pad}  sequence:\n"]
            for child in children:
                domains = "; ".join(f"{name}[{loops[name]}]" for name in sorted(statements_in(child)))
                lines.append(f'{pad}  - filter: "{{ {domains} }}"\n{_child(scop, child, depth + 2, bands)}')
            return "".join(lines)
        case Band(rows=rows, strip=strip, child=inner):
            bands.append(tree)
            mark = f'{pad}child:\n{pad}  mark: "b{len(bands) - 1}"\n{pad}  child:\n'
            band = f'{pad}    schedule: "{time_text(scop, rows, strip)}"\n'
            return mark + band + _child(scop, inner, depth + 2, bands)
