"""A call of the compiler with one tuned source, worked out: what is added to the user's words. Where it is remembered,
the next such call parses neither lock nor source: make calls the same command again and again.

What is remembered (tunepass.launcher.sealed) holds for the very words, folder, compiler, sources, locks and modules
it was worked out with. Even so it names no file to write and no program but a compiler that the source names, and each
word that it adds is in the source, or defines a macro that the source names, or is one of a few known here.
"""

from __future__ import annotations

import os
import sys

from tunepass.compilers.finding import compiler_at
from tunepass.launcher import link_marks, sealed
from tunepass.launcher.calling import become, missing, run
from tunepass.version import __version__

TYPE_CHECKING = False  # of `typing`, which takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

LOCK = "tunepass.lock"  # tunepass.study.lock.lock.NAME, not imported: most calls of a compiler have no lock to read
QUIET = "-Wno-unknown-pragmas"
KNOWN = frozenset({QUIET, "-fopenmp", "-fopenmp-simd"})
COMPILERS = ("gcc", "g++", "clang", "clang++", "cc", "c++")  # how names of compilers end, but for a version
LONG = 64 << 10  # bytes of a command line from which its words stand in a file: systems bound them
MOST_LINKS = 40  # as Linux has it
ABSENT = b"\0"  # no lock holds a zero byte


class Prepared:
    """`added` follows the user's words; `text` is the file that stands for the source at `place`, "" for none; `told`
    goes to stderr, `outcomes` into the statistics. `compiler` takes the place of the user's, "" for that one. The first
    `begin` of the words that are given belong to the compiler's command still. Not a dataclass, whose module takes
    longer to load than all of this."""

    __slots__ = ("added", "begin", "compiler", "outcomes", "place", "text", "told")

    def __init__(
        self,
        place: int,
        added: Sequence[str],
        text: str = "",
        told: Sequence[str] = (),
        outcomes: Sequence[str] = (),
        begin: int = 0,
        compiler: str = "",
    ):
        self.place, self.added, self.text, self.told = place, list(added), text, list(told)
        self.outcomes, self.begin, self.compiler = list(outcomes), begin, compiler

    def words(self, given: Sequence[str], compiler: str = "") -> list[str]:
        words = list(given)
        if self.text:
            from tunepass.launcher.rewritten import arguments_with

            words = arguments_with(given, self.place, self.text)
        return [*words, *self.added, *link_marks.marking(given, self.added, compiler)]

    def run(self, compiler: Sequence[str], given: Sequence[str], scratch: str = "") -> int:
        """The compiler's status. Without a text, and a scratch folder to be removed, it takes this process's place."""
        sys.stderr.write("".join(f"{line}\n" for line in self.told))
        if self.outcomes:
            from tunepass.launcher import statistics

            statistics.add(self.outcomes)
        compiler, given = [*compiler, *given[: self.begin]], given[self.begin :]
        named = compiler_at(compiler)
        at = len(compiler) - 1 if named is None else named
        compiler[at] = self.compiler or compiler[at]
        words = self.words(given, compiler[at])
        if scratch and sum(len(word) + 1 for word in words) > LONG:
            words = [_filed(words, scratch)]
        if not self.text:
            return run([*compiler, *words]) if scratch else become([*compiler, *words])
        from tunepass.launcher import rewritten

        source = given[self.place]
        if rewritten.prints(given):
            return _print([*compiler, *words], self.text, rewritten.shown_as(source))
        status = run([*compiler, *words])
        rewritten.name_source(given, source, self.text)
        return status

    def record(self, begin: int) -> bytes:
        counts = [str(n) for n in (self.place, begin, len(self.added), len(self.told))]
        fields = [*counts, self.text, self.compiler, *self.added, *self.told, *self.outcomes]
        return "\0".join(fields).encode("utf-8", "surrogateescape")


def _read_record(record: bytes) -> Prepared:
    """Read a record that `record` wrote: it is sealed, so it is whole."""
    fields = record.decode("utf-8", "surrogateescape").split("\0")
    place, begin, added, told = (int(field) for field in fields[:4])
    text, compiler, rest = fields[4], fields[5], fields[6:]
    told_lines, outcomes = rest[added : added + told], rest[added + told :]
    return Prepared(place, rest[:added], text, told_lines, outcomes, begin, compiler)


class CallQuestion:
    """One command line and all that its answer depends on. `sources` are the contents of its annotated inputs."""

    def __init__(self, compiler: Sequence[str], words: Sequence[str], sources: Mapping[str, bytes]):
        self.words, self.sources = list(words), sources
        context = [os.fsencode(part) for part in (os.getcwd(), __version__, *compiler, "\0", *words)]
        locks = {os.path.join(os.path.dirname(place), LOCK) for name in sources for place in places_of(name)}
        contents = [part for name in sorted(sources) for part in (os.fsencode(name), sources[name])]
        self.name = sealed.digest(context).hex()
        self.key = sealed.digest([*context, *contents, *(link_marks.read(lock) or ABSENT for lock in sorted(locks))])
        self.compiler = list(compiler)

    def still_holds(self) -> bool:
        """Are sources and locks unchanged since the question was recorded?"""
        now = {name: link_marks.read(name) for name in self.sources}
        return CallQuestion(self.compiler, self.words, now).key == self.key

    def answer(self) -> Prepared | None:
        data = sealed.recall(self.name)
        if data is None or data[: sealed.DIGEST] != self.key:
            return None
        modules, _, record = data[sealed.DIGEST :].partition(b"\1")
        if _signatures(modules.split(b"\0")[::2]) != modules:
            return None
        prepared = _read_record(record)
        if prepared.text and not sealed.text_of(prepared.text):
            return None
        return prepared if all(map(self._is_harmless, prepared.added)) and self._names(prepared.compiler) else None

    def keep(self, prepared: Prepared, read: Iterable[str] = (), begin: int = 0) -> None:
        """`read` are further files that it was worked out from, such as headers; `begin` of the words are the
        compiler's command still."""
        ours = [module for name, module in sys.modules.items() if name.partition(".")[0] == "tunepass"]
        files = sorted({*read, *(file for file in (vars(module).get("__file__") for module in ours) if file)})
        modules = _signatures([os.fsencode(file) for file in files])
        sealed.remember(self.name, self.key + modules + b"\1" + prepared.record(begin))

    def _names(self, compiler: str) -> bool:
        """Does a source name it, without a path or a word of a shell?"""
        plain = compiler.replace("-", "").replace("+", "").replace(".", "").replace("_", "").isalnum()
        plain = plain and compiler.rstrip("-.0123456789").endswith(COMPILERS)
        named = any(f'"{compiler}"'.encode() in content for content in self.sources.values())
        return not compiler or (plain and not compiler.startswith("-") and named)

    def _is_harmless(self, word: str) -> bool:
        macro = word[2:].partition("=")[0] if word.startswith("-D") else ""
        part = os.fsencode(macro or word)
        return word in KNOWN or any(part in content for content in self.sources.values())


def places_of(source: str) -> list[str]:
    """The source and, of a symbolic link, what it leads to, link by link: a lock may be beside any of them."""
    places = [source]
    while len(places) < MOST_LINKS and os.path.islink(places[-1]):
        places.append(os.path.join(os.path.dirname(places[-1]), os.readlink(places[-1])))
    return places


def _signatures(files: Iterable[bytes]) -> bytes:
    """Files with size and time: an answer goes with headers, and with the code of tunepass that found it."""
    parts: list[bytes] = []
    for file in files:
        try:
            facts = os.stat(file)
        except OSError:
            continue
        parts += [file, f"{facts.st_size} {facts.st_mtime_ns}".encode()]
    return b"\0".join(parts)


def _filed(words: Sequence[str], scratch: str) -> str:
    """The words as those of a file."""
    from tunepass.compilers.responses import joined

    path = os.path.join(scratch, "words")
    with open(path, "wb") as file:
        file.write(os.fsencode(joined(words)))
    return f"@{path}"


def _print(words: Sequence[str], text: str, source: str) -> int:
    """Run the compiler, and print what it prints with the source's name for the text's."""
    import subprocess

    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, check=False)
    except OSError as error:
        raise missing(words[0], error) from None
    sys.stdout.buffer.write(done.stdout.replace(os.fsencode(text), os.fsencode(source)))
    return done.returncode if done.returncode >= 0 else 128 - done.returncode
