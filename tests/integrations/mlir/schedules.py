"""Modules with an operation of linalg and a transform sequence, in generic form, which both libraries read."""

from __future__ import annotations

GENERIC = """
"builtin.module"() ({{
  "func.func"() <{{sym_name = "f", function_type = ({type}, {type}) -> ()}}> ({{
  ^bb0(%a: {type}, %b: {type}):
    "linalg.generic"(%a, %b) <{{indexing_maps = [affine_map<{maps}>, affine_map<{written}>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>],
      operandSegmentSizes = array<i32: 1, 1>}}> ({{ {body} }}) : ({type}, {type}) -> ()
    "func.return"() : () -> ()
  }}) : () -> ()
}}) : () -> ()
"""

COPY = GENERIC.format(
    maps="(i, j) -> (i, j)",
    written="(i, j) -> (i, j)",
    type="memref<64x64xf32>",
    body='^bb0(%x: f32, %y: f32):\n "linalg.yield"(%x) : (f32) -> ()\n',
)
PAYLOAD = COPY[COPY.index('"func.func"') : COPY.rindex("}) : () -> ()")]

HEAD = """
"builtin.module"() ({{
  {payload}
  "transform.named_sequence"() <{{sym_name = "__transform_main", function_type = (!transform.any_op) -> ()}}> ({{
  ^bb0(%module: !transform.any_op):
    %size = "transform.tune.knob"() <{{name = "size", options = [4, 8], selected = 4}}> : () -> !transform.any_param
    %op = "transform.structured.match"(%module) <{{ops = ["linalg.generic"]}}>
      : (!transform.any_op) -> !transform.any_op
    {text}
    "transform.yield"() : () -> ()
  }}) : () -> ()
}}) {{transform.with_named_sequence}} : () -> ()
"""


def scheduled(text: str) -> str:
    """A copy of 64 x 64 floats, %op, with the steps `text`; %size is a knob."""
    return HEAD.format(payload=PAYLOAD, text=text)
