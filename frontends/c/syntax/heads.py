"""What stands before a `{`: the head of a function, of a scope, or of neither. Nothing is looked up."""

from __future__ import annotations

import re
from dataclasses import dataclass

NAME = r"[A-Za-z_]\w*"
ATTRIBUTE = re.compile(r"\[\[.*?\]\]|\b(?:__attribute__|__attribute|__declspec|alignas|noexcept|throw)\s*\(", re.DOTALL)
CONCEPT = (
    rf"(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|"
    rf"!?{NAME}(?:::{NAME})*\s*(?:<[^<>]*(?:<[^<>]*>[^<>]*)*>)?(?:::{NAME})*)"
)
REQUIRES = re.compile(rf"\s*requires\b\s*{CONCEPT}(?:\s*(?:&&|\|\|)\s*{CONCEPT})*")
LABEL = re.compile(r"\A\s*(?P<access>public|private|protected)\s*:(?!:)")
CLASS = re.compile(
    r"(?:\A|[\s>])(?P<key>class|struct|union)\s+(?:[A-Z_][A-Z0-9_]+\s+(?!final\b))?"
    rf"(?P<name>{NAME})[^;(){{}}=]*\Z"
)
NAMESPACE = re.compile(rf"\bnamespace\s*(?P<name>{NAME}(?:\s*::\s*{NAME})*)?\s*\Z")
EXTERN = re.compile(r'\bextern\s*"\s*"\s*\Z')
QUALIFIED = re.compile(rf"(?<!\w)(?P<scopes>(?:{NAME}\s*::\s*)*)(?P<name>{NAME})\s*\Z")
AFTER_FORMALS = re.compile(
    r"(?:\s|\b(?:const|volatile|override|final|noexcept|try)\b|&&?|\b[A-Z_][A-Z0-9_]*\b(?!\s*\())*"
    r"(?:->(?P<returns>.*?))?(?:\brequires\b.*)?\s*\Z",
    re.DOTALL,
)
SPECIFIERS = re.compile(
    r"\b(?:static|inline|constexpr|consteval|extern|virtual|explicit|friend|register|__inline__|__inline|_Noreturn"
    r'|__extension__)\b|"\s*"|\[\[.*?\]\]'
)
NOT_A_TYPE = re.compile(r"=|\boperator\b|[~.]\s*\Z|(?<!:):(?!:)")
KEYWORDS = frozenset({"if", "for", "while", "switch", "return", "sizeof", "decltype", "typeof", "else", "do", "catch"})
BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">"}


@dataclass(frozen=True, slots=True)
class FunctionHead:
    """Offsets are in the text. `scopes` are what the name is qualified with, innermost last; `template` is the text
    of its last template parameter list, None where there is none."""

    name: str
    name_start: int
    scopes: tuple[str, ...]
    template: str | None
    before: str  # specifiers and what it returns
    returns: str  # without specifiers; the trailing type where there is one
    formals: str
    formals_end: int
    trailing: bool


def access_label(head: str) -> tuple[str, int]:
    """The last of the access labels that `head` begins with, and where they end."""
    access, end = "", 0
    while label := LABEL.match(head[end:]):
        access, end = label["access"], end + label.end()
    return access, end


def plain(head: str) -> str:
    """`head` with attributes, noexcept conditions and their kin blanked."""
    position = 0
    while match := ATTRIBUTE.search(head, position):
        end = bracket_end(head, match.end() - 1) if match.group().endswith("(") else match.end()
        head = head[: match.start()] + " " * (end - match.start()) + head[end:]
        position = end
    return head


def template_list(head: str) -> tuple[list[str], int]:
    """The parameters of each `template <...>` that `head` begins with, and where they end."""
    parameters, end = [], 0
    while match := re.compile(r"\s*template\s*(?=<)").match(head, end):
        end = bracket_end(head, match.end())
        parameters.append(head[match.end() + 1 : end - 1].strip())
        condition = REQUIRES.match(head, end)
        end = condition.end() if condition else end
    return parameters, end


def bracket_end(text: str, opening: int) -> int:
    """The offset after the bracket that closes the one at `opening`, or the end of the text."""
    first, last = text[opening], BRACKETS[text[opening]]
    depth, offset = 0, opening
    while offset < len(text):
        if text[offset] == first:
            depth += 1
        elif text[offset] == last and not (last == ">" and text[offset - 1] in "-="):
            depth -= 1
            if depth == 0:
                return offset + 1
        elif first == "<" and text[offset] == "(":  # a comparison may stand inside
            offset = bracket_end(text, offset) - 1
        offset += 1
    return len(text)


def closed_brackets(text: str) -> dict[int, int]:
    """By the offset of each `(` and `{`, the offset after what closes it; those that are not closed are left out."""
    ends: dict[int, int] = {}
    opened: dict[str, list[int]] = {")": [], "}": []}
    for bracket in re.finditer(r"[(){}]", text):
        pair = {"(": ")", "{": "}"}.get(bracket.group())
        if pair is not None:
            opened[pair].append(bracket.start())
        elif opened[bracket.group()]:
            ends[opened[bracket.group()].pop()] = bracket.end()
    return ends


def function_head(head: str) -> FunctionHead | None:
    """A function's head: the first bracket after a name that only what may follow formal parameters follows."""
    text = plain(head)
    templates, start = template_list(text)
    for opening in _openings(text, start):
        end = bracket_end(text, opening)
        after = AFTER_FORMALS.match(text, end)
        named = QUALIFIED.search(_without_arguments(text[start:opening]))
        if after is None or named is None or named["name"] in KEYWORDS or text[end - 1] != ")":
            continue
        before = text[start : start + named.start()]
        if not before.strip() or NOT_A_TYPE.search(before):
            return None  # an initialiser, an operator, a constructor or destructor, a macro's use
        stated = after["returns"]
        scopes = text[start + named.start() : start + named.start("name")]
        return FunctionHead(
            name=named["name"],
            name_start=start + named.start("name"),
            scopes=tuple(re.findall(NAME, named["scopes"])),
            template=templates[-1] if len(templates) > scopes.count("<") else None,
            before=before,
            returns=" ".join(SPECIFIERS.sub(" ", before if stated is None else stated).split()),
            formals=text[opening + 1 : end - 1],
            formals_end=end,
            trailing=stated is not None,
        )
    return None


def _openings(text: str, start: int) -> list[int]:
    """The round brackets outside any other."""
    found, offset = [], start
    while (offset := text.find("(", offset)) >= 0:
        found.append(offset)
        offset = bracket_end(text, offset)
    return found


def _without_arguments(text: str) -> str:
    """Template arguments of the name at the end and of its scopes blanked: `Foo<T>::f<float>` is `Foo   ::f       `."""
    end = len(text.rstrip())
    while end:
        if text[end - 1] == ">":
            opening = _opening_angle(text, end - 1)
            if opening < 0:
                return text
            text = text[:opening] + " " * (end - opening) + text[end:]
            end = len(text[:opening].rstrip())
        word = re.search(rf"(?<!\w){NAME}\Z", text[:end])
        before = text[: word.start()].rstrip() if word else ""
        if not before.endswith("::"):
            return text
        end = len(before[:-2].rstrip())
    return text


def _opening_angle(text: str, closing: int) -> int:
    depth = 0
    for offset in range(closing, -1, -1):
        depth += {">": 1, "<": -1}.get(text[offset], 0)
        if depth == 0:
            return offset
    return -1
