// Seven points of 64 x 64 x 64 floats: tiled in one of three orders, vectorised, the inner loop unrolled.
#cube = affine_map<(i, j, k) -> (i, j, k)>
module attributes {transform.with_named_sequence} {
  func.func @heat3d(%u: memref<66x66x66xf32>, %v: memref<66x66x66xf32>) attributes {llvm.emit_c_interface} {
    %m = memref.subview %u[1, 1, 1] [64, 64, 64] [1, 1, 1] : memref<66x66x66xf32> to memref<64x64x64xf32, strided<[4356, 66, 1], offset: 4423>>
    %a = memref.subview %u[0, 1, 1] [64, 64, 64] [1, 1, 1] : memref<66x66x66xf32> to memref<64x64x64xf32, strided<[4356, 66, 1], offset: 67>>
    %b = memref.subview %u[2, 1, 1] [64, 64, 64] [1, 1, 1] : memref<66x66x66xf32> to memref<64x64x64xf32, strided<[4356, 66, 1], offset: 8779>>
    %n = memref.subview %u[1, 0, 1] [64, 64, 64] [1, 1, 1] : memref<66x66x66xf32> to memref<64x64x64xf32, strided<[4356, 66, 1], offset: 4357>>
    %s = memref.subview %u[1, 2, 1] [64, 64, 64] [1, 1, 1] : memref<66x66x66xf32> to memref<64x64x64xf32, strided<[4356, 66, 1], offset: 4489>>
    %w = memref.subview %u[1, 1, 0] [64, 64, 64] [1, 1, 1] : memref<66x66x66xf32> to memref<64x64x64xf32, strided<[4356, 66, 1], offset: 4422>>
    %e = memref.subview %u[1, 1, 2] [64, 64, 64] [1, 1, 1] : memref<66x66x66xf32> to memref<64x64x64xf32, strided<[4356, 66, 1], offset: 4424>>
    %r = memref.subview %v[1, 1, 1] [64, 64, 64] [1, 1, 1] : memref<66x66x66xf32> to memref<64x64x64xf32, strided<[4356, 66, 1], offset: 4423>>
    %eighth = arith.constant 0.125 : f32
    linalg.generic {indexing_maps = [#cube, #cube, #cube, #cube, #cube, #cube, #cube, #cube], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%m, %a, %b, %n, %s, %w, %e : memref<64x64x64xf32, strided<[4356, 66, 1], offset: 4423>>, memref<64x64x64xf32, strided<[4356, 66, 1], offset: 67>>, memref<64x64x64xf32, strided<[4356, 66, 1], offset: 8779>>, memref<64x64x64xf32, strided<[4356, 66, 1], offset: 4357>>, memref<64x64x64xf32, strided<[4356, 66, 1], offset: 4489>>, memref<64x64x64xf32, strided<[4356, 66, 1], offset: 4422>>, memref<64x64x64xf32, strided<[4356, 66, 1], offset: 4424>>)
      outs(%r : memref<64x64x64xf32, strided<[4356, 66, 1], offset: 4423>>) {
    ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %x4: f32, %x5: f32, %x6: f32, %before: f32):
      %y1 = arith.addf %x1, %x2 : f32
      %y2 = arith.addf %x3, %x4 : f32
      %y3 = arith.addf %x5, %x6 : f32
      %y4 = arith.addf %y1, %y2 : f32
      %y5 = arith.addf %y3, %y4 : f32
      %y6 = arith.mulf %y5, %eighth : f32
      %y7 = arith.addf %x0, %y6 : f32
      linalg.yield %y7 : f32
    }
    return
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    %i = transform.tune.knob<"planes"> = 1 from options = [1, 2, 4] -> !transform.any_param
    %j = transform.tune.knob<"rows"> = 1 from options = [1, 2, 4] -> !transform.any_param
    %k = transform.tune.knob<"width"> = 4 from options = [4, 8, 16, 32, 64] -> !transform.any_param
    %op = transform.structured.match ops{["linalg.generic"]} in %module : (!transform.any_op) -> !transform.any_op
    %inner = transform.tune.alternatives<"order"> selected_region = 0 -> !transform.any_op {
      %tiled, %l:3 = transform.structured.tile_using_for %op tile_sizes [%i, %j, %k] : (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.structured.vectorize %tiled : !transform.any_op
      transform.yield %l#2 : !transform.any_op
    }, {
      %tiled, %l:3 = transform.structured.tile_using_for %op tile_sizes [%i, %j, %k] interchange = [1, 2, 0] : (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.structured.vectorize %tiled : !transform.any_op
      transform.yield %l#2 : !transform.any_op
    }, {
      %tiled, %l:3 = transform.structured.tile_using_for %op tile_sizes [%i, %j, %k] interchange = [0, 2, 1] : (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.structured.vectorize %tiled : !transform.any_op
      transform.yield %l#2 : !transform.any_op
    }
    transform.loop.unroll %inner {factor = 1 : i64, tunepass.knobs = {factor = [1, 2]}} : !transform.any_op
    transform.yield
  }
}
