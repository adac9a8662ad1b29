// Two matrices of 384 x 384 floats, scaled by a row and a column, and added: tiled, vectorised, the inner loop unrolled.
module attributes {transform.with_named_sequence} {
  func.func @scaled_sum(%a: memref<384x384xf32>, %b: memref<384x384xf32>, %s: memref<384xf32>, %t: memref<384xf32>, %c: memref<384x384xf32>) attributes {llvm.emit_c_interface} {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a, %b, %s, %t : memref<384x384xf32>, memref<384x384xf32>, memref<384xf32>, memref<384xf32>) outs(%c : memref<384x384xf32>) {
    ^bb0(%x: f32, %y: f32, %u: f32, %v: f32, %before: f32):
      %p = arith.mulf %x, %u : f32
      %q = arith.mulf %y, %v : f32
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
    }
    return
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    %i = transform.tune.knob<"rows"> = 1 from options = [1, 2, 4, 8] -> !transform.any_param
    %j = transform.tune.knob<"width"> = 4 from options = [4, 8, 16, 32, 64] -> !transform.any_param
    %op = transform.structured.match ops{["linalg.generic"]} in %module : (!transform.any_op) -> !transform.any_op
    %inner = transform.tune.alternatives<"order"> selected_region = 0 -> !transform.any_op {
      %tiled, %l:2 = transform.structured.tile_using_for %op tile_sizes [%i, %j] : (!transform.any_op, !transform.any_param, !transform.any_param) -> (!transform.any_op, !transform.any_op, !transform.any_op)
      transform.structured.vectorize %tiled : !transform.any_op
      transform.yield %l#1 : !transform.any_op
    }, {
      %tiled, %l:2 = transform.structured.tile_using_for %op tile_sizes [%i, %j] interchange = [1, 0] : (!transform.any_op, !transform.any_param, !transform.any_param) -> (!transform.any_op, !transform.any_op, !transform.any_op)
      transform.structured.vectorize %tiled : !transform.any_op
      transform.yield %l#1 : !transform.any_op
    }
    transform.loop.unroll %inner {factor = 1 : i64, tunepass.knobs = {factor = [1, 2, 4]}} : !transform.any_op
    transform.yield
  }
}
