// Eight products of 64 x 96 and 96 x 64 floats: tiled in one of two orders, vectorised as outer products.
module attributes {transform.with_named_sequence} {
  func.func @batch_matmul(%a: memref<8x64x96xf32>, %b: memref<8x96x64xf32>, %c: memref<8x64x64xf32>) attributes {llvm.emit_c_interface} {
    linalg.batch_matmul ins(%a, %b : memref<8x64x96xf32>, memref<8x96x64xf32>) outs(%c : memref<8x64x64xf32>)
    return
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    %m = transform.tune.knob<"tile_m"> = 1 from options = [1, 2, 4, 8, 16] -> !transform.any_param
    %n = transform.tune.knob<"tile_n"> = 8 from options = [8, 16, 32, 64] -> !transform.any_param
    %k = transform.tune.knob<"tile_k"> = 1 from options = [1, 2, 4, 8] -> !transform.any_param
    %op = transform.structured.match ops{["linalg.batch_matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    %inner = transform.tune.alternatives<"order"> selected_region = 0 -> !transform.any_op {
      %tiled, %l:4 = transform.structured.tile_using_for %op tile_sizes [1, %m, %n, %k] : (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.yield %tiled : !transform.any_op
    }, {
      %tiled, %l:4 = transform.structured.tile_using_for %op tile_sizes [1, %m, %n, %k] interchange = [0, 3, 1, 2] : (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.yield %tiled : !transform.any_op
    }
    transform.structured.vectorize %inner {create_named_contraction} : !transform.any_op
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
