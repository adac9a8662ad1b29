"""What stands around an app: parents, constructors, the command line."""

from __future__ import annotations

from tests.frontends.spatial.apps import parse
from tunepass.expr.printer import to_text
from tunepass.frontends.spatial.frontend import SpatialFrontend
from tunepass.ir.hardware import Controller, Program
from tunepass.ir.kernel import Choice


def test_constants_come_from_parents_constructors_and_other_objects() -> None:
    text = """trait Sizes { val N = 64; val half = N / 2 }
object Table { val rows = 8; def twice(x: Int): Int = x * 2 }
@spatial abstract class Base(par: scala.Int, tile: scala.Int = 16, deep: Boolean = false) extends Test with Sizes {
  self =>
  val width = 4
  def main(args: Array[String]): Unit = {
    val width = 12
    Accel {
      val x = SRAM.buffer[Int](N, half)
      Foreach(Table.rows by 1, tile by 1 par par) { (i, j) => x(i, j) = Table.twice(i) }
      Foreach(self.width by 1, x.cols by 1, Base.this.width by 1) { (i, j, k) => x(i, j) = 1 }
    }
  }
}
class One extends Base(4, deep = true)
"""
    parsed = parse(text.replace("Base.this.width", "width"))
    found = parsed.kernels[0].body_as(Program)
    assert found is not None and not parsed.warnings
    assert [to_text(d) for m in found.all_memories() if m.name == "x" for d in m.dims] == ["64", "32"]
    first, second = found.accel.stages
    assert isinstance(first, Controller) and isinstance(second, Controller)
    assert [(to_text(c.stop), to_text(c.par)) for c in first.counters if c.stop] == [("8", "1"), ("16", "4")]
    assert [to_text(c.stop) for c in second.counters if c.stop] == ["4", "32", "12"]
    assert any(o.name == "fix_mul" for o in first.operations)


def test_what_a_function_is_called_with_and_the_command_line() -> None:
    text = """@spatial class A extends SpatialTest {
  override def runtimeArgs: Args = "640 0.5"
  val M = 96
  def work(xs: Array[Int], n: Int, m: Int): Int = {
    bound(xs.length) = 320
    val a = ArgIn[Int]; val b = ArgIn[Int]; val c = ArgIn[Int]; val d = ArgIn[Int]
    setArg(a, xs.length); setArg(b, m); setArg(c, args(0).to[Int]); setArg(d, a)
    val op = loadParam("op", 2 (1 -> 4))
    Accel {
      val x = SRAM[Int](1024)
      Foreach(a by 1, b by 1, c by 1, d by 1 par op) { (i, j, k, l) => x(i) = j }
      FSM(4)(i => i < 128) { i => x(i) = i } { i => i + 16 }
    }
  }
  def main(args: Array[String]): Unit = { println(work(data, 3, M)) }
}
"""
    parsed = parse(text)
    (kernel,) = parsed.kernels
    assert [p.name for p in kernel.parameters] == ["op"]
    loop, machine = kernel.body_as(Program).accel.stages
    assert isinstance(loop, Controller) and isinstance(machine, Controller)
    assert [to_text(c.stop) for c in loop.counters if c.stop] == ["320", "96", "640", "320"]
    (state,) = machine.counters
    assert machine.kind == "fsm" and (to_text(state.start), to_text(state.step)) == ("4", "16")
    assert [w.message for w in parsed.warnings] == ["`c` is not known here; times assume 640, as `runtimeArgs` has it"]
    chosen = SpatialFrontend().emit((kernel.scheduled((Choice("op", 3),)),))[0].text
    assert chosen == text.replace('loadParam("op", 2 (1', 'loadParam("op", 3 (1')
