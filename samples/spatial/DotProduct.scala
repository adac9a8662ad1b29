import spatial.dsl._
import org.virtualized._

/** The dot product of two long vectors: a reduction over tiles of a reduction within each. Tune: tunepass build samples/spatial/DotProduct.scala --device stratix-v */
object DotProduct extends SpatialApp {
  type T = FixPt[TRUE, _32, _0]

  @virtualize
  def dotproduct(aIn: Array[T], bIn: Array[T]): T = {
    val B = 640 (64 -> 64 -> 9600)
    val P1 = 1 EXP (1 -> 6)
    val P2 = 16 EXP (1 -> 256)
    val P3 = 16 GAUSSIAN (1 -> 256)

    val size = aIn.length; bound(size) = 19200000
    val N = ArgIn[Int]
    setArg(N, size)
    val a = DRAM[T](N)
    val b = DRAM[T](N)
    val out = ArgOut[T]
    setMem(a, aIn)
    setMem(b, bIn)

    Accel {
      out := Reduce(Reg[T](0.to[T]))(N by B par P1) { i =>
        val aTile = SRAM[T](B)
        val bTile = SRAM[T](B)
        Parallel {
          aTile load a(i::i+B par P3)
          bTile load b(i::i+B par P3)
        }
        Reduce(Reg[T](0.to[T]))(B par P2) { ii => aTile(ii) * bTile(ii) } { _ + _ }
      } { _ + _ }
    }
    getArg(out)
  }

  @virtualize
  def main(): Unit = {
    val n = args(0).to[Int]
    val a = Array.fill(n) { random[T](4) }
    val b = Array.fill(n) { random[T](4) }
    println("dot product: " + dotproduct(a, b))
  }
}
