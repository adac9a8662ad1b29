"""The language surface: what people write in and around accelerators, old dialect and new."""

from __future__ import annotations

from tunepass.diagnostics import Source
from tunepass.expr.printer import to_text
from tunepass.frontends.base import Parsed
from tunepass.frontends.spatial.frontend import SpatialFrontend
from tunepass.ir.hardware import FLOAT, INT, Controller, Fixed, Program, Schedule, Struct
from tunepass.ir.kernel import Choice

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


def parse(text: str, **options: str) -> Parsed:
    return SpatialFrontend(**options).parse(Source("Filter.scala", text))  # type: ignore[arg-type]


def program(text: str) -> Program:
    found = parse(text).kernels[0].body_as(Program)
    assert found is not None
    return found


def app(accel: str, host: str = "") -> str:
    return f"object App {{ def main() {{\n{host}\nAccel {{\n{accel}\n}} }} }}"


def test_a_whole_file() -> None:
    parsed = parse(FILE)
    (kernel,) = parsed.kernels
    assert kernel.name == "Filter"
    sizes = {"par_load": 5, "tile": 1001, "pipeline_44": 2, "pipeline_46": 2}
    assert {p.name: p.size for p in kernel.parameters} == sizes
    memories = {m.name: m for m in kernel.body_as(Program).all_memories()}
    assert memories["line"].element == Fixed(True, 24, 8)
    assert memories["best"].element == Struct((("_1", INT), ("_2", Fixed(True, 24, 8))))
    assert to_text(memories["idle"].dims[0]) == "tile"
    assert not parsed.warnings


def test_the_controllers_of_a_whole_file() -> None:
    accel = program(FILE).accel
    kinds = [(s.kind, s.schedule) if isinstance(s, Controller) else (s.kind, None) for s in accel.stages]
    assert kinds[:4] == [
        ("foreach", Schedule.PIPELINED),
        ("gather", None),
        ("foreach", Schedule.INNER),
        ("foreach", Schedule.INNER),
    ]
    assert ("fsm", Schedule.INNER) in kinds and ("reduce", Schedule.INNER) in kinds


def test_trip_counts_come_from_bounds() -> None:
    rows = next(iter(program(FILE).accel.stages))
    assert isinstance(rows, Controller)
    assert rows.counters[0].stop is not None and to_text(rows.counters[0].stop) == "480"


def test_what_is_not_modelled_is_a_warning_at_its_line() -> None:
    parsed = parse(app("val x = SRAM[Int](8)\nForeach(n by 1) { i => x(i) = mystery(i) }", "val n = args(0).to[Int]"))
    assert [(w.span.line if w.span else 0, w.message) for w in parsed.warnings] == [
        (5, "this trip count is unknown here; it is taken as 1"),
        (5, "`mystery(…)` is not modelled; it is taken to cost nothing"),
    ]


def test_exact_domains() -> None:
    (kernel,) = parse(app("val x = SRAM[Int](a)\nForeach(8 par b) { i => x(i) = c }",
        "val a = 4 (1 -> 2 -> 32); val b = 2 DECAY (1 -> 8); val c = 7 (3 -> 3)")).kernels  # fmt: skip
    a, b = kernel.parameters
    assert a.domain == (1, *range(2, 33, 2)) and tuple(b.domain) == tuple(range(1, 9))
    assert (a.prior.a, a.prior.b) == (0.5, 1.5)  # a size, nothing written: decay


def test_a_default_outside_of_its_range_is_moved_and_written() -> None:
    text = app("val x = SRAM[Int](a)\nForeach(a by 1) { i => x(i) = i }", "val a = 20 (96 -> 192)")
    (kernel,) = parse(text).kernels
    assert kernel.parameters[0].default == 96
    assert SpatialFrontend().emit(kernel)[0].text == text


def test_several_apps_and_one_by_name() -> None:
    text = app("val x = Reg[Int](0)\nx := 1") + "\n" + app("val y = Reg[Float](0)\ny := 1").replace("App", "Other")
    assert [k.name for k in parse(text).kernels] == ["App", "Other"]
    assert [k.name for k in parse(text, app="Other").kernels] == ["Other"]


def test_types_of_operations() -> None:
    accel = program(app("val x = SRAM[Float](8)\nForeach(8 by 1) { i => x(i) = x(i) * 2.0f + i.to[Float] }")).accel
    (loop,) = accel.stages
    assert isinstance(loop, Controller)
    assert [(op.name, op.element) for op in loop.operations] == [
        ("iterator", INT),
        ("sram_load", FLOAT),
        ("flt_mul", FLOAT),
        ("fix_to_flt", FLOAT),
        ("flt_add", FLOAT),
        ("sram_store", FLOAT),
    ]


def test_a_branch_with_loops_forks() -> None:
    accel = program(app("""val x = SRAM[Int](8); val r = Reg[Int](0)
      Foreach(4 by 1) { k =>
        if (k < 2) { Foreach(8 by 1) { i => x(i) = i } } else { Foreach(4 by 1) { i => x(i) = 0 } }
        Foreach(8 by 1) { i => x(i) = k }
      }""")).accel  # fmt: skip
    schedules = [c.schedule for c in accel.walk()]
    assert Schedule.FORK in schedules


def test_operations_between_loops_become_a_unit_pipe() -> None:
    accel = program(app("""val x = SRAM[Int](8); val r = Reg[Int](0)
      Foreach(8 by 1) { i => x(i) = i }
      r := x(3) * 2
      Foreach(8 by 1) { i => x(i) = r.value }""")).accel  # fmt: skip
    assert [s.kind for s in accel.stages if isinstance(s, Controller)] == ["foreach", "unit", "foreach"]


def test_scala_collections_are_hardware_of_their_own() -> None:
    accel = program(app("""val xs = List.tabulate(3) { i => SRAM[Int](8) }
      xs.zipWithIndex.foreach { case (x, i) =>
        Foreach(8 by 1) { j => x(j) = j + i }
      }
      val sums = List.tabulate(2) { i => Reg[Int](i) }
      Foreach(8 by 1) { j => sums(0) := xs.map { x => x(j) }.reduce { _ + _ } }
      (0 until 2).foreach { k => sums(k) :+= 1 }""")).accel  # fmt: skip
    assert [s.kind for s in accel.stages if isinstance(s, Controller)] == ["foreach"] * 4 + ["unit"]
    total = accel.stages[3]
    assert isinstance(total, Controller)
    assert [op.name for op in total.operations].count("sram_load") == 3
    last = accel.stages[4]
    assert isinstance(last, Controller) and [op.name for op in last.operations].count("reg_write") == 2


def test_case_classes_by_field() -> None:
    text = "case class Cell(score: Int16, ptr: Int16)\n" + app("""val m = SRAM[Cell](8)
      val best = Reg[Int16](0)
      Foreach(8 by 1) { i =>
        val cell = if (i == 0) Cell(0, 0) else Cell(m(i).score + 1, 2)
        best := cell.score
        m(i) = cell
      }""")  # fmt: skip
    parsed = parse(text)
    assert parsed.warnings == ()
    found = parsed.kernels[0].body_as(Program)
    assert found is not None
    names = [op.name for c in found.accel.walk() for op in c.operations]
    assert {"reg_write", "sram_store", "sram_load", "field", "mux"} <= set(names)


def test_registers_are_written_by_method_and_by_operator() -> None:
    accel = program(
        app("val r = Reg[Int](0); val q = FIFO[Int](8)\nForeach(8 by 1) { i => r.write(q.deq(en = i == 0)); r :-= 1 }")
    )
    (loop,) = accel.accel.stages
    assert isinstance(loop, Controller)
    names = [op.name for op in loop.operations]
    assert names.count("reg_write") == 2 and "fifo_deq" in names and "fix_sub" in names


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
    assert [w.message for w in parsed.warnings] == [
        "the command line is not known here; what nothing bounds is as `runtimeArgs` has it"
    ]
    chosen = SpatialFrontend().emit(kernel.scheduled((Choice("op", 3),)))[0].text
    assert chosen == text.replace('loadParam("op", 2 (1', 'loadParam("op", 3 (1')
