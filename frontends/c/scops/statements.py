"""Parses C statements and declarations from tokens."""

from __future__ import annotations

from dataclasses import replace

from tunepass.frontends.c.scops.expressions import (
    ARITHMETIC,
    CLOSING,
    DEPTH_LIMIT,
    KEYWORDS,
    QUALIFIERS,
    STORAGE,
    TAGGED,
    ExpressionParser,
    SyntaxFault,
)
from tunepass.frontends.c.scops.tokens import Token
from tunepass.frontends.c.scops.tree import (
    Block,
    Declaration,
    Declarator,
    Evaluated,
    Expression,
    For,
    If,
    Jump,
    Statement,
    While,
)


class StatementParser(ExpressionParser):
    """Statements; a `typedef` read on the way makes its name a type."""

    def statements(self) -> tuple[Statement, ...]:
        """All of them, to the end of the tokens."""
        read: list[Statement] = []
        while self.next.kind != "end":
            read.append(self.statement())
        return tuple(read)

    def statement(self) -> Statement:
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise SyntaxFault("this is nested too deeply", self.next)
        self.operators = 0
        statement = self._statement()
        self.depth -= 1
        return statement

    def _statement(self) -> Statement:
        first = self.next
        if first.at("{"):
            return self._block()
        if first.at("for"):
            return self._for()
        if first.at("if"):
            return self._if()
        if first.at("while", "switch", "do"):
            return self._while()
        if first.at("break", "continue", "return", "goto", "asm", "__asm__"):
            return self._jump()
        if first.at("case", "default") or (first.kind == "name" and self.peek().at(":")):
            while self.next.kind != "end" and not self.take().at(":"):
                pass
            kind = first.text if first.at("case", "default") else "label"
            return Jump(kind=kind.replace("default", "case"), value=None, first=first, last=self.last)
        if self.starts_declaration():
            return self.declaration()
        if self.accept(";"):
            return Evaluated(expression=None, first=first, last=first)
        value = self.expression()
        return Evaluated(expression=value, first=first, last=self.expect(";", "after the expression"))

    def _block(self) -> Block:
        first = self.take()
        inside: list[Statement] = []
        while not self.next.at("}"):
            if self.next.kind == "end":
                self.fail("expected `}`")
            inside.append(self.statement())
        return Block(statements=tuple(inside), first=first, last=self.take())

    def _for(self) -> For:
        first = self.take()
        self.expect("(", "after `for`")
        begin: Declaration | Expression | None = None
        if self.starts_declaration():
            begin = self.declaration()
        else:
            begin = None if self.next.at(";") else self.expression()
            self.expect(";", "after the loop's start")
        condition = None if self.next.at(";") else self.expression()
        self.expect(";", "after the loop's condition")
        advance = None if self.next.at(")") else self.expression()
        header_end = self.expect(")", "after the loop's step").end
        body = self.statement()
        return For(
            begin=begin, condition=condition, advance=advance, body=body, header_end=header_end,
            first=first, last=self.last,
        )  # fmt: skip

    def _if(self) -> If:
        first = self.take()
        self.expect("(", "after `if`")
        condition = self.expression()
        self.expect(")", "after the condition")
        then = self.statement()
        other = self.statement() if self.accept("else") else None
        return If(condition=condition, then=then, other=other, first=first, last=self.last)

    def _while(self) -> While:
        first = self.take()
        if first.at("do"):
            body = self.statement()
            self.expect("while", "after the body of `do`")
        self.expect("(", f"after `{first.text}`")
        condition = self.expression()
        self.expect(")", "after the condition")
        if first.at("do"):
            self.expect(";", "after `do … while (…)`")
        else:
            body = self.statement()
        return While(kind=first.text, condition=condition, body=body, first=first, last=self.last)

    def _jump(self) -> Jump:
        first = self.take()
        value = None
        if first.at("return") and not self.next.at(";"):
            value = self.expression()
        while self.next.kind != "end" and not self.next.at(";"):
            self.take()
        return Jump(kind=first.text, value=value, first=first, last=self.expect(";", f"after `{first.text}`"))

    # --- declarations ---------------------------------------------------------------------------------------------

    def starts_declaration(self) -> bool:
        token, after = self.next, self.peek()
        if token.kind != "name" or token.text in KEYWORDS:
            return False
        if self.is_type(token) or token.text in STORAGE:
            return not after.at("(") or token.text in ARITHMETIC | TAGGED
        if after.kind == "name" and after.text not in KEYWORDS:
            return True
        return after.at("*") and self.peek(2).kind == "name" and self.peek(3).at("=", ";", ",", "[")

    def declaration(self) -> Declaration:
        first = self.next
        self.operators = 0
        words = self._words()
        declarators: list[Declarator] = []
        while not self.next.at(";"):
            declarator = self._declarator()
            if self.accept("=") or self.next.at("{"):
                declarator = replace(declarator, value=self.initialiser(), last=self.last)
            declarators.append(declarator)
            if not self.accept(","):
                break
        if "typedef" in words:
            self.types |= {d.name.text for d in declarators}
        last = self.expect(";", "after the declaration")
        return Declaration(words=words, declarators=tuple(declarators), first=first, last=last)

    def _words(self) -> tuple[str, ...]:
        """`static const unsigned long`, `struct point {...}`, `my_type`."""
        words: list[str] = []
        named = False  # is the type itself named already
        while self.next.kind == "name":
            token = self.next
            if token.at("__attribute__", "_Alignas", "__declspec", "typeof", "__typeof__"):
                self.take()
                self._skip_brackets()
                named = named or "typeof" in token.text
            elif token.text in TAGGED:
                words.append(self.take().text)
                words += [self.take().text] if self.next.kind == "name" else []
                if self.next.at("{"):
                    self._skip_brackets()
                named = True
            elif token.text in QUALIFIERS | STORAGE or token.text in ARITHMETIC:
                named = named or token.text in ARITHMETIC
                words.append(self.take().text)
            elif not named:
                words.append(self.take().text)
                named = True
            else:
                break
        return tuple(words)

    def _declarator(self) -> Declarator:
        pointers, restricted = self._stars()
        inner: Declarator | None = None
        if self.next.at("(") and (self.peek().at("*", "(") or not self.is_type(self.peek())):
            self.take()
            self.depth += 1
            if self.depth > DEPTH_LIMIT:
                raise SyntaxFault("this is nested too deeply", self.next)
            inner = self._declarator()
            self.depth -= 1
            self.expect(")", "after the name")
        name = (
            inner.name if inner else self.take() if self.next.kind == "name" else Token("name", "", self.next.start, 0)
        )
        extents: list[Expression | None] = []
        parameters = inner.parameters if inner else None
        while self.next.at("[", "("):
            if self.next.at("("):
                parameters = self._parameters()
            else:
                extents.append(self._extent())
        while self.next.at("__attribute__", "asm", "__asm__"):
            self.take()
            self._skip_brackets()
        shape = (*(inner.shape if inner else ()), *extents, *(None for _ in range(pointers)))
        kinds = (*(inner.pointers if inner else ()), *(False for _ in extents), *(True for _ in range(pointers)))
        restricted = restricted or (inner is not None and inner.restricted)
        return Declarator(
            name=name, shape=shape, pointers=kinds, restricted=restricted, parameters=parameters, value=None,
            last=self.last,
        )  # fmt: skip

    def _name(self) -> Token:
        """The declared name; a formal may have none."""
        return self.take() if self.next.kind == "name" else Token("name", "", self.next.start, self.next.start)

    def _stars(self) -> tuple[int, bool]:
        pointers, restricted = 0, False
        while self.next.at("*", "&", *QUALIFIERS):
            token = self.take()
            pointers += token.at("*", "&")
            restricted = restricted or "restrict" in token.text
        return pointers, restricted

    def _extent(self) -> Expression | None:
        self.take()
        while self.accept("static", *QUALIFIERS):
            pass
        extent = None
        if self.next.at("*") and self.peek().at("]"):
            self.take()
        elif not self.next.at("]"):
            extent = self.deeper(self.conditional)
        self.expect("]", "after the extent")
        return extent

    def _parameters(self) -> tuple[Declaration, ...]:
        self.take()
        parameters: list[Declaration] = []
        while not self.accept(")"):
            first = self.next
            if self.accept("..."):
                continue
            words = self._words()
            self.depth += 1
            declarator = self._declarator()
            self.depth -= 1
            parameters.append(Declaration(words=words, declarators=(declarator,), first=first, last=self.last))
            if self.accept("="):
                self.assignment()
            if not self.next.at(")"):
                self.expect(",", "between parameters")
        return tuple(parameters)

    def _skip_brackets(self) -> None:
        """Past the bracket that closes the next one."""
        if self.next.at(*CLOSING):
            end = self.closing.get(self.position)
            if end is None:
                self.fail("expected a bracket that is closed")
            self.position = min(end + 1, len(self.tokens) - 1)
