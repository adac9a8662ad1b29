// A row of 1024 floats times a matrix: tiled in one of two orders, vectorised, the inner loop unrolled.
module attributes {transform.with_named_sequence} {
  func.func @vecmat(%x: memref<1024xf32>, %a: memref<1024x1024xf32>, %y: memref<1024xf32>) attributes {llvm.emit_c_interface} {
    linalg.vecmat ins(%x, %a : memref<1024xf32>, memref<1024x1024xf32>) outs(%y : memref<1024xf32>)
    return
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    %n = transform.tune.knob<"columns"> = 8 from options = [8, 16, 32, 64, 128] -> !transform.any_param
    %k = transform.tune.knob<"rows"> = 1 from options = [1, 2, 4, 8] -> !transform.any_param
    %op = transform.structured.match ops{["linalg.vecmat"]} in %module : (!transform.any_op) -> !transform.any_op
    %inner = transform.tune.alternatives<"order"> selected_region = 0 -> !transform.any_op {
      %tiled, %l:2 = transform.structured.tile_using_for %op tile_sizes [%n, %k] : (!transform.any_op, !transform.any_param, !transform.any_param) -> (!transform.any_op, !transform.any_op, !transform.any_op)
      transform.structured.vectorize %tiled {create_named_contraction} : !transform.any_op
      transform.yield %l#1 : !transform.any_op
    }, {
      %tiled, %l:2 = transform.structured.tile_using_for %op tile_sizes [%n, %k] interchange = [1, 0] : (!transform.any_op, !transform.any_param, !transform.any_param) -> (!transform.any_op, !transform.any_op, !transform.any_op)
      transform.structured.vectorize %tiled {create_named_contraction} : !transform.any_op
      transform.yield %l#1 : !transform.any_op
    }
    transform.loop.unroll %inner {factor = 1 : i64, tunepass.knobs = {factor = [1, 2, 4, 8]}} : !transform.any_op
    %function = transform.structured.match ops{["func.func"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.vector.lower_contraction lowering_strategy = outerproduct
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.vector.lower_outerproduct
      transform.apply_patterns.vector.lower_transpose
    } : !transform.any_op
    transform.yield
  }
}
