import spatial.dsl._
import org.virtualized._

/** C += A * B by outer products: each tile of C accumulates rank-one updates. Tune: tunepass build samples/spatial/GEMM.scala --device stratix-v */
object GEMM extends SpatialApp {
  type T = FixPt[TRUE, _16, _16]

  val innerPar = 16
  val midPar = 2
  val outerPar = 1

  @virtualize
  def gemm(aIn: Array[T], bIn: Array[T], cIn: Array[T], mm: Int, nn: Int, pp: Int): Array[T] = {
    bound(mm) = 1152; bound(nn) = 1152; bound(pp) = 1152
    val M = ArgIn[Int]
    val N = ArgIn[Int]
    val P = ArgIn[Int]
    setArg(M, mm)
    setArg(N, nn)
    setArg(P, pp)
    val a = DRAM[T](M, P)
    val b = DRAM[T](P, N)
    val c = DRAM[T](M, N)

    val op = outerPar (1 -> 1)
    val mp = midPar GAUSSIAN (1 -> 16)
    val ip = innerPar EXP (1 -> 64)
    val bm = 48 GAUSSIAN (48 -> 48 -> 1920)
    val bn = 96 GAUSSIAN (48 -> 48 -> 1920)
    val bp = 96 GAUSSIAN (48 -> 48 -> 1920)

    setMem(a, aIn)
    setMem(b, bIn)
    setMem(c, cIn)

    Accel {
      Sequential.Foreach(M by bm, N by bn par op) { (i, j) =>
        val tileC = SRAM[T](bm, bn)
        tileC load c(i::i+bm, j::j+bn par ip)
        MemFold(tileC)(P by bp) { k =>
          val tileA = SRAM[T](bm, bp)
          val tileB = SRAM[T](bp, bn)
          val sum = SRAM[T](bm, bn)
          Parallel {
            tileA load a(i::i+bm, k::k+bp par ip)
            tileB load b(k::k+bp, j::j+bn par ip)
          }
          MemReduce(sum)(bp by 1 par mp) { kk =>
            val partial = SRAM[T](bm, bn)
            Foreach(bm by 1, bn by 1 par ip) { (ii, jj) => partial(ii, jj) = tileA(ii, kk) * tileB(kk, jj) }
            partial
          } { _ + _ }
        } { _ + _ }
        c(i::i+bm, j::j+bn par ip) store tileC
      }
    }
    getMem(c)
  }

  @virtualize
  def main(): Unit = {
    val m = args(0).to[Int]
    val n = args(1).to[Int]
    val p = args(2).to[Int]
    val a = Array.tabulate(m * p) { i => (i % 8).to[T] }
    val b = Array.tabulate(p * n) { i => (i % 8).to[T] }
    val c = Array.fill(m * n) { 0.to[T] }
    val result = gemm(a, b, c, m, n, p)
    println("checksum: " + result.reduce { _ + _ })
  }
}
