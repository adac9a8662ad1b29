"""Memory a function needs besides its arguments: asked for at its start, given back at its end."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Buffers:
    """Arrays by C name: the element, and the C texts whose product is how many."""

    wanted: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)

    def add(self, name: str, element: str, counts: tuple[str, ...]) -> None:
        self.wanted[name] = (element, counts)

    def allocation(self) -> list[str]:
        """One byte more is asked for, so that nothing is not NULL."""
        lines = []
        for name, (element, counts) in self.wanted.items():
            size = " * ".join(f"(size_t)({count})" for count in counts)
            lines.append(f"{element} *restrict {name} = malloc({size} * sizeof({element}) + 1);")
        return lines

    def failure(self) -> str:
        """The condition that there was no memory."""
        return " || ".join(f"!{name}" for name in self.wanted)

    def release(self) -> list[str]:
        return [f"free({name});" for name in reversed(self.wanted)]
