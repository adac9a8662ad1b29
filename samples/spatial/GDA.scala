import spatial.dsl._
import org.virtualized._

/** Gaussian discriminant analysis: the covariance of rows around the mean of their class. Tune: tunepass build samples/spatial/GDA.scala --device stratix-v */
object GDA extends SpatialApp {
  type X = Float

  val MAXC = 96
  val margin = 1

  @virtualize
  def gda(xCPU: Array[X], yCPU: Array[Int], mu0CPU: Array[X], mu1CPU: Array[X]): Array[X] = {
    val rTileSize = 192 GAUSSIAN (96 -> 19200)
    val op = 1 DECAY (1 -> 8)
    val ip = 4 (1 -> 12)
    val mp = 2 (1 -> 8)
    val subLoopPar = 4 GAUSSIAN (1 -> 16)
    val outerAccumPar = 4 (1 -> 16)
    val innerAccumPar = 4 EXP (1 -> 16)

    val rows = yCPU.length; bound(rows) = 360000
    val cols = mu0CPU.length; bound(cols) = MAXC
    val R = ArgIn[Int]
    val C = ArgIn[Int]
    setArg(R, rows)
    setArg(C, cols)
    val x = DRAM[X](R, C)
    val y = DRAM[Int](R)
    val mu0 = DRAM[X](C)
    val mu1 = DRAM[X](C)
    val sigma = DRAM[X](C, C)
    setMem(x, xCPU)
    setMem(y, yCPU)
    setMem(mu0, mu0CPU)
    setMem(mu1, mu1CPU)

    Accel {
      val mu0Tile = SRAM[X](MAXC)
      val mu1Tile = SRAM[X](MAXC)
      Parallel {
        mu0Tile load mu0(0::C par 16)
        mu1Tile load mu1(0::C par 16)
      }
      val sigmaOut = SRAM[X](MAXC, MAXC)
      MemReduce(sigmaOut par outerAccumPar)(R by rTileSize par op) { r =>
        val yTile = SRAM[Int](rTileSize)
        val xTile = SRAM[X](rTileSize, MAXC)
        Parallel {
          yTile load y(r::r+rTileSize par 16)
          xTile load x(r::r+rTileSize, 0::C par 16)
        }
        val sigmaBlk = SRAM[X](MAXC, MAXC)
        MemReduce(sigmaBlk par innerAccumPar)(rTileSize par mp) { rr =>
          val centred = SRAM[X](MAXC)
          val sigmaTile = SRAM[X](MAXC, MAXC)
          Foreach(C par subLoopPar) { cc =>
            centred(cc) = xTile(rr, cc) - mux(yTile(rr) == 1, mu1Tile(cc), mu0Tile(cc))
          }
          Foreach(C by 1, C par ip) { (ii, jj) => sigmaTile(ii, jj) = centred(ii) * centred(jj) }
          sigmaTile
        } { _ + _ }
      } { _ + _ }
      sigma(0::C, 0::C par 16) store sigmaOut
    }
    getMem(sigma)
  }

  @virtualize
  def main(): Unit = {
    val R = args(0).to[Int]
    val C = args(1).to[Int]
    val x = Array.fill(R * C) { random[X] }
    val y = Array.fill(R) { random[Int](2) }
    val mu0 = Array.fill(C) { random[X] }
    val mu1 = Array.fill(C) { random[X] }
    printArray(gda(x, y, mu0, mu1), "sigma: ")
  }
}
