// A product of 256 x 256 floats: tiled, vectorised as outer products, the tile of the result kept in registers.
// In generic form, which xDSL reads without MLIR's dialects; MLIR's tools read either form.
"builtin.module"() ({
  "func.func"() <{sym_name = "matmul", function_type = (memref<256x256xf32>, memref<256x256xf32>, memref<256x256xf32>) -> ()}> ({
  ^bb0(%a: memref<256x256xf32>, %b: memref<256x256xf32>, %c: memref<256x256xf32>):
    "linalg.matmul"(%a, %b, %c) <{operandSegmentSizes = array<i32: 2, 1>, indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]}> ({
    ^bb1(%x: f32, %y: f32, %z: f32):
      %p = "arith.mulf"(%x, %y) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %s = "arith.addf"(%z, %p) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%s) : (f32) -> ()
    }) : (memref<256x256xf32>, memref<256x256xf32>, memref<256x256xf32>) -> ()
    "func.return"() : () -> ()
  }) {llvm.emit_c_interface} : () -> ()
  "transform.named_sequence"() <{sym_name = "__transform_main", function_type = (!transform.any_op) -> ()}> ({
  ^bb0(%module: !transform.any_op):
    %m = "transform.tune.knob"() <{name = "tile_m", options = [2, 4, 8, 16], selected = 2}> : () -> !transform.any_param
    %n = "transform.tune.knob"() <{name = "tile_n", options = [8, 16, 32, 64], selected = 8}> : () -> !transform.any_param
    %k = "transform.tune.knob"() <{name = "tile_k", options = [1, 2, 4, 8], selected = 1}> : () -> !transform.any_param
    "transform.smt.constrain_params"(%m, %n) ({
    ^bb1(%rows: !smt.int, %columns: !smt.int):
      %most = "smt.int.constant"() <{value = 512}> : () -> !smt.int
      %size = "smt.int.mul"(%rows, %columns) : (!smt.int, !smt.int) -> !smt.int
      %fits = "smt.int.cmp"(%size, %most) <{pred = 1 : i64}> : (!smt.int, !smt.int) -> !smt.bool
      "smt.assert"(%fits) : (!smt.bool) -> ()
      "smt.yield"() : () -> ()
    }) : (!transform.any_param, !transform.any_param) -> ()
    %op = "transform.structured.match"(%module) <{ops = ["linalg.matmul"]}> : (!transform.any_op) -> !transform.any_op
    %tiled, %l0, %l1, %l2 = "transform.structured.tile_using_for"(%op, %m, %n, %k) <{static_sizes = array<i64: -9223372036854775808, -9223372036854775808, -9223372036854775808>, scalable_sizes = array<i1: false, false, false>}> : (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    "transform.structured.vectorize"(%tiled) <{create_named_contraction}> : (!transform.any_op) -> ()
    %function = "transform.structured.match"(%module) <{ops = ["func.func"]}> : (!transform.any_op) -> !transform.any_op
    "transform.apply_patterns"(%function) <{max_iterations = -1 : i64, max_num_rewrites = -1 : i64}> ({
      "transform.apply_patterns.canonicalization"() : () -> ()
      "transform.apply_patterns.vector.lower_contraction"() <{lowering_strategy = 2 : i32}> : () -> ()
      "transform.apply_patterns.vector.transfer_permutation_patterns"() : () -> ()
    }) : (!transform.any_op) -> ()
    %hoisted = "transform.structured.hoist_redundant_vector_transfers"(%function) : (!transform.any_op) -> !transform.any_op
    "transform.apply_patterns"(%hoisted) <{max_iterations = -1 : i64, max_num_rewrites = -1 : i64}> ({
      "transform.apply_patterns.vector.lower_outerproduct"() : () -> ()
      "transform.apply_patterns.vector.lower_transpose"() <{avx2_lowering_strategy = false, lowering_strategy = 0 : i32}> : () -> ()
      "transform.apply_patterns.canonicalization"() : () -> ()
    }) : (!transform.any_op) -> ()
    "transform.yield"() : () -> ()
  }) : () -> ()
}) {transform.with_named_sequence} : () -> ()
