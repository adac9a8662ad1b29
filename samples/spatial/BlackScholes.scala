import spatial.dsl._
import org.virtualized._

/** European option prices by the Black-Scholes formula: one tile of options at a time, six arrays in, one out. Tune: tunepass build samples/spatial/BlackScholes.scala --device stratix-v */
object BlackScholes extends SpatialApp {
  type T = Float

  final val invSqrt2Pi = 0.39894228040143270286f

  /** The cumulative normal distribution, by the polynomial of Abramowitz and Stegun 26.2.17. */
  @virtualize
  def cndf(x: T): T = {
    val ax = abs(x)
    val density = exp((ax ** 2) * -0.05f) * invSqrt2Pi
    val k = 1.to[T] / ((ax * 0.2316419f) + 1.0f)
    val k2 = k ** 2
    val k3 = k2 * k
    val k4 = k3 * k
    val k5 = k4 * k
    val low = k2 * -0.356563782f + k3 * 1.781477937f
    val middle = low + k4 * -1.821255978f
    val high = middle + k5 * 1.330274429f
    val tail = (high + k * 0.319381530f) * density
    val whole = -tail + 1.0f
    mux(x < 0.0f, tail, whole)
  }

  @virtualize
  def price(spot: T, strike: T, rate: T, volatility: T, time: T, otype: Int): T = {
    val logTerm = log(spot / strike)
    val powerTerm = (volatility ** 2) * 0.5f
    val numerator = (rate + powerTerm) * time + logTerm
    val denominator = volatility * sqrt(time)
    val ratio = numerator / (denominator ** 2)
    val d1 = cndf(ratio)
    val d2 = cndf(ratio - denominator)
    val future = strike * exp(-rate * time)
    val notD1 = -d1 + 1.0f
    val notD2 = -d2 + 1.0f
    val call = (spot * d1) - (future * d2)
    val put = (future * notD2) - (spot * notD1)
    mux(otype == 0, put, call)
  }

  @virtualize
  def blackscholes(
    types: Array[Int], spots: Array[T], strikes: Array[T], rates: Array[T], volatilities: Array[T], times: Array[T]
  ): Array[T] = {
    val tileSize = 1920
    val B  = tileSize GAUSSIAN (96 -> 96 -> 19200)
    val OP = 1 UNIFORM (1 -> 2)
    val IP = 1 EXP (1 -> 96)

    val size = types.length; bound(size) = 9995328
    val N = ArgIn[Int]
    setArg(N, size)

    val dramType   = DRAM[Int](N)
    val dramSpot   = DRAM[T](N)
    val dramStrike = DRAM[T](N)
    val dramRate   = DRAM[T](N)
    val dramVol    = DRAM[T](N)
    val dramTime   = DRAM[T](N)
    val dramPrice  = DRAM[T](N)
    setMem(dramType, types)
    setMem(dramSpot, spots)
    setMem(dramStrike, strikes)
    setMem(dramRate, rates)
    setMem(dramVol, volatilities)
    setMem(dramTime, times)

    Accel {
      Foreach(N by B par OP) { i =>
        val otype  = SRAM[Int](B)
        val spot   = SRAM[T](B)
        val strike = SRAM[T](B)
        val rate   = SRAM[T](B)
        val vol    = SRAM[T](B)
        val time   = SRAM[T](B)
        val result = SRAM[T](B)
        Parallel {
          otype  load dramType(i::i+B par IP)
          spot   load dramSpot(i::i+B par IP)
          strike load dramStrike(i::i+B par IP)
          rate   load dramRate(i::i+B par IP)
          vol    load dramVol(i::i+B par IP)
          time   load dramTime(i::i+B par IP)
        }
        Foreach(B par IP) { j =>
          result(j) = price(spot(j), strike(j), rate(j), vol(j), time(j), otype(j))
        }
        dramPrice(i::i+B par IP) store result
      }
    }
    getMem(dramPrice)
  }

  @virtualize
  def main(): Unit = {
    val n = args(0).to[Int]
    val types = Array.fill(n)(random[Int](2))
    val values = Array.fill(n)(random[T])
    val out = blackscholes(types, values, values, values, values, values)
    printArray(out, "prices: ")
  }
}
