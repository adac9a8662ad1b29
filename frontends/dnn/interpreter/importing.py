"""`import`: of the frameworks the names, of the source's own files what stands in them."""

from __future__ import annotations

import ast
from abc import ABC

from tunepass.diagnostics import Span
from tunepass.frontends.dnn.interpreter.calls import Calls
from tunepass.frontends.dnn.interpreter.machine import Machine
from tunepass.frontends.dnn.interpreter.modules import Modules
from tunepass.frontends.dnn.interpreter.values import ImportedName, Module, PyScope, PyValue, Symbol, Unknown


class Imports(Machine, ABC):
    """The part of the interpreter that follows imports."""

    calls: Calls
    modules: Modules

    def span(self, node: ast.AST) -> Span:
        return self.modules.at(int(getattr(node, "lineno", 1))).span(node)

    def is_own(self, node: ast.AST) -> bool:
        return self.modules.is_source(node)

    def imports(self, node: ast.Import | ast.ImportFrom, scope: PyScope) -> None:
        if isinstance(node, ast.ImportFrom):
            self._names(node, scope)
            return
        for alias in node.names:
            names = alias.name.split(".")
            found = self.modules.absolute(names if alias.asname else names[:1])
            symbol = Symbol(alias.name if alias.asname else names[0])
            scope.names[alias.asname or names[0]] = symbol if found is None else found

    def _names(self, node: ast.ImportFrom, scope: PyScope) -> None:
        found = self.modules.imported(node)
        prefix = f"{node.module}." if node.module else ""
        for alias in node.names:
            name = alias.asname or alias.name
            if not isinstance(found, Module):
                scope.names[name] = Symbol(prefix + alias.name) if found is None else found
            elif alias.name == "*":
                scope.names |= self._all(found, node)
            else:
                scope.names[name] = ImportedName(found, alias.name)

    def _all(self, module: Module, node: ast.AST) -> dict[str, PyValue]:
        """What `import *` takes."""
        names = self.loaded(module, node).names
        stated = names.get("__all__")
        wanted = stated if isinstance(stated, (list, tuple)) else [name for name in names if name[:1] != "_"]
        return {name: names[name] for name in wanted if isinstance(name, str) and name in names}

    def loaded(self, module: Module, node: ast.AST) -> PyScope:
        """The names of a module. Its statements are followed once, under no condition."""
        if module.scope is None:
            module.scope = PyScope({"__name__": module.name})
            statements = self.modules.tree(module, self.span(node))
            with self.unconditioned():
                self.run(statements, module.scope)
        return module.scope

    def resolved(self, value: PyValue, node: ast.AST) -> PyValue:
        """What an imported name stands for."""
        seen: list[ImportedName] = []
        while isinstance(value, ImportedName):
            if value in seen:
                return Unknown(f"`{value.name}` is imported in a circle", self.span(node))
            seen.append(value)
            value = self.of_module(value.module, value.name, node)
        return value

    def of_module(self, module: Module, name: str, node: ast.AST) -> PyValue:
        """`module.name`: a name of its file, or a module below it."""
        names = self.loaded(module, node).names
        if name in names and names[name] != ImportedName(module, name):  # `from . import name`
            return names[name]
        below = self.modules.below(module, name)
        return Unknown(f"`{module.name}` has no `{name}`", self.span(node)) if below is None else below
