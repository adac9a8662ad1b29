"""Tasks of the process in which LLVM runs (tool_worker.py). Options of LLVM hold for a whole process."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

OPPOSITES = {"alwaysinline": ("noinline", "optnone"), "noinline": ("alwaysinline",), "inlinehint": ("noinline",)}
TARGET = ('"target-cpu"', '"target-features"', '"tune-cpu"')
ATTRIBUTE = re.compile(r'"[^"]*"(?:="[^"]*")?|[\w.]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?(?:=\d+)?')
GROUP = 90_000  # the number of the first group of attributes that is added; LLVM numbers from 0
RENAMED_MAIN = "tunepass_user_main"
# a calling convention in the head of a definition: fastcc, tailcc, x86_stdcallcc, `cc 10`; ccc is that of C
CONVENTION = re.compile(
    r'(?<![%@"\w.])(?!ccc\b)([a-z]\w*cc|cc \d+|(?:amdgpu|aarch64|riscv|spir|ptx|x86|arm|m68k|intel)_\w+)\b'
)
Request = Mapping[str, Any]


class Refused(Exception):
    """The input is refused, in LLVM's words."""


def library() -> Any:
    import llvmlite.binding as binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


def refusals(binding: Any) -> tuple[type[Exception], ...]:
    return Refused, RuntimeError


def parsed(binding: Any, text: str) -> Any:
    try:
        module = binding.parse_assembly(text)
    except RuntimeError as error:
        raise Refused(f"parse: {error}") from None
    try:
        module.verify()
    except RuntimeError as error:
        raise Refused(f"verify: {error}") from None
    return module


def describe(binding: Any, request: Request) -> Request:
    """The functions of a module and its target, and this machine's; or why LLVM refuses it, in all of its words."""
    try:
        module = parsed(binding, request["text"])
    except Refused as refused:
        return {"refused": str(refused)}
    functions = {
        f.name: {
            "type": str(f.global_value_type),
            "arguments": [str(argument.type) for argument in f.arguments],
            "declaration": f.is_declaration,
            "local": f.linkage.name in ("internal", "private"),
            "convention": "" if f.is_declaration else convention(str(f)),
        }
        for f in module.functions
    }
    version = ".".join(map(str, binding.llvm_version_info))
    return {"functions": functions, "triple": module.triple, "host": binding.get_process_triple(), "llvm": version}


def convention(definition: str) -> str:
    """The calling convention of a function's definition as LLVM prints it, "" for that of C."""
    head = re.search(r"^define ([^@\n]*)@", definition, re.MULTILINE)
    stated = CONVENTION.search(head[1]) if head else None
    return stated[1] if stated else ""


def host(binding: Any, request: Request) -> Request:
    features = binding.get_host_cpu_features().flatten()
    return {"cpu": binding.get_host_cpu_name(), "features": features}


def probe(binding: Any, request: Request) -> Request:
    """By option of LLVM whether it takes a number or a Boolean (else ""), and which values it refuses."""
    answer = {}
    for name, values in request["options"].items():
        words = complaints_about(binding, f"-{name}=?")
        kind = "Boolean" if "boolean" in words else "number" if "invalid for" in words else ""
        refused = [value for value in values if complaints_about(binding, f"-{name}={value}")]
        answer[name] = {"kind": kind, "refused": refused}
    return answer


def complaints_about(binding: Any, option: str) -> str:
    """LLVM's words on the standard error when it gets the option."""
    sys.stderr.flush()
    before = os.dup(2)
    with tempfile.TemporaryFile() as caught:
        os.dup2(caught.fileno(), 2)
        try:
            binding.set_option("tunepass", option)
        finally:
            os.dup2(before, 2)
            os.close(before)
        caught.seek(0)
        return caught.read().decode(errors="replace")


def attributed(binding: Any, request: Request) -> Request:
    """The module's text for the target, with attributes added to its functions."""
    return {"text": with_attributes(binding, request)}


def with_attributes(binding: Any, request: Request) -> str:
    """`cpu` "" leaves each function the target that it states. An attribute that is added takes the place of one of the
    same name, and of those that contradict it."""
    module = parsed(binding, request["text"])
    added: Mapping[str, str] = request["attributes"]
    defined = {f.name: b" ".join(f.attributes).decode() for f in module.functions if not f.is_declaration}
    text, groups = str(module), []
    for number, (name, present) in enumerate(defined.items(), GROUP):
        new = ATTRIBUTE.findall(added.get(name, ""))
        names = {attribute.partition("=")[0] for attribute in new}
        dropped = {*names, *(opposite for name in names for opposite in OPPOSITES.get(name, ()))}
        dropped |= set(TARGET) if request["cpu"] else set()
        target = (
            [f'"target-cpu"="{request["cpu"]}"', f'"target-features"="{request["features"]}"'] if request["cpu"] else []
        )
        remaining = [
            attribute for attribute in ATTRIBUTE.findall(present) if attribute.partition("=")[0] not in dropped
        ]
        text = _in_group(text, name, number)
        groups.append(f"attributes #{number} = {{ {' '.join([*remaining, *target, *new])} }}")
    return "\n".join([text, *groups, ""])


def _in_group(text: str, name: str, number: int) -> str:
    """The text in which the definition of the function has this group of attributes alone."""
    quoted = re.escape(name)
    header = re.compile(rf'^define [^\n]*?@(?:{quoted}|"{quoted}")\(', re.MULTILINE)
    begin = header.search(text)
    if begin is None:
        raise Refused(f"verify: the definition of @{name} is not found in LLVM's own text")
    end = closing(text, begin.end() - 1)
    line = text.index("\n", end)
    rest = re.sub(r" #\d+", "", text[end:line], count=1)
    unnamed = re.match(r"\)(?: (?:local_)?unnamed_addr)?(?: addrspace\(\d+\))?", rest)
    place = unnamed.end() if unnamed else 1
    return f"{text[:end]}{rest[:place]} #{number}{rest[place:]}{text[line:]}"


def closing(text: str, at: int) -> int:
    """The place of the bracket that closes the one at `at`; brackets in strings do not count."""
    depth = 0
    for token in re.finditer(r'"[^"]*"|[()]', text[at:]):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth == 0:
            return at + token.start()
    return len(text)


def build(binding: Any, request: Request) -> Request:
    """An object file by the recipe; without one the module is compiled as it is."""
    for option in request["options"]:
        if words := complaints_about(binding, option):
            raise Refused(words.strip())
    module = parsed(binding, with_attributes(binding, request))
    for function in module.functions:
        if function.name == "main" and request["function"] != "main":
            function.name = RENAMED_MAIN
    target = binding.Target.from_triple(binding.get_process_triple())
    machine = target.create_target_machine(
        cpu=request["cpu"], features=request["features"], opt=request["codegen"], reloc="pic"
    )
    optimise(binding, module, machine, request)
    with open(request["object"], "wb") as file:
        file.write(machine.emit_object(module))
    return {}


def optimise(binding: Any, module: Any, machine: Any, request: Request) -> None:
    tuning = binding.create_pipeline_tuning_options(request["level"])
    for name, value in request["switches"].items():
        setattr(tuning, name, value)
    builder = binding.create_pass_builder(machine, tuning)
    run_passes(binding, module, builder, request["before"])
    if request["level"]:
        builder.getModulePassManager().run(module, builder)
    run_passes(binding, module, builder, request["after"])
    module.verify()


def run_passes(binding: Any, module: Any, builder: Any, names: Sequence[str]) -> None:
    if names:
        passes = binding.create_new_module_pass_manager()
        for name in names:
            getattr(passes, f"add_{name}")()
        passes.run(module, builder)


TASKS: Mapping[str, Callable[[Any, Request], Request]] = {
    "attributed": attributed,
    "build": build,
    "describe": describe,
    "host": host,
    "probe": probe,
}
