"""Spatial sources of the tests, and how they are read."""

from __future__ import annotations

from tunepass.diagnostics import Source
from tunepass.frontends.base import Parsed
from tunepass.frontends.spatial.frontend import SpatialFrontend
from tunepass.ir.hardware import Controller, Program

FILE = """package apps

import spatial.dsl._
import org.virtualized._ // a comment with { in it

/* a block /* nested */ comment { */
@struct case class Pixel(red: UInt8, green: UInt8)

object Helper {
  def twice(x: Int): Int = x * 2
  val text = s"host ${if (true) "{" else "}"} code"
}

@spatial class Filter extends SpatialTest with Verified {
  override def runtimeArgs: Args = "32" and "64"
  type T = FixPt[TRUE, _24, _8]
  private val Kh, Kw = 3
  val width: scala.Int = 64
  lazy val scale = 0.25f

  def shifted[A: Num](a: A, by: Int)(implicit ctx: SrcCtx): A = { a >> by }

  def main(args: Array[String]): Unit = {
    val rows = args(0).to[Int]; bound(rows) = 480
    val R = ArgIn[Int]
    setArg(R, rows)
    val img = DRAM[T](R, width)
    val out = DRAM[T](R, width)
    val ids = DRAM[Int](R)
    val par_load = 16 (1, 2, 4, 8, 16)
    val tile = param(96)
    val done = ArgOut[Bit]
    val host = (0 until 10).map { i => i * 2 }.filter(_ > 3)
    for (i <- 0 until 4) println("host " + i)

    Accel {
      val lb = LineBuffer[T](Kh, width)
      val kernel = LUT[T](3, 3)(1.to[T], 0.to[T], -1.to[T], 2.to[T], 0.to[T], -2.to[T], 1.to[T], 0.to[T], -1.to[T])
      val window = RegFile[T](Kh, Kw)
      val line = SRAM[T](width).buffer
      val queue = FIFO[T](128)
      val idle = SRAM[Int](tile)
      val flag = Reg[Bit](false)
      'ROWS.Foreach(0 until R) { r =>
        lb load img(r, 0::width par par_load)
        Foreach(0 until width by 1) { c =>
          Pipe { window.reset(c == 0) }
          Foreach(0 until Kh par Kh) { i => window(i, *) <<= lb(i, c) }
          val sum = Reduce(Reg[T](0.to[T]))(Kh by 1, Kw by 1) { (i, j) => window(i, j) * kernel(i, j) } { _ + _ }
          line(c) = mux(r < 2, 0.to[T], abs(sum.value))
        }
        out(r, 0::width par 16) store line
      }
      idle gather ids(idle, tile)
      Stream.Foreach(128 by 1) { i => queue.enq(i.to[T] * 2.to[T]) }
      Foreach(128 by 1 par 2) { i =>
        val x = queue.deq()
        val pixel = Pixel(1.to[UInt8], 2.to[UInt8])
        if (x > 3.to[T]) { flag := true } else { flag := false }
        val y = if (x < 2.to[T]) x else shifted(x, 2)
        line(i) = y
      }
      FSM(0)(state => state < 4) { state => idle(state) = state } { state => state + 1 }
      for (k <- 0 until 3) { idle(k) = k }
      val best = Reg[Tup2[Int, T]](pack(0.to[Int], 1.to[T]))
      Reduce(best)(16 by 1) { i => pack(i, line(i)) } { case (a, b) => mux(a._2 < b._2, a, b) }
      assert(flag.value, "all is well")
      done := flag.value && (best._1 > 3)
    }
    val gold = getMatrix(out).map { row =>
      row
        .zip(row) { (a, b) => a + b }
    }
    println(r"PASS: ${getArg(done)}")
  }
}
"""


def parse(text: str, only: str | None = None) -> Parsed:
    return SpatialFrontend().parse(Source("Filter.scala", text), only)


def program(text: str) -> Program:
    return parse(text).kernels[0].body_as(Program)


def app(accel: str, host: str = "") -> str:
    return f"object App {{ def main() {{\n{host}\nAccel {{\n{accel}\n}} }} }}"


def operation_names(text: str) -> list[str]:
    """The operations of the app's innermost bodies, in order."""
    return [operation.name for controller in program(text).accel.walk() for operation in controller.operations]


def controllers(text: str) -> list[Controller]:
    """The stages of the app's accelerator that are controllers."""
    return [stage for stage in program(text).accel.stages if isinstance(stage, Controller)]
