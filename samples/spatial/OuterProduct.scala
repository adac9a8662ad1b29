import spatial.dsl._
import org.virtualized._

/** The outer product of two vectors, tile by tile. Tune: tunepass build samples/spatial/OuterProduct.scala --device stratix-v */
object OuterProduct extends SpatialApp {
  type T = FixPt[TRUE, _32, _0]

  @virtualize
  def outerproduct(a: Array[T], b: Array[T]): Array[T] = {
    val tileSizeA = 640 GAUSSIAN (64 -> 64 -> 5760)
    val tileSizeB = 640 GAUSSIAN (64 -> 64 -> 5760)
    val outerPar = 1 EXP (1 -> 4)
    val innerPar = 16 EXP (1 -> 256)

    val M = a.length; bound(M) = 38400
    val N = b.length; bound(N) = 38400
    val sizeA = ArgIn[Int]
    val sizeB = ArgIn[Int]
    setArg(sizeA, M)
    setArg(sizeB, N)

    val vec1 = DRAM[T](sizeA)
    val vec2 = DRAM[T](sizeB)
    val out = DRAM[T](sizeA, sizeB)
    setMem(vec1, a)
    setMem(vec2, b)

    Accel {
      Foreach(sizeA by tileSizeA, sizeB by tileSizeB par outerPar) { (i, j) =>
        val left = SRAM[T](tileSizeA)
        val right = SRAM[T](tileSizeB)
        val product = SRAM[T](tileSizeA, tileSizeB)
        Parallel {
          left load vec1(i::i+tileSizeA par innerPar)
          right load vec2(j::j+tileSizeB par innerPar)
        }
        Foreach(tileSizeA by 1, tileSizeB par innerPar) { (ii, jj) => product(ii, jj) = left(ii) * right(jj) }
        out(i::i+tileSizeA, j::j+tileSizeB par 16) store product
      }
    }
    getMem(out)
  }

  @virtualize
  def main(): Unit = {
    val m = args(0).to[Int]
    val n = args(1).to[Int]
    val a = Array.tabulate(m) { i => (i % 64).to[T] }
    val b = Array.tabulate(n) { i => (i % 64).to[T] }
    val sum = outerproduct(a, b).reduce { _ + _ }
    println("checksum: " + sum)
  }
}
