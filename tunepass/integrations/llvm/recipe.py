"""Recipes for a module: passes in order, options of LLVM, attributes; as words for the worker, Python and `opt`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from tunepass.files import encoded

# By the name of an `add_*` method of llvmlite's pass managers the pass in a pipeline of `opt`.
PASSES: Mapping[str, str] = {
    "aggressive_dce_pass": "function(adce)",
    "aggressive_instcombine_pass": "function(aggressive-instcombine)",
    "always_inliner_pass": "always-inline",
    "argument_promotion_pass": "cgscc(argpromotion)",
    "break_critical_edges_pass": "function(break-crit-edges)",
    "constant_merge_pass": "constmerge",
    "dead_arg_elimination_pass": "deadargelim",
    "dead_code_elimination_pass": "function(dce)",
    "dead_store_elimination_pass": "function(dse)",
    "global_dead_code_eliminate_pass": "globaldce",
    "global_opt_pass": "globalopt",
    "instruction_combine_pass": "function(instcombine)",
    "ipsccp_pass": "ipsccp",
    "jump_threading_pass": "function(jump-threading)",
    "lcssa_pass": "function(lcssa)",
    "loop_deletion_pass": "function(loop(loop-deletion))",
    "loop_rotate_pass": "function(loop(loop-rotate))",
    "loop_simplify_pass": "function(loop-simplify)",
    "loop_strength_reduce_pass": "function(loop(loop-reduce))",
    "loop_unroll_and_jam_pass": "function(loop(loop-unroll-and-jam))",
    "loop_unroll_pass": "function(loop-unroll)",
    "mem_copy_opt_pass": "function(memcpyopt)",
    "merge_functions_pass": "mergefunc",
    "new_gvn_pass": "function(newgvn)",
    "partial_inliner_pass": "partial-inliner",
    "post_order_function_attributes_pass": "cgscc(function-attrs)",
    "reassociate_pass": "function(reassociate)",
    "rpo_function_attrs_pass": "rpo-function-attrs",
    "sccp_pass": "function(sccp)",
    "simplify_cfg_pass": "function(simplifycfg)",
    "sinking_pass": "function(sink)",
    "sroa_pass": "function(sroa)",
    "tail_call_elimination_pass": "function(tailcallelim)",
}
# By the name of a field of llvmlite's PipelineTuningOptions the word of `opt` that switches it off.
SWITCHES: Mapping[str, str] = {
    "loop_interleaving": "-interleave-loops=false",
    "loop_unrolling": "-disable-loop-unrolling",
    "loop_vectorization": "-vectorize-loops=false",
    "slp_vectorization": "-vectorize-slp=false",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Passes before and after the default pipeline of a level (0: no pipeline), what that pipeline does, options of
    LLVM such as `-unroll-count=4`, attributes by function, and the processor; `codegen` is the code generator's level.
    """

    level: int = 3
    switches: Mapping[str, bool] = field(default_factory=lambda: dict.fromkeys(SWITCHES, True))
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    cpu: str = ""
    features: str = ""
    codegen: int = 3

    @property
    def fields(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__slots__}

    @property
    def text(self) -> str:
        """As JSON, the same for equal recipes."""
        return json.dumps(self.fields, sort_keys=True)

    @classmethod
    def of_text(cls, text: str) -> Recipe:
        """The recipe whose `text` this is."""
        return cls(**json.loads(text))

    @property
    def opt_words(self) -> tuple[str, ...]:
        """The arguments of `opt` for the same passes, but for the attributes, which stand in the module."""
        default = [f"default<O{self.level}>"] if self.level else []
        pipeline = [*(PASSES[name] for name in self.before), *default, *(PASSES[name] for name in self.after)]
        off = [word for name, word in SWITCHES.items() if not self.switches[name]]
        passes = [f"-passes={','.join(pipeline)}"] if pipeline else []
        return (*passes, *off, *self.options, *([f"-mcpu={self.cpu}"] if self.cpu else ()))


def program(recipe: Recipe, note: str, module: str, text: str, version: str) -> str:
    """A Python program that makes an object file of the `module` (a file beside it) with llvmlite alone.

    Args:
        recipe: the chosen one.
        note: a comment at its beginning.
        module: the file's name.
        text: of the file. The program warns where it is another one.
        version: of the LLVM that the recipe was chosen with. The program warns where llvmlite has another.
    """
    comment = "\n".join(f"# {line}".rstrip() for line in note.splitlines())
    calls = [f"    options.{name} = {value}" for name, value in recipe.switches.items()]
    before = _pass_calls("before", recipe.before)
    after = _pass_calls("after", recipe.after)
    default = ["    builder.getModulePassManager().run(module, builder)"] if recipe.level else []
    lines = [
        comment,
        f'"""Optimise {module} as tunepass chose. python THIS [OBJECT]"""',
        "",
        "import hashlib",
        "import sys",
        "from pathlib import Path",
        "",
        "import llvmlite.binding as llvm",
        "",
        f"OPTIONS = {recipe.options!r}  # they hold for the whole process",
        f"CPU = {recipe.cpu!r}",
        f"FEATURES = {recipe.features!r}",
        f"LLVM, MODULE = {version!r}, {hashlib.sha256(encoded(text)).hexdigest()!r}  # that the choice was made for",
        "",
        "",
        "def warn(message):",
        '    sys.stderr.write(f"{Path(__file__).name}: warning: {message}\\n")',
        "",
        "",
        "def optimise(module, machine):",
        f"    options = llvm.create_pipeline_tuning_options({recipe.level})",
        *calls,
        "    builder = llvm.create_pass_builder(machine, options)",
        *before,
        *default,
        *after,
        "",
        "",
        'if __name__ == "__main__":',
        "    llvm.initialize_native_target()",
        "    llvm.initialize_native_asmprinter()",
        '    version = ".".join(map(str, llvm.llvm_version_info))',
        "    if version != LLVM:",
        '        warn(f"the passes were chosen with LLVM {LLVM}, this is LLVM {version}")',
        f"    text = Path(__file__).with_name({module!r}).read_bytes()",
        "    if hashlib.sha256(text).hexdigest() != MODULE:",
        f"        warn({f'{module} changed since its passes were chosen'!r})",
        "    for option in OPTIONS:",
        '        llvm.set_option("tunepass", option)',
        "    module = llvm.parse_assembly(text.decode())",
        "    module.verify()",
        "    target = llvm.Target.from_triple(llvm.get_process_triple())",
        f'    machine = target.create_target_machine(cpu=CPU, features=FEATURES, opt={recipe.codegen}, reloc="pic")',
        "    optimise(module, machine)",
        f"    name = sys.argv[1] if len(sys.argv) > 1 else {module.rpartition('.')[0] + '.o'!r}",
        "    Path(name).write_bytes(machine.emit_object(module))",
        "",
    ]
    return "\n".join(lines)


def _pass_calls(name: str, passes: tuple[str, ...]) -> list[str]:
    if not passes:
        return []
    return [
        f"    {name} = llvm.create_new_module_pass_manager()",
        *(f"    {name}.add_{method}()" for method in passes),
        f"    {name}.run(module, builder)",
    ]
