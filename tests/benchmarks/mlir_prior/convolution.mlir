// A convolution of three points over 128 rows of 32 channels into 64, in floats: tiled in one of two orders, vectorised.
module attributes {transform.with_named_sequence} {
  func.func @convolution(%a: memref<1x130x32xf32>, %k: memref<3x32x64xf32>, %o: memref<1x128x64xf32>) attributes {llvm.emit_c_interface} {
    linalg.conv_1d_nwc_wcf ins(%a, %k : memref<1x130x32xf32>, memref<3x32x64xf32>) outs(%o : memref<1x128x64xf32>)
    return
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    %w = transform.tune.knob<"rows"> = 1 from options = [1, 2, 4, 8] -> !transform.any_param
    %f = transform.tune.knob<"filters"> = 8 from options = [8, 16, 32, 64] -> !transform.any_param
    %c = transform.tune.knob<"channels"> = 1 from options = [1, 2, 4, 8] -> !transform.any_param
    %op = transform.structured.match ops{["linalg.conv_1d_nwc_wcf"]} in %module : (!transform.any_op) -> !transform.any_op
    %inner = transform.tune.alternatives<"order"> selected_region = 0 -> !transform.any_op {
      %tiled, %l:5 = transform.structured.tile_using_for %op tile_sizes [1, %w, %f, 1, %c] : (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.yield %tiled : !transform.any_op
    }, {
      %tiled, %l:5 = transform.structured.tile_using_for %op tile_sizes [1, %w, %f, 1, %c] interchange = [0, 3, 2, 1, 4] : (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.yield %tiled : !transform.any_op
    }
    transform.structured.vectorize %inner : !transform.any_op
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
