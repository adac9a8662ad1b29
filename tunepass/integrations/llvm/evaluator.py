"""A function of a module, optimised by a recipe, compiled to an object and judged in the harness of C kernels."""

from __future__ import annotations

from collections.abc import Callable

from tunepass.integrations.llvm.asking import LLVM
from tunepass.integrations.llvm.function import Function
from tunepass.integrations.llvm.recipe import Recipe
from tunepass.integrations.tool_run import ToolRun, build_by, tool_task
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration

RecipeOf = Callable[[Configuration], Recipe]


class ModuleRun(ToolRun):
    """Optimises and compiles a function of a module, and judges it against the module as it came."""

    def __init__(self, function: Function, kernel: Kernel, recipe: RecipeOf, untouched: Recipe):
        def request(text: str) -> dict[str, object]:
            return {**Recipe.of_text(text).fields, "text": function.source.text, "function": function.name}

        def recipe_text(configuration: Configuration) -> str:
            return recipe(configuration).text

        task = tool_task(kernel, function.call, ("cc", *function.link), recipe_text)
        super().__init__(task, build_by(LLVM, request), untouched.text, "a module of LLVM")
