"""C text of an expression, for emitted sources and guards.

Names stand for C variables in scope: an Integer or a string's code of any integer type, a Real `double`, a Bool 0 or 1,
an order an array of `long long` codes by position. The text has the value of the expression where that is defined and
does not overflow; elsewhere it means nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.expr import nodes as n
from tunepass.expr.numpy_eval import remap

# name -> its definition and the helpers that it calls
HELPERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "tp_floordiv": (
        "static inline long long tp_floordiv(long long a, long long b)\n"
        "{ return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0)); }",
        (),
    ),
    "tp_mod": (
        "static inline long long tp_mod(long long a, long long b)\n"
        "{ if (b == 0 || b == -1) return 0; a %= b; return a + (a != 0 && (a < 0) != (b < 0) ? b : 0); }",
        (),
    ),
    "tp_ceildiv": (
        "static inline long long tp_ceildiv(long long a, long long b)\n"
        "{ return b == 0 ? 0 : a / b + (a % b != 0 && (a < 0) == (b < 0)); }",
        (),
    ),
    "tp_floordiv_real": (
        "static inline double tp_floordiv_real(double a, double b)\n"
        "{ double r = fmod(a, b), q = (a - r) / b, w; if (r != 0 && (b < 0) != (r < 0)) q -= 1.0;\n"
        "  w = floor(q); return q == 0 ? copysign(0.0, a / b) : q - w > 0.5 ? w + 1.0 : w; }",
        (),
    ),
    "tp_mod_real": (
        "static inline double tp_mod_real(double a, double b)\n"
        "{ double r = fmod(a, b); return r == 0 ? copysign(0.0, b) : (b < 0) != (r < 0) ? r + b : r; }",
        (),
    ),
    "tp_ceildiv_real": (
        "static inline double tp_ceildiv_real(double a, double b) { return -tp_floordiv_real(-a, b); }",
        ("tp_floordiv_real",),
    ),
    "tp_pow": (
        "static inline long long tp_pow(long long a, long long b)\n"
        "{ unsigned long long r = 1, x = (unsigned long long)a; for (; b > 0; b >>= 1, x *= x) if (b & 1) r *= x;\n"
        "  return (long long)r; }",
        (),
    ),
    "tp_shl": (
        "static inline long long tp_shl(long long a, long long b)\n"
        "{ return a == 0 || b > 63 || b < 0 ? 0 : (long long)((unsigned long long)a << b); }",
        (),
    ),
    "tp_shr": (
        "static inline long long tp_shr(long long a, long long b) { return a >> (b > 63 ? 63 : b < 0 ? 0 : b); }",
        (),
    ),
    "tp_abs": ("static inline long long tp_abs(long long a) { return a < 0 ? -a : a; }", ()),
    "tp_min": ("static inline long long tp_min(long long a, long long b) { return b < a ? b : a; }", ()),
    "tp_max": ("static inline long long tp_max(long long a, long long b) { return b > a ? b : a; }", ()),
    "tp_min_real": ("static inline double tp_min_real(double a, double b) { return b < a ? b : a; }", ()),
    "tp_max_real": ("static inline double tp_max_real(double a, double b) { return b > a ? b : a; }", ()),
    "tp_gcd": (
        "static inline long long tp_gcd(long long a, long long b)\n"
        "{ long long r; while (b) { r = b == -1 ? 0 : a % b; a = b; b = r; } return a < 0 ? -a : a; }",
        (),
    ),
    "tp_lcm": (
        "static inline long long tp_lcm(long long a, long long b)\n"
        "{ long long r = a == 0 || b == 0 ? 0 : a / tp_gcd(a, b) * b; return r < 0 ? -r : r; }",
        ("tp_gcd",),
    ),
    "tp_ispow2": ("static inline int tp_ispow2(long long a) { return a > 0 && (a & (a - 1)) == 0; }", ()),
    "tp_pos": (
        "static inline long long tp_pos(const long long *order, int n, long long item)\n"
        "{ int i; for (i = 0; i < n; i++) if (order[i] == item) return i; return -1; }",
        (),
    ),
}
INTEGER_HELPERS = {"//": "tp_floordiv", "%": "tp_mod", "**": "tp_pow", "<<": "tp_shl", ">>": "tp_shr"}
REAL_HELPERS = {"//": "tp_floordiv_real", "%": "tp_mod_real", "**": "pow"}
LIBM = {"sqrt": "sqrt", "exp": "exp", "log": "log", "log2": "log2", "ceil": "ceil", "floor": "floor", "round": "rint"}


@dataclass(frozen=True, slots=True)
class CText:
    """`expression` needs the definitions of `prelude` before it, at file scope. For several texts, join `helpers`."""

    expression: str
    helpers: frozenset[str]

    @property
    def prelude(self) -> str:
        return prelude(self.helpers)


def prelude(helpers: frozenset[str]) -> str:
    """The definitions of the helpers and of what they call, and the header they need."""
    needed = set(helpers)
    for name in helpers & set(HELPERS):
        needed.update(HELPERS[name][1])
    lines = (
        ["#include <math.h>"] if any(name.endswith("_real") or not name.startswith("tp_") for name in needed) else []
    )
    return "\n".join([*lines, *(text for name, (text, _) in HELPERS.items() if name in needed)])


def to_c(e: n.Expr) -> CText:
    emitter = _Emitter()
    text = emitter.text(e)
    return CText(text, frozenset(emitter.helpers))


class _Emitter:
    def __init__(self) -> None:
        self.helpers: set[str] = set()

    def text(self, e: n.Expr) -> str:
        """C text of `e`, safe as an operand of any operator."""
        match e:
            case n.Constant():
                return _literal(e)
            case n.Name():
                return e.name
            case n.Unary(op="not"):
                return f"(!{self.text(e.operand)})"
            case n.Unary():
                return f"(-{self._as(e.operand, e.type)})"
            case n.Binary():
                return self._binary(e)
            case n.Compare():
                pairs = zip(e.ops, e.operands, e.operands[1:])
                return f"({' && '.join(self._comparison(op, a, b) for op, a, b in pairs)})"
            case n.Logical():
                return f"({(' && ' if e.op == 'and' else ' || ').join(map(self.text, e.operands))})"
            case n.Member():
                return f"({' || '.join(self._comparison('==', e.item, choice) for choice in e.choices)})"
            case n.If():
                then, otherwise = self._as(e.then, e.type), self._as(e.otherwise, e.type)
                return f"({self.text(e.condition)} ? {then} : {otherwise})"
            case n.Index():
                return self._item(e, f"{e.order.name}[{self.text(e.index)}]")
            case n.Call():
                return self._call(e)
        raise AssertionError(type(e))

    def _as(self, e: n.Expr, kind: n.Type) -> str:
        text = self.text(e)
        if isinstance(kind, n.CategoryType) and isinstance(e.type, n.CategoryType) and e.type != kind:
            return self._table(remap(e.type, kind).tolist(), text)
        if isinstance(kind, n.IntegerType) and not isinstance(e, n.Constant):
            return f"(long long){text}" if not text.startswith("tp_") else text
        return f"(double){text}" if isinstance(kind, n.RealType) and not isinstance(e.type, n.RealType) else text

    def _helper(self, name: str, *arguments: str) -> str:
        self.helpers.add(name)
        return f"{name}({', '.join(arguments)})"

    def _binary(self, e: n.Binary) -> str:
        left, right = self._as(e.left, e.type), self._as(e.right, e.type)
        helper = (REAL_HELPERS if isinstance(e.type, n.RealType) else INTEGER_HELPERS).get(e.op)
        return self._helper(helper, left, right) if helper else f"({left} {e.op} {right})"

    def _comparison(self, op: str, left: n.Expr, right: n.Expr) -> str:
        if isinstance(left.type, n.CategoryType):
            return f"{self.text(left)} {op} {self._as(right, left.type)}"
        real = isinstance(left.type, n.RealType) or isinstance(right.type, n.RealType)
        kind: n.Type = n.REAL if real else n.INTEGER
        return f"{self._as(left, kind)} {op} {self._as(right, kind)}"

    def _call(self, e: n.Call) -> str:
        if e.function == "pos":
            return self._pos(e)
        real = isinstance(e.type, n.RealType) or any(isinstance(a.type, n.RealType) for a in e.arguments)
        arguments = [self._as(a, n.REAL if real else n.INTEGER) for a in e.arguments]
        if e.function in ("ceil", "floor", "round"):
            return f"((long long){self._helper(LIBM[e.function], *arguments)})" if real else arguments[0]
        if e.function in LIBM:
            return self._helper(LIBM[e.function], *arguments)
        name = "fabs" if real and e.function == "abs" else f"tp_{e.function}{'_real' if real else ''}"
        if e.function not in ("min", "max"):
            return self._helper(name, *arguments)
        text = arguments[0]
        for argument in arguments[1:]:
            text = self._helper(name, text, argument)
        return text

    def _pos(self, e: n.Call) -> str:
        order, item = e.arguments
        assert isinstance(order, n.Name) and isinstance(order.type, n.OrderType)
        items = order.type.items
        if isinstance(item.type, n.CategoryType):
            code = self._as(item, n.CategoryType(tuple(str(i) for i in items)))
        elif isinstance(item, n.Constant):
            code = f"{items.index(int(item.value))}LL"
        else:
            code = self._as(item, n.INTEGER)
            if items != tuple(range(len(items))):
                tests = [f"{code} == {i}LL ? {k}LL : " for k, i in enumerate(items)]
                code = f"({''.join(tests)}-1LL)"
        return self._helper("tp_pos", order.name, str(len(items)), code)

    def _item(self, e: n.Index, code: str) -> str:
        assert isinstance(e.order.type, n.OrderType)
        items = e.order.type.items
        plain = isinstance(e.type, n.CategoryType) or items == tuple(range(len(items)))
        return code if plain else self._table([int(i) for i in items], code)

    def _table(self, values: list[int], at: str) -> str:
        return f"((const long long[]){{{', '.join(f'{v}LL' for v in values)}}})[{at}]"


def _literal(e: n.Constant) -> str:
    if isinstance(e.type, n.CategoryType):
        return f"{e.type.values.index(str(e.value))}LL"
    if isinstance(e.value, bool):
        return str(int(e.value))
    if isinstance(e.value, int):
        text = f"{e.value}LL" if e.value != n.INT_MIN else f"{n.INT_MIN + 1}LL - 1"
        return text if e.value >= 0 else f"({text})"
    text = repr(e.value)
    return f"({text})" if text.startswith("-") else text
