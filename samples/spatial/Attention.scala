import spatial.dsl._

/** One head of attention for a block of queries at a time: scores, softmax by rows, weighted values. Tune: tunepass build samples/spatial/Attention.scala --device stratix-v */
@spatial object Attention extends SpatialApp {
  type T = Float

  val L = 512
  val D = 64

  def main(args: Array[String]): Unit = {
    val block = 32 (8 -> 8 -> 128)
    val dotPar = 4 (1, 2, 4, 8, 16, 32, 64)
    val softPar = 2 (1, 2, 4, 8, 16)
    val valuePar = 4 (1, 2, 4, 8, 16, 32, 64)
    val loadPar = 8 (1, 2, 4, 8, 16)

    val heads = args(0).to[Int]; bound(heads) = 128
    val H = ArgIn[Int]
    setArg(H, heads)
    val q = DRAM[T](H, L, D)
    val k = DRAM[T](H, L, D)
    val v = DRAM[T](H, L, D)
    val o = DRAM[T](H, L, D)

    Accel {
      Sequential.Foreach(H by 1) { h =>
        val keys = SRAM[T](L, D)
        val values = SRAM[T](L, D)
        Parallel {
          keys load k(h, 0::L, 0::D par loadPar)
          values load v(h, 0::L, 0::D par loadPar)
        }
        Foreach(L by block) { b =>
          val queries = SRAM[T](block, D)
          val out = SRAM[T](block, D)
          queries load q(h, b::b+block, 0::D par loadPar)
          Foreach(block by 1) { i =>
            val scores = SRAM[T](L)
            val total = Reg[T](0.0f)
            Foreach(L by 1) { j =>
              val dot = Reduce(Reg[T](0.0f))(D by 1 par dotPar) { d => queries(i, d) * keys(j, d) } { _ + _ }
              scores(j) = exp(dot.value * 0.125f)
            }
            Reduce(total)(L by 1 par softPar) { j => scores(j) } { _ + _ }
            Foreach(D by 1) { d =>
              val sum = Reduce(Reg[T](0.0f))(L by 1 par valuePar) { j => scores(j) * values(j, d) } { _ + _ }
              out(i, d) = sum.value / total.value
            }
          }
          o(h, b::b+block, 0::D par loadPar) store out
        }
      }
    }
    printMatrix(getMatrix(o), "attention: ")
  }
}
