"""The knobs of a module of MLIR's Python bindings, searched from Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import cast

from tunepass.diagnostics import SourceError, TunepassError
from tunepass.integrations.mlir.bindings import BindingsReader, Module
from tunepass.integrations.mlir.knobs import read_knobs
from tunepass.integrations.mlir.model import prior_of
from tunepass.integrations.mlir.search import Command, by_model, kernel_of, positive, search
from tunepass.ir.kernel import Kernel
from tunepass.passes.base import Result
from tunepass.search.stop import never
from tunepass.space.configuration import Configuration
from tunepass.study.optimize.answers import Answer
from tunepass.study.outcome import Failed


def tune(
    module: Module,
    evaluate: Callable[[Module], float | Failed] | Command | str,
    *,
    max_evals: int | None = 60,
    seed: int = 0,
    maximise: bool = False,
    catch: type[Exception] | Iterable[type[Exception]] = (),
    stop: Callable[[], bool] = never,
    prior: bool | None = None,
) -> Result:
    """Search the knobs of a module, and write the choice into it.

    Args:
        module: an `ir.Module` of any wheel of MLIR, with knobs and constraints as docs/mlir.md has them.
        evaluate: a function of a copy of the module with a choice in it, which it may transform and lower: the value,
            or `tp.Failed`. It runs in this process, and ends it if MLIR does: a `Command` has a process for each
            module. A text is a model, an expression of the knobs' names.
        max_evals: limit of evaluations; None: no limit.
        seed: of the search.
        maximise: whether more is better.
        catch: exceptions of `evaluate` that become failed trials; any other one ends the search.
        stop: called after each evaluation; True ends the search.
        prior: whether the search starts from the CPU model's time of the nests that the transform sequence makes. None:
            if the model knows them and tiles are vectors, else a `NoPriorWarning`; not where more is better or
            `evaluate` is a model itself.

    Returns:
        The result; `choice` has the parameters' values. The module has its `selected` attributes and is verified.

    Raises:
        SourceError: a module that does not verify, as it is or with the choice; a knob or a constraint that cannot be
            read, at its operation; an operation that the CPU model does not know, where `prior` is True.
        TunepassError: the module has no knob, or no choice could be evaluated. The module is then as it was.

    Example:
        >>> with ir.Context():
        ...     module = ir.Module.parse(text)
        ...     result = mlir.tune(module, "4096 / tile + 16 * tile", max_evals=20)
    """
    reader = BindingsReader(module)
    if not (callable(evaluate) or isinstance(evaluate, str)):
        raise TunepassError(f"`evaluate` is a function, a Command or a model as text, got {evaluate!r}")
    reader.verify(module)
    knobs = read_knobs(module.operation, reader)
    name = "sym_name" in module.operation.attributes and reader.plain(module.operation.attributes["sym_name"])
    kernel = kernel_of(str(name or "module"), generic(module), module.operation, knobs)

    def chosen(choice: Configuration) -> Module:
        copy = type(module).parse(kernel.source.text, module.context)
        read_knobs(copy.operation, reader).select(choice)
        reader.verify(copy)
        return copy

    def judged(_: Kernel, choice: Configuration) -> Answer:
        try:
            copy = chosen(choice)
        except SourceError as error:
            return Failed("compile", str(error))
        if isinstance(evaluate, Command):
            return evaluate(generic(copy))
        value = cast(Callable[[Module], Answer], evaluate)(copy)
        return positive(float(value)) if isinstance(value, (int, float)) else value

    caught = (catch,) if isinstance(catch, type) else tuple(catch)
    function = by_model(evaluate, kernel) if isinstance(evaluate, str) else judged
    requested = False if prior is None and (maximise or isinstance(evaluate, str)) else prior
    with module.context:
        result = search(
            kernel,
            function,
            max_evals=max_evals,
            seed=seed,
            maximise=maximise,
            catch=caught,
            stop=stop,
            prior=prior_of(module.operation, knobs, kernel, requested),
        )
        chosen(result.choice)
    knobs.select(result.choice)
    return result


def generic(module: Module) -> str:
    """The module's text in generic form, which every version reads."""
    return str(module.operation.get_asm(print_generic_op_form=True))
