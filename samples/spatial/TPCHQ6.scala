import spatial.dsl._
import org.virtualized._

/** TPC-H query 6: the revenue of the line items within a window of dates, discounts and quantities. Tune: tunepass build samples/spatial/TPCHQ6.scala --device stratix-v */
object TPCHQ6 extends SpatialApp {
  type FT = Int

  val MIN_DATE = 0
  val MAX_DATE = 9999
  val MIN_DISC = 0
  val MAX_DISC = 9999

  @virtualize
  def tpchq6(datesIn: Array[Int], quantsIn: Array[Int], disctsIn: Array[FT], pricesIn: Array[FT]): FT = {
    val ts = 1920 GAUSSIAN (96 -> 96 -> 192000)
    val op = 1 DECAY (1 -> 6)
    val ip = 16 EXP (1 -> 384)
    val lp = 16 EXP (1 -> 384)

    val size = datesIn.length; bound(size) = 96000000
    val N = ArgIn[Int]
    setArg(N, size)
    val dates = DRAM[Int](N)
    val quants = DRAM[Int](N)
    val discts = DRAM[FT](N)
    val prices = DRAM[FT](N)
    val revenue = ArgOut[FT]
    setMem(dates, datesIn)
    setMem(quants, quantsIn)
    setMem(discts, disctsIn)
    setMem(prices, pricesIn)

    Accel {
      val total = Reg[FT]
      Reduce(total)(N by ts par op) { i =>
        val dateTile = SRAM[Int](ts)
        val quantTile = SRAM[Int](ts)
        val disctTile = SRAM[FT](ts)
        val priceTile = SRAM[FT](ts)
        Parallel {
          dateTile load dates(i::i+ts par lp)
          quantTile load quants(i::i+ts par lp)
          disctTile load discts(i::i+ts par lp)
          priceTile load prices(i::i+ts par lp)
        }
        Reduce(Reg[FT])(ts par ip) { j =>
          val date = dateTile(j)
          val disct = disctTile(j)
          val quant = quantTile(j)
          val price = priceTile(j)
          val valid = date > MIN_DATE && date < MAX_DATE && disct >= MIN_DISC && disct <= MAX_DISC && quant < 24
          mux(valid, price * disct, 0.to[FT])
        } { _ + _ }
      } { _ + _ }
      revenue := total
    }
    getArg(revenue)
  }

  @virtualize
  def main(): Unit = {
    val n = args(0).to[Int]
    val dates = Array.fill(n) { random[Int](20) + 65 }
    val quants = Array.fill(n) { random[Int](25) }
    val discts = Array.fill(n) { random[FT](10) }
    val prices = Array.fill(n) { random[FT](1000) }
    println("revenue: " + tpchq6(dates, quants, discts, prices))
  }
}
