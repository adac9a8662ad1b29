import spatial.dsl._

/** A 3 by 3 convolution of an image: rows stream through a line buffer, a window slides along each. Tune: tunepass build samples/spatial/Convolution.scala --device stratix-v */
@spatial object Convolution extends SpatialApp {
  type T = FixPt[TRUE, _16, _16]

  val K = 3
  val maxCols = 1920

  def main(args: Array[String]): Unit = {
    val loadPar = 4 (1, 2, 4, 8, 16)
    val colPar = 1 (1 -> 16)
    val storePar = 4 (1, 2, 4, 8, 16)

    val rows = args(0).to[Int]; bound(rows) = 1080
    val cols = args(1).to[Int]; bound(cols) = 1920
    val R = ArgIn[Int]
    val C = ArgIn[Int]
    setArg(R, rows)
    setArg(C, cols)
    val image = DRAM[T](R, C)
    val result = DRAM[T](R, C)

    Accel {
      val lines = LineBuffer[T](K, maxCols)
      val weights = LUT[T](K, K)(1.to[T], 2.to[T], 1.to[T], 2.to[T], 4.to[T], 2.to[T], 1.to[T], 2.to[T], 1.to[T])
      val window = RegFile[T](K, K)
      val out = SRAM[T](maxCols)
      Foreach(0 until R) { r =>
        lines load image(r, 0::C par loadPar)
        Foreach(0 until C par colPar) { c =>
          Foreach(0 until K par K) { i => window(i, *) <<= lines(i, c) }
          val sum = Reduce(Reg[T](0.to[T]))(K by 1, K by 1 par K) { (i, j) => window(i, j) * weights(i, j) } { _ + _ }
          out(c) = mux(r < 2 || c < 2, 0.to[T], sum.value)
        }
        result(r, 0::C par storePar) store out
      }
    }
    printMatrix(getMatrix(result), "convolved: ")
  }
}
