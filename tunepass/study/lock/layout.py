"""A lock as it is written, found without parsing YAML: its head, then four to six lines an entry.

`tunepass cc` needs the entries of one source, for each file that a build compiles, and a lock may have thousands. What
is not laid out so, to the letter, is left to the parser; what is means the same to it: no value goes on in another
line, and no comment stands in one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_QUOTED = r'"(?:[^"\\\n]|\\.)*"'
_PLAIN = r"(?!- )[A-Za-z0-9_./+=-](?:(?!: )[^\x00-\x1f\x7f-\x9f\[\]{},#\"'&*!|>%@`])*"
_FLOW = rf"\{{[^\"'#\n{{}}]*(?:{_QUOTED}[^\"'#\n{{}}]*)*\}}"
_FLOWS = rf"\{{(?:(?:{_QUOTED}|[A-Za-z_][A-Za-z0-9_=.+-]*): {_FLOW}(?:, )?)*\}}"
_CHECKS = (
    rf"\{{ledger: sha256:[0-9a-f]{{64}}, ran: \[[^\]\"'#\n{{}}]*\], not_requested: {_FLOW}, could_not_run: {_FLOW}\}}"
)
_HEAD = re.compile(r"(?:#[^\n]*\n)*version: [12]\nkernels:\n")
_ENTRY = re.compile(
    rf"  ({_QUOTED}|{_PLAIN}):\n    choice: {_FLOW}\n    objective: {_FLOW}\n    identity: {_FLOW}\n"
    rf"(?:    checks: {_CHECKS}\n)?(?:    sizes: {_FLOWS}\n)?"
)


def is_laid_out(text: str) -> bool:
    return _entries(text) is not None


def excerpt(text: str, source: str) -> str | None:
    """The lock with the entries of the source called so, and those whose keys are quoted; None where the text is laid
    out otherwise, or has a key twice."""
    entries = _entries(text)
    head = _HEAD.match(text)
    if entries is None or head is None or len({key for key, _ in entries}) < len(entries):
        return None
    selected = [entry for key, entry in entries if key.startswith('"') or key.rpartition("::")[0] == source]
    return head[0] + "".join(selected) if selected else f"{head[0][:-1]} {{}}\n"


def _entries(text: str) -> list[tuple[str, str]] | None:
    head = _HEAD.match(text)
    entries = list(_each(text, head.end())) if head else []
    return entries if head and sum(len(entry) for _, entry in entries) == len(text) - head.end() else None


def _each(text: str, start: int) -> Iterator[tuple[str, str]]:
    while entry := _ENTRY.match(text, start):
        yield entry[1], entry[0]
        start = entry.end()
