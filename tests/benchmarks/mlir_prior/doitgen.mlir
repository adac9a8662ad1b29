// A product along the last of three indices, 16 x 32 x 64 by 64 x 64 floats: tiled in one of two orders, vectorised.
module attributes {transform.with_named_sequence} {
  func.func @doitgen(%a: memref<16x32x64xf32>, %c: memref<64x64xf32>, %o: memref<16x32x64xf32>) attributes {llvm.emit_c_interface} {
    linalg.generic {indexing_maps = [affine_map<(r, q, p, s) -> (r, q, s)>, affine_map<(r, q, p, s) -> (s, p)>, affine_map<(r, q, p, s) -> (r, q, p)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %c : memref<16x32x64xf32>, memref<64x64xf32>) outs(%o : memref<16x32x64xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %p = arith.mulf %x, %y : f32
      %s = arith.addf %z, %p : f32
      linalg.yield %s : f32
    }
    return
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    %q = transform.tune.knob<"tile_q"> = 1 from options = [1, 2, 4, 8] -> !transform.any_param
    %p = transform.tune.knob<"tile_p"> = 8 from options = [8, 16, 32, 64] -> !transform.any_param
    %s = transform.tune.knob<"tile_s"> = 1 from options = [1, 2, 4, 8] -> !transform.any_param
    %op = transform.structured.match ops{["linalg.generic"]} in %module : (!transform.any_op) -> !transform.any_op
    %inner = transform.tune.alternatives<"order"> selected_region = 0 -> !transform.any_op {
      %tiled, %l:4 = transform.structured.tile_using_for %op tile_sizes [1, %q, %p, %s] : (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.yield %tiled : !transform.any_op
    }, {
      %tiled, %l:4 = transform.structured.tile_using_for %op tile_sizes [1, %q, %p, %s] interchange = [0, 3, 2, 1] : (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.yield %tiled : !transform.any_op
    }
    transform.structured.vectorize %inner {create_named_contraction} : !transform.any_op
    %function = transform.structured.match ops{["func.func"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.vector.reduction_to_contract
      transform.apply_patterns.vector.lower_contraction lowering_strategy = outerproduct
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.vector.lower_outerproduct
      transform.apply_patterns.vector.lower_transpose
    } : !transform.any_op
    transform.yield
  }
}
