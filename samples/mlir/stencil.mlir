// Means of a point and its four neighbours, 512 x 512 floats: tiled, vectorised, the inner loop unrolled; the order of the
// loops is the region of alternatives that is selected. In generic form, which xDSL reads without MLIR's dialects.
"builtin.module"() ({
  "func.func"() <{sym_name = "stencil", function_type = (memref<514x514xf32>, memref<514x514xf32>) -> ()}> ({
  ^bb0(%u: memref<514x514xf32>, %v: memref<514x514xf32>):
    %middle = "memref.subview"(%u) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 1, 1>, static_sizes = array<i64: 512, 512>, static_strides = array<i64: 1, 1>}> : (memref<514x514xf32>) -> memref<512x512xf32, strided<[514, 1], offset: 515>>
    %north = "memref.subview"(%u) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 1>, static_sizes = array<i64: 512, 512>, static_strides = array<i64: 1, 1>}> : (memref<514x514xf32>) -> memref<512x512xf32, strided<[514, 1], offset: 1>>
    %south = "memref.subview"(%u) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 2, 1>, static_sizes = array<i64: 512, 512>, static_strides = array<i64: 1, 1>}> : (memref<514x514xf32>) -> memref<512x512xf32, strided<[514, 1], offset: 1029>>
    %west = "memref.subview"(%u) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 1, 0>, static_sizes = array<i64: 512, 512>, static_strides = array<i64: 1, 1>}> : (memref<514x514xf32>) -> memref<512x512xf32, strided<[514, 1], offset: 514>>
    %east = "memref.subview"(%u) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 1, 2>, static_sizes = array<i64: 512, 512>, static_strides = array<i64: 1, 1>}> : (memref<514x514xf32>) -> memref<512x512xf32, strided<[514, 1], offset: 516>>
    %result = "memref.subview"(%v) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 1, 1>, static_sizes = array<i64: 512, 512>, static_strides = array<i64: 1, 1>}> : (memref<514x514xf32>) -> memref<512x512xf32, strided<[514, 1], offset: 515>>
    %fifth = "arith.constant"() <{value = 2.000000e-01 : f32}> : () -> f32
    "linalg.generic"(%middle, %north, %south, %west, %east, %result) <{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 5, 1>}> ({
    ^bb1(%m: f32, %n: f32, %s: f32, %w: f32, %e: f32, %before: f32):
      %0 = "arith.addf"(%m, %n) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1 = "arith.addf"(%s, %w) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2 = "arith.addf"(%0, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %3 = "arith.addf"(%2, %e) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %mean = "arith.mulf"(%3, %fifth) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%mean) : (f32) -> ()
    }) : (memref<512x512xf32, strided<[514, 1], offset: 515>>, memref<512x512xf32, strided<[514, 1], offset: 1>>, memref<512x512xf32, strided<[514, 1], offset: 1029>>, memref<512x512xf32, strided<[514, 1], offset: 514>>, memref<512x512xf32, strided<[514, 1], offset: 516>>, memref<512x512xf32, strided<[514, 1], offset: 515>>) -> ()
    "func.return"() : () -> ()
  }) {llvm.emit_c_interface} : () -> ()
  "transform.named_sequence"() <{sym_name = "__transform_main", function_type = (!transform.any_op) -> ()}> ({
  ^bb0(%module: !transform.any_op):
    %rows = "transform.tune.knob"() <{name = "rows", options = [1, 2, 4, 8], selected = 1}> : () -> !transform.any_param
    %width = "transform.tune.knob"() <{name = "width", options = [4, 8, 16, 32, 64], selected = 4}> : () -> !transform.any_param
    %op = "transform.structured.match"(%module) <{ops = ["linalg.generic"]}> : (!transform.any_op) -> !transform.any_op
    %inner = "transform.tune.alternatives"() <{name = "order", selected_region_attr = 0 : index}> ({
      %tiled, %outer, %loop = "transform.structured.tile_using_for"(%op, %rows, %width) <{scalable_sizes = array<i1: false, false>, static_sizes = array<i64: -9223372036854775808, -9223372036854775808>}> : (!transform.any_op, !transform.any_param, !transform.any_param) -> (!transform.any_op, !transform.any_op, !transform.any_op)
      "transform.structured.vectorize"(%tiled) : (!transform.any_op) -> ()
      "transform.yield"(%loop) : (!transform.any_op) -> ()
    }, {
      %tiled, %outer, %loop = "transform.structured.tile_using_for"(%op, %rows, %width) <{interchange = array<i64: 1, 0>, scalable_sizes = array<i1: false, false>, static_sizes = array<i64: -9223372036854775808, -9223372036854775808>}> : (!transform.any_op, !transform.any_param, !transform.any_param) -> (!transform.any_op, !transform.any_op, !transform.any_op)
      "transform.structured.vectorize"(%tiled) : (!transform.any_op) -> ()
      "transform.yield"(%loop) : (!transform.any_op) -> ()
    }) : () -> !transform.any_op
    "transform.loop.unroll"(%inner) <{factor = 1 : i64}> {tunepass.knobs = {factor = [1, 2, 4]}} : (!transform.any_op) -> ()
    "transform.yield"() : () -> ()
  }) : () -> ()
}) {transform.with_named_sequence} : () -> ()
