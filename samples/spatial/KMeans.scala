import spatial.dsl._
import org.virtualized._

/** K-means clustering: every epoch streams the points, adds each to its closest centre, and averages. Tune: tunepass build samples/spatial/KMeans.scala --device stratix-v */
object KMeans extends SpatialApp {
  type T = Int

  val numcents = 16
  val dim = 32

  @virtualize
  def kmeans(pointsIn: Array[T], numPoints: Int, epochs: Int): Array[T] = {
    bound(numPoints) = 960000
    bound(epochs) = 9

    val BN = 960 GAUSSIAN (96 -> 96 -> 9600)
    val PX = 1 (1 -> 1)
    val P0 = 4 GAUSSIAN (1 -> 2 -> dim)
    val P2 = 4 EXP (1 -> 2 -> dim)
    val P3 = 4 GAUSSIAN (1 -> 2 -> numcents)
    val parLoad = 16
    val parStore = 16

    val iters = ArgIn[Int]
    val N = ArgIn[Int]
    setArg(iters, epochs)
    setArg(N, numPoints)
    val K = numcents
    val D = dim

    val points = DRAM[T](N, D)
    val centres = DRAM[T](numcents * dim)
    setMem(points, pointsIn)

    Accel {
      val cts = SRAM[T](K, D)
      val sums = SRAM[T](K, D)
      cts load points(0::K, 0::D par parLoad)
      Foreach(K by 1, D by 1 par P0) { (i, j) => sums(i, j) = cts(i, j) }
      val last = D - 1

      Sequential.Foreach(iters by 1) { epoch =>
        Foreach(K by 1, D par P0) { (ct, d) => sums(ct, d) = 0.to[T] }

        Foreach(N by BN par PX) { i =>
          val pts = SRAM[T](BN, D)
          pts load points(i::i+BN, 0::D par parLoad)
          MemFold(sums par P0)(BN par PX) { pt =>
            val best = Reg[Tup2[Int, T]](pack(0.to[Int], 100000.to[T]))
            val closest = Reduce(best)(K par PX) { ct =>
              val distance = Reg[T](0.to[T])
              Reduce(distance)(D par P2) { d => (pts(pt, d) - cts(ct, d)) ** 2 } { _ + _ }
              pack(ct, distance.value)
            } { (a, b) => mux(a._2 < b._2, a, b) }

            val member = SRAM[T](K, D)
            Foreach(K by 1, D par P2) { (ct, d) =>
              val x = pts(pt, d)
              member(ct, d) = mux(ct == closest.value._1, x, 0.to[T])
            }
            member
          } { _ + _ }
        }

        val count = SRAM[T](K)
        Foreach(K by 1 par P3) { ct => count(ct) = max(sums(ct, last), 1.to[T]) }
        Foreach(K by 1, D par P0) { (ct, d) =>
          cts(ct, d) = mux(count(ct) == 0.to[T], 0.to[T], sums(ct, d) / count(ct))
        }
      }

      val flat = SRAM[T](K * D)
      Foreach(K by 1, D by 1 par PX) { (i, j) => flat(i * D + j) = cts(i, j) }
      centres(0::K*D par parStore) store flat
    }
    getMem(centres)
  }

  @virtualize
  def main(): Unit = {
    val epochs = args(0).to[Int]
    val n = args(1).to[Int]
    val points = Array.tabulate(n) { i => Array.tabulate(dim) { d => if (d == dim - 1) 1.to[T] else random[T](10) + i } }
    val result = kmeans(points.flatten, n, epochs)
    printArray(result, "centres: ")
  }
}
