import spatial.dsl._

/** Radix-2 fast Fourier transforms of many rows: bit-reversed rows in, one stage of butterflies after the other. Tune: tunepass build samples/spatial/FFT.scala --device stratix-v */
@spatial object FFT extends SpatialApp {
  type T = Float

  val N = 1024
  val half = N / 2
  val stages = 10

  def main(args: Array[String]): Unit = {
    val rowPar = 1 (1 -> 4)
    val loadPar = 8 (1, 2, 4, 8, 16)
    val butterflyPar = 4 (1, 2, 4, 8, 16, 32)

    val count = args(0).to[Int]; bound(count) = 65536
    val rows = ArgIn[Int]
    setArg(rows, count)
    val realIn = DRAM[T](rows, N)
    val imagIn = DRAM[T](rows, N)
    val twiddleReal = DRAM[T](half)
    val twiddleImag = DRAM[T](half)
    val realOut = DRAM[T](rows, N)
    val imagOut = DRAM[T](rows, N)

    Accel {
      val wr = SRAM[T](half)
      val wi = SRAM[T](half)
      Parallel {
        wr load twiddleReal(0::half par loadPar)
        wi load twiddleImag(0::half par loadPar)
      }
      Foreach(rows by 1 par rowPar) { r =>
        val re = SRAM[T](N)
        val im = SRAM[T](N)
        Parallel {
          re load realIn(r, 0::N par loadPar)
          im load imagIn(r, 0::N par loadPar)
        }
        Sequential.Foreach(stages by 1) { s =>
          Foreach(half by 1 par butterflyPar) { k =>
            val span = 1.to[Int] << s
            val low = ((k >> s) << (s + 1)) + (k & (span - 1))
            val high = low + span
            val twiddle = (k << (stages - 1 - s)) & (half - 1)
            val tr = re(high) * wr(twiddle) - im(high) * wi(twiddle)
            val ti = re(high) * wi(twiddle) + im(high) * wr(twiddle)
            val ur = re(low)
            val ui = im(low)
            re(low) = ur + tr
            im(low) = ui + ti
            re(high) = ur - tr
            im(high) = ui - ti
          }
        }
        Parallel {
          realOut(r, 0::N par loadPar) store re
          imagOut(r, 0::N par loadPar) store im
        }
      }
    }
    printMatrix(getMatrix(realOut), "real: ")
  }
}
