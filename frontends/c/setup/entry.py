"""The text behind the source that calls a setup and a teardown, and finds the places: only there are all types known.

It defines `tunepass_set_up`, `tunepass_tear_down` and `tunepass_locate` for the harness (harness/setup.h). What the
compiler says of the pragma's expressions has the pragma's line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tunepass.diagnostics import Span
from tunepass.frontends.c.setup.place_text import located, spelled
from tunepass.frontends.c.setup.setup import Given, Opened, SetupCalls
from tunepass.ir.c_kernel import Argument, ScalarArgument

MADE, TAKEN = "tunepass_made_", "tunepass_taken_"

FIT = """\
#define TUNEPASS_FIT(made, T) __builtin_choose_expr( \\
    __builtin_types_compatible_p(__typeof__(&(made)), T) || \\
    (__builtin_classify_type(*(T *)0) == 5 && __builtin_classify_type(made) != 5), &(made), made)
"""


class SetupText:
    """Of one kernel; `arguments` are its own, `span` is where the pragma names it."""

    def __init__(self, calls: SetupCalls, arguments: Sequence[Argument], reals: Sequence[bool], span: Span, cpp: bool):
        self.calls, self.arguments, self.reals, self.cpp = calls, arguments, reals, cpp
        name = span.source.name.replace("\\", "\\\\").replace('"', '\\"')
        self.at = f'#line {span.line} "{name}"'
        self.scalars = [(k, a) for k, a in enumerate(arguments) if isinstance(a, ScalarArgument)]

    @property
    def on_object(self) -> bool:
        """Whether the kernel is called on an object, the first of what is made."""
        return bool(self.calls.opened) and self.calls.opened[0].formal is None

    def lines(self) -> list[str]:
        """To stand before the entry that calls the kernel, in its namespace."""
        return [
            *([] if self.cpp else FIT.splitlines()),
            *self._declared(),
            f"TUNEPASS_C int tunepass_set_up(uint64_t tp_seed{self._formals()}) {{",
            *self._set_up(),
            "}",
            f"TUNEPASS_C void tunepass_tear_down(int tp_none{self._formals()}) {{",
            *self._tear_down(),
            "}",
            f"TUNEPASS_C void tunepass_locate(struct tunepass_place *tp_places{self._formals()}) {{",
            *self._locate(),
            "}",
        ]

    def words_of_source(self) -> list[str]:
        """What the lines write as the source and the pragma do."""
        setup = self.calls.setup
        return [setup.function, setup.teardown, *(f"{place.text} {place.length}" for place in setup.places)]

    def passed(self, number: int) -> str:
        """What the kernel gets for what is made."""
        opened = self.calls.opened[number]
        if not self.cpp:
            return f"TUNEPASS_FIT({MADE}{number}, {TAKEN}{number})"
        return f"{self._handed(opened, number)}::from({MADE}{number}.object())"

    def _handed(self, opened: Opened, number: int) -> str:
        return f"tunepass_entry::handed<{TAKEN}{number}, {MADE}{number}_type>"

    def _formals(self) -> str:
        return "".join(f", {'double' if self.reals[k] else 'int64_t'} tp_{k}" for k, _ in self.scalars)

    def _unused(self, *names: str) -> str:
        return f"    {' '.join(f'(void){name};' for name in (*names, *(f'tp_{k}' for k, _ in self.scalars)))}"

    def _declared(self) -> list[str]:
        """What is made, and as what the kernel takes it."""
        lines = []
        for number, opened in enumerate(self.calls.opened):
            lines += [self._taken(opened, number), self.at]
            lines += self._made_in_cpp(opened, number) if self.cpp else self._made_in_c(opened, number)
        return lines

    def _taken(self, opened: Opened, number: int) -> str:
        if not self.cpp:
            assert opened.formal is not None
            return f"typedef {renamed(opened.formal.text, opened.formal.name, f'{TAKEN}{number}')};"
        if opened.formal is None:
            return f"typedef tunepass_object *{TAKEN}{number};"
        place = next(k for k, a in enumerate(self.arguments) if a.name == opened.name)
        return f"typedef tunepass_kernel::parameter<{place}> {TAKEN}{number};"

    def _made_in_c(self, opened: Opened, number: int) -> list[str]:
        if opened.maker is None:
            return [f"static __typeof__({self._call_of_setup('0')}) {MADE}{number};"]
        name = f"tunepass_maker_{number}"
        return [
            f"typedef {renamed(opened.maker.text, opened.maker.name, name)};",
            f"static __typeof__(*({name})0) {MADE}{number};",
        ]

    def _made_in_cpp(self, opened: Opened, number: int) -> list[str]:
        maker = f"tunepass_entry::signature<decltype(&{self.calls.setup.function})>"
        given = [one.formal for one in self.calls.given]
        kind = f"tunepass_entry::plain<{maker}::result>"
        if opened.maker is not None:
            kind = f"tunepass_entry::pointed<{maker}::parameter<{given.index(opened.maker)}>>"
        return [
            f"typedef {kind} {MADE}{number}_type;",
            f"static tunepass_entry::made<{MADE}{number}_type> {MADE}{number};",
        ]

    def _call_of_setup(self, nothing: str = "") -> str:
        """`nothing`: in the place of every value, where only the call's type counts."""
        words = [nothing or self._given(one) for one in self.calls.given]
        return f"{self.calls.setup.function}({', '.join(words)})"

    def _given(self, one: Given) -> str:
        if one.scalar is not None:
            return self._scalar(one.scalar)
        if one.made is None:
            return "tp_seed"
        if not self.cpp:
            return f"&{MADE}{one.made}"
        object_ = f"{MADE}{one.made}.object()"
        return object_ if one.formal is not None and one.formal.reference else f"&{object_}"

    def _scalar(self, number: int) -> str:
        argument = self.arguments[number]
        assert isinstance(argument, ScalarArgument)
        return f"({spelled(argument.element)})tp_{number}" if argument.element else f"tp_{number}"

    def _set_up(self) -> list[str]:
        lines = [self._unused("tp_seed")]
        for number, opened in enumerate(self.calls.opened):
            made = f"{MADE}{number}"
            if not self.cpp:
                lines.append(f"    __builtin_memset(&{made}, 0, sizeof {made});")
            elif opened.maker is not None:
                lines.append(f"    {made}.begin();")
        lines.append(self.at)
        if not self.calls.returns:
            return [*lines, f"    {self._call_of_setup()};", "    return 0;"]
        number = next(k for k, opened in enumerate(self.calls.opened) if opened.maker is None)
        if self.cpp:
            made = f"{MADE}{number}"
            lines.append(f"    {made}.it = ::new ((void *){made}.place) {made}_type({self._call_of_setup()});")
            return [*lines, f"    return tunepass_entry::is_null({made}.object());"]
        made = f"{MADE}{number}"
        null = f"__builtin_classify_type({made}) == 5 && !*(void *const *)&{made}"
        return [*lines, f"    {made} = {self._call_of_setup()};", f"    return {null};"]

    def _tear_down(self) -> list[str]:
        lines = [self._unused("tp_none")]
        if self.calls.setup.teardown:
            words = [self._freed(k, one) for k, one in enumerate(self.calls.freed)]
            lines += [self.at, f"    {self.calls.setup.teardown}({', '.join(words)});"]
        return [*lines, *(f"    {MADE}{k}.end();" for k in range(len(self.calls.opened)) if self.cpp)]

    def _freed(self, position: int, one: Given) -> str:
        if one.scalar is not None:
            return self._scalar(one.scalar)
        assert one.made is not None
        if one.formal is None:
            return self.passed(one.made)
        made = f"{MADE}{one.made}"
        if self.cpp:
            teardown = f"tunepass_entry::signature<decltype(&{self.calls.setup.teardown})>::parameter<{position}>"
            return f"tunepass_entry::handed<{teardown}, {made}_type>::from({made}.object())"
        if not one.formal.name:  # a declaration without names
            return self.passed(one.made)
        return (
            f"({{ typedef {renamed(one.formal.text, one.formal.name, 'tp_taken')}; TUNEPASS_FIT({made}, tp_taken); }})"
        )

    def _locate(self) -> list[str]:
        """Under the names of the pragma."""
        lines = [self._unused("tp_places")]
        for k, argument in self.scalars:
            if self.cpp:  # its type may have a name that only the kernel knows: a template's parameter
                value = f"tunepass_entry::number<tunepass_kernel::parameter<{k}>>(tp_{k})"
                lines.append(f"    const auto {argument.name} = {value}; (void){argument.name};")
                continue
            kind = spelled(argument.element) or ("double" if self.reals[k] else "int64_t")
            lines.append(f"    const {kind} {argument.name} = ({kind})tp_{k}; (void){argument.name};")
        for number, opened in enumerate(self.calls.opened):
            name = "tunepass_this" if opened.name == "this" else opened.name
            if self.cpp:
                seen = f"{self._handed(opened, number)}::seen({MADE}{number}.object())"
                lines.append(f"    auto &&{name} = {seen}; (void){name};")
            else:
                lines.append(f"    static __typeof__({self.passed(number)}) {name}; {name} = {self.passed(number)};")
        made = [f"{MADE}{k}.object()" if self.cpp else f"{MADE}{k}" for k in range(len(self.calls.opened))]
        places = located(self.calls.setup.places, self.at, made, cpp=self.cpp)
        return [*lines, "#define this tunepass_this", *places, "#undef this"] if self.cpp else [*lines, *places]


LENGTH = re.compile(r"\[[^\]]*\]")
QUALIFIER = re.compile(r"\b(static|const|volatile|restrict|__restrict(__)?)\b\s*")


def renamed(text: str, name: str, new: str) -> str:
    """A parameter's text with another name, the last word of its own that is the name, as a type is declared: without
    qualifiers of an array's length."""
    text = LENGTH.sub(lambda length: QUALIFIER.sub("", length[0]), text)
    if not name:
        return f"{text} {new}"
    return re.sub(rf"\b{name}\b(?!.*\b{name}\b)", new, text)
