// C = A transposed + B, 512 x 512 floats: loops of scalars in two levels of tiles, in one of two orders each.
#plain = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
module attributes {transform.with_named_sequence} {
  func.func @transposed_sum(%a: memref<512x512xf32>, %b: memref<512x512xf32>, %c: memref<512x512xf32>) attributes {llvm.emit_c_interface} {
    linalg.generic {indexing_maps = [#turned, #plain, #plain], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<512x512xf32>, memref<512x512xf32>) outs(%c : memref<512x512xf32>) {
    ^bb0(%x: f32, %y: f32, %before: f32):
      %z = arith.addf %x, %y : f32
      linalg.yield %z : f32
    }
    return
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    %i = transform.tune.knob<"rows"> = 1 from options = [1, 4, 8, 16, 32, 64, 128] -> !transform.any_param
    %j = transform.tune.knob<"columns"> = 1 from options = [1, 4, 8, 16, 32, 64, 128] -> !transform.any_param
    %op = transform.structured.match ops{["linalg.generic"]} in %module : (!transform.any_op) -> !transform.any_op
    %first = transform.tune.alternatives<"inner_order"> selected_region = 0 -> !transform.any_op {
      transform.yield %op : !transform.any_op
    }, {
      %turned = transform.structured.interchange %op iterator_interchange = [1, 0] : (!transform.any_op) -> !transform.any_op
      transform.yield %turned : !transform.any_op
    }
    transform.tune.alternatives<"tile_order"> selected_region = 0 {
      %tiled, %l:2 = transform.structured.tile_using_for %first tile_sizes [%i, %j] : (!transform.any_op, !transform.any_param, !transform.any_param) -> (!transform.any_op, !transform.any_op, !transform.any_op)
      transform.yield
    }, {
      %tiled, %l:2 = transform.structured.tile_using_for %first tile_sizes [%i, %j] interchange = [1, 0] : (!transform.any_op, !transform.any_param, !transform.any_param) -> (!transform.any_op, !transform.any_op, !transform.any_op)
      transform.yield
    }
    transform.yield
  }
}
