"""A compiler's words with rewritten text in place of a source; what it makes shows nothing of the text's own name.

Diagnostics and line tables have the source's name by `#line`, all else by prefix maps ("GCC manual", -ffile-prefix-map;
clang has the same): the main file of debug information, __BASE_FILE__, and, where quoted includes of a source in the
working folder are found through `-iquote .`, the `./` before their names. What is text itself (make's rules,
preprocessed sources, assembly with comments) is edited.
"""

from __future__ import annotations

import os

from tunepass.compilers import options

TYPE_CHECKING = False  # of `typing`, which takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAPS = ("-ffile-prefix-map=", "-fdebug-prefix-map=", "-fmacro-prefix-map=")


def shown_as(source: str) -> str:
    """The source's name in what a compiler makes of it."""
    return "<stdin>" if source == "-" else source


def text_for(source: str, text: str) -> bytes:
    """The rewritten text under the source's own name."""
    name = shown_as(source).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'#line 1 "{name}"\n{text}'.encode("utf-8", "surrogateescape")


def arguments_with(arguments: Sequence[str], place: int, path: str) -> list[str]:
    """The arguments with the file at `path` for the source at `place`, whose folder is where it looks first."""
    source = arguments[place]
    folder = os.path.dirname(source)
    changed = [*arguments[:place], path, *arguments[place + 1 :]]
    maps = [f"{kind}{path}={mapped(arguments, shown_as(source), kind)}" for kind in MAPS[1:]]
    if not folder and not _includes_here(arguments):
        maps += [f"{kind}./={mapped(arguments, '', kind)}" for kind in MAPS[1:]]
    return ["-iquote", folder or ".", *changed, *maps]


def mapped(arguments: Iterable[str], name: str, kind: str) -> str:
    """As the command line's own maps change the name: the last that fits."""
    given = [word.partition("=")[2] for word in arguments if word.startswith((MAPS[0], kind))]
    for old, equals, new in (pair.rpartition("=") for pair in reversed(given)):
        if equals and old and name.startswith(old):
            return new + name[len(old) :]
    return name


def name_source(arguments: Sequence[str], source: str, path: str) -> None:
    """Let what the compiler has written name the source in place of the file at `path`."""
    links = options.STOPS_EARLY.isdisjoint(arguments)
    edit(rules_for(arguments, source, links=links), for_make(path), for_make(listed(source)))
    edit(written(arguments, source), path, shown_as(source))


def rules_for(arguments: Sequence[str], source: str, *, links: bool) -> list[str]:
    """The files for make that may hold the dependencies of the one source of this call."""
    named = options.values_of(arguments, ("-MF",))
    named += [word.split(",")[2] for word in arguments if word.startswith(options.ASIDE_BY_PREPROCESSOR)]
    if named or options.ASIDE.isdisjoint(arguments):
        return named
    default_rules, output = f"{os.path.splitext(os.path.basename(source))[0]}.d", options.output_of(arguments)
    candidates = [f"{os.path.splitext(output)[0]}.d"] if output else [default_rules]
    if links:  # gcc 11 and later put the program's name before the source's
        folder, program = os.path.split(output or "a.out")
        stems = (program, os.path.splitext(program)[0])
        candidates += [default_rules, *(os.path.join(folder, f"{stem}-{default_rules}") for stem in stems)]
    return candidates


def prints(arguments: Sequence[str]) -> bool:
    """Does the compiler write its output to stdout?"""
    return options.output_of(arguments) == "-" or ("-E" in arguments and not options.output_of(arguments))


def written(arguments: Sequence[str], source: str) -> list[str]:
    """The files beside objects in which the compiler repeats its input's name: preprocessed text and assembly."""
    output = options.output_of(arguments)
    if "-E" in arguments or "-S" in arguments:
        stem = os.path.splitext(os.path.basename(source))[0]
        return [output or f"{stem}.s"] if output or "-S" in arguments else []
    if not any(word.startswith(options.SAVE_TEMPS) for word in arguments):
        return []
    stems = {os.path.splitext(os.path.basename(name))[0] for name in (source, output) if name}
    program = output or "a"
    stems |= {f"{os.path.splitext(os.path.basename(program))[0]}-{stem}" for stem in stems}
    folders = {"", os.path.dirname(output)}
    return sorted(os.path.join(f, stem + end) for f in folders for stem in stems for end in (".i", ".ii", ".s"))


def edit(files: Iterable[str], old: str, new: str) -> None:
    """Replace a name in files, each changed whole or not at all; what is no regular file stays as it is."""
    for path in map(os.path.realpath, files):
        if not os.path.isfile(path):
            continue
        with open(path, "rb") as file:
            content = file.read()
        changed = content.replace(os.fsencode(old), os.fsencode(new))
        if changed != content:
            temporary = f"{path}.{os.urandom(8).hex()}"
            with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(changed)
                os.fchmod(file.fileno(), os.stat(path).st_mode & 0o7777)
            os.replace(temporary, path)


def for_make(path: str) -> str:
    """As make reads it."""
    return path.replace(" ", "\\ ").replace("#", "\\#").replace("$", "$$")


def listed(path: str) -> str:
    """As compilers write a name into make's rules: without `./` before it."""
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path


def _includes_here(arguments: Sequence[str]) -> bool:
    """Does the command line itself look for headers in the working folder, which are then called ./NAME?"""
    return any(value == "." or value.startswith("./") for value in options.values_of(arguments, options.HEADER_FOLDERS))
