"""The text behind the source that says where the places are, and of what: only there are all types known.

What lies in an element is written by expressions of the source, and no type is: many have no name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunepass.ir.c_kernel import Leaf, MemoryPlace

COMMON = """\
#ifdef __cplusplus
#define TUNEPASS_C extern "C"
#define TUNEPASS_BOOL bool
#else
#define TUNEPASS_C
#define TUNEPASS_BOOL _Bool
#endif
struct tunepass_leaf { const char *tp_path; char tp_kind; size_t tp_size, tp_offset, tp_count; };
struct tunepass_link { size_t tp_offset, tp_count; };
struct tunepass_place {
    void *tp_at;
    size_t tp_count, tp_size;
    char tp_kind;
    const struct tunepass_leaf *tp_leaves;
    int tp_leaf_count;
    int tp_within, tp_followed;
    struct tunepass_link tp_link;
    const struct tunepass_link *tp_again;
    int tp_again_count;
    const void *tp_object;
    size_t tp_object_size;
};
"""
"""As the harness knows them (harness/setup.h)."""

OF_C = """\
#define TUNEPASS_IS_REAL(x) (__builtin_classify_type(x) == 8)
#define TUNEPASS_IS_WHOLE(x) (__builtin_classify_type(x) > 0 && __builtin_classify_type(x) < 5)
#define TUNEPASS_WHOLE(x) __typeof__(__builtin_choose_expr(TUNEPASS_IS_WHOLE(x), (x), (char)0))
#define TUNEPASS_KIND_OF(x, T) \\
    (TUNEPASS_IS_REAL(x) ? 'f' : !TUNEPASS_IS_WHOLE(x) ? '?' : (T)2 == (T)1 ? 'b' : (T)-1 < (T)1 ? 'i' : 'u')
#define TUNEPASS_KIND(T) TUNEPASS_KIND_OF(*(T *)0, TUNEPASS_WHOLE(*(T *)0))
#define TUNEPASS_IS_ARRAY(x) (!__builtin_types_compatible_p(__typeof__(x), __typeof__(((void)0, (x)))))
#define TUNEPASS_ITEM(x) (*__builtin_choose_expr(TUNEPASS_IS_ARRAY(x), (x), &(x)))
#define TUNEPASS_ELEMENT(x) __typeof__(TUNEPASS_ITEM(TUNEPASS_ITEM(TUNEPASS_ITEM(TUNEPASS_ITEM(x)))))
"""
"""An expression that is an array stands for its elements, to the fourth dimension."""

OF_CPP = """\
#define TUNEPASS_KIND(T) tunepass_entry::kind<T>()
#define TUNEPASS_ELEMENT(x) ::std::remove_cv< ::std::remove_all_extents<__typeof__(x)>::type>::type
"""

REST, REST_OF_TEXT = "(size_t)-1", "(size_t)-2"


def located(places: Sequence[MemoryPlace], at: str, objects: Sequence[str], *, cpp: bool) -> list[str]:
    """Statements that fill the table of places. `at` gives them the pragma's line, `objects` are those in the
    harness's own memory that the setup fills."""
    number = {place.text: k for k, place in enumerate(places)}
    lines = []
    for k, place in enumerate(places):
        if place.within:
            lines += [at, *_within(place, k, number[place.within])]
        else:
            lines += [at, *_at(place, k)]
        lines += [*_element(place, k, at, cpp=cpp), *(_inside(objects, k) if place.rest and not place.within else ())]
    if not cpp:
        return lines
    quiet = '#pragma GCC diagnostic ignored "-Winvalid-offsetof"'  # of classes it is known all the same
    return ["#pragma GCC diagnostic push", quiet, *lines, "#pragma GCC diagnostic pop"]


def _at(place: MemoryPlace, k: int) -> Iterator[str]:
    """A place in one piece."""
    address = f"&({place.text})[0]" if place.length or place.rest else f"&({place.text})"
    yield f"    __typeof__({address}) tp_at_{k} = {address};"
    yield f"    typedef TUNEPASS_ELEMENT(*tp_at_{k}) tp_element_{k};"
    count = f"(size_t)({place.length})" if place.length else f"sizeof *tp_at_{k} / sizeof(tp_element_{k})"
    if place.rest:
        count = REST_OF_TEXT if place.element == "char" else REST
    yield f"    tp_places[{k}].tp_at = (void *)tp_at_{k}; tp_places[{k}].tp_count = {count};"
    if place.followed:
        yield f"    tp_places[{k}].tp_followed = 1;"
    name = _pointer_of(place.text)
    if place.found and name:
        yield f"    tp_places[{k}].tp_object = (const void *){name}; tp_places[{k}].tp_object_size = sizeof *{name};"


def _pointer_of(text: str) -> str:
    """The name of the pointer to a struct that the place is, or is in: of `*name` and `name->member`; else empty."""
    name = text[1:] if text.startswith("*") else text.partition("->")[0] if "->" in text else ""
    return name if name.isidentifier() else ""


def _within(place: MemoryPlace, k: int, outer: int) -> Iterator[str]:
    """A place in pieces. A pointer that is followed is the element of the arrays that the member may be."""
    member = _part(outer, place.member)
    item = f"TUNEPASS_ELEMENT({member})"
    element = f"TUNEPASS_ELEMENT(**({item} *)0)" if place.followed else item
    yield f"    typedef {element} tp_element_{k};"
    several = f"sizeof({member}) / sizeof({'void *' if place.followed else f'tp_element_{k}'})"
    offset = f"__builtin_offsetof(tp_element_{outer}, {place.member})" if place.member else "0"
    count = f"(size_t)({place.length})" if place.length else REST
    yield f"    tp_places[{k}].tp_within = {outer + 1}; tp_places[{k}].tp_followed = {int(place.followed)};"
    yield f"    tp_places[{k}].tp_link.tp_offset = {offset}; tp_places[{k}].tp_link.tp_count = {several};"
    yield f"    tp_places[{k}].tp_count = {count};"


def _element(place: MemoryPlace, k: int, at: str, *, cpp: bool) -> Iterator[str]:
    """The numbers and pointers of an element."""
    if place.element:
        yield from _same_type(place, k, at, cpp=cpp)
    kind = f"TUNEPASS_KIND(tp_element_{k})"
    if place.leaves:
        for number, leaf in enumerate(place.leaves):
            if leaf.kind == "number":
                yield f"    typedef TUNEPASS_ELEMENT({_part(k, _path(leaf))}) tp_leaf_{k}_{number};"
        rows = ", ".join(_leaf(leaf, k, number) for number, leaf in enumerate(place.leaves))
        yield f"    static const struct tunepass_leaf tp_leaves_{k}[] = {{{rows}}};"
        yield f"    tp_places[{k}].tp_leaves = tp_leaves_{k}; tp_places[{k}].tp_leaf_count = {len(place.leaves)};"
        kind = "'s'"
    yield f"    tp_places[{k}].tp_size = sizeof(tp_element_{k}); tp_places[{k}].tp_kind = {kind};"
    if place.again:
        links = ", ".join(
            f"{{__builtin_offsetof(tp_element_{k}, {member}), sizeof({_part(k, member)}) / sizeof(void *)}}"
            for member in place.again
        )
        yield f"    static const struct tunepass_link tp_again_{k}[] = {{{links}}};"
        yield f"    tp_places[{k}].tp_again = tp_again_{k}; tp_places[{k}].tp_again_count = {len(place.again)};"


def _same_type(place: MemoryPlace, k: int, at: str, *, cpp: bool) -> Iterator[str]:
    """A mistake in the pragma is the compiler's error."""
    element, word = spelled(place.element), "static_assert" if cpp else "_Static_assert"
    same = f"sizeof(tp_element_{k}) == sizeof({element})"
    if not place.leaves:
        same += f" && TUNEPASS_KIND(tp_element_{k}) == TUNEPASS_KIND({element})"
    text = place.text.replace("\\", "\\\\").replace('"', '\\"')
    yield at
    yield f'    {word}({same}, "{text} holds no {place.element}");'


def _inside(objects: Sequence[str], k: int) -> Iterator[str]:
    """Arrays that the setup fills within the harness's own memory end with that."""
    for whole in objects:
        inside = f"(uintptr_t)tp_at_{k} - (uintptr_t)&{whole}"
        yield (
            f"    if ((uintptr_t)tp_at_{k} >= (uintptr_t)&{whole} && {inside} < sizeof({whole})) "
            f"tp_places[{k}].tp_count = (sizeof({whole}) - ({inside})) / sizeof(tp_element_{k});"
        )


def spelled(element: str) -> str:
    return "TUNEPASS_BOOL" if element == "bool" else element


def _path(leaf: Leaf) -> str:
    return leaf.path.removeprefix(".")


def _part(k: int, path: str) -> str:
    """An expression for a member of an element, or for the whole."""
    return f"((tp_element_{k} *)0)->{path}" if path else f"*(tp_element_{k} *)0"


def _leaf(leaf: Leaf, k: int, number: int) -> str:
    """A row of the table. A pointer that leads to nothing comparable has the kind `o`."""
    path, size = _path(leaf), f"sizeof({spelled(leaf.element)})"
    offset = f"__builtin_offsetof(tp_element_{k}, {path})" if path else "0"
    if leaf.kind in ("real", "imaginary"):
        part = ("real", "imaginary").index(leaf.kind)
        name = f"{path}.{leaf.kind}" if path else leaf.kind
        return f"""{{"{name}", 'f', {size}, {offset} + {part} * {size}, 1}}"""
    kind = {"pointer": "'p'", "opaque": "'o'", "bytes": "'u'"}.get(leaf.kind, "")
    if leaf.kind == "number":
        kind, size = f"TUNEPASS_KIND(tp_leaf_{k}_{number})", f"sizeof(tp_leaf_{k}_{number})"
    return f'{{"{path}", {kind}, {size}, {offset}, sizeof({_part(k, path)}) / {size}}}'
