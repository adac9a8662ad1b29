"""A processor's numbers, read from its YAML and nowhere else: caches, throughputs and overheads of one core."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

import yaml

from tunepass.diagnostics import Source
from tunepass.hwmodels.base import ModelError
from tunepass.yaml_nodes import Composer, NodeReader

SIZE_LIMIT, DEPTH_LIMIT = 1 << 16, 8  # characters; levels
DEFAULT = "generic-x86-64"
CORE = (
    "operation_ns", "load_ns", "store_ns", "issue_ns", "division_ns", "call_ns", "chain_ns", "forward_ns", "enter_ns",
    "fork_ns",
)  # fmt: skip
TOP = ("name", "description", "source", "cores", "vector_byte", "registers", "core", "levels", "pages")


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """Blocks of `block_byte` are kept in `size_byte`; one that is missing comes from what is behind it in `miss_ns`
    where blocks follow one another, in `scattered_ns` where they do not."""

    name: str
    size_byte: int
    block_byte: int
    miss_ns: float
    scattered_ns: float
    shared: bool = False
    ways: int = 0  # 0: any block may lie anywhere

    @property
    def sets(self) -> int:
        return self.size_byte // (self.block_byte * self.ways) if self.ways else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """Nanoseconds. An `operation` is an addition or a multiplication, of scalars or of a whole vector; `issue` is any
    instruction's share of the front end; `chain` is an addition that waits for the one before, `forward` one more that
    waits for it through memory; `enter` is a loop that is begun and left; `fork` a team of threads."""

    operation_ns: float
    load_ns: float
    store_ns: float
    issue_ns: float
    division_ns: float
    call_ns: float
    chain_ns: float
    forward_ns: float
    enter_ns: float
    fork_ns: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cpu:
    """`levels` from the core outwards; the last one's misses go to memory. `pages` stands for all its TLBs."""

    name: str
    description: str
    source: str
    cores: int
    vector_byte: int
    registers: int
    core: Core
    levels: tuple[Level, ...]
    pages: Level


def load(name: str = DEFAULT) -> Cpu:
    """A device that ships with tunepass."""
    path = resources.files("tunepass.hwmodels.cpu").joinpath("devices", f"{name}.yaml")
    return read(path.read_text(encoding="utf-8"), f"{name}.yaml")


def read(text: str, name: str) -> Cpu:
    """The device in `text`. Raises ModelError, with the place, for what is missing or is no positive number."""
    return _DeviceReader(Source(name, text)).read()


class _DeviceReader(NodeReader[ModelError]):
    def __init__(self, source: Source):
        super().__init__(source, ModelError, "`tunepass characterize --device host` writes a whole one")

    def read(self) -> Cpu:
        node = Composer("a processor", ModelError, SIZE_LIMIT, DEPTH_LIMIT, self.hint).compose(self.source)
        if node is None:
            raise ModelError(f"{self.source.name} is empty", hint=self.hint)
        top = self.record(node, "a processor", TOP, TOP)
        core = self.record(top["core"], "core", CORE, CORE)
        levels = tuple(self.level(item) for item in self.items(top["levels"], "levels"))
        if not levels:
            raise self.fail("a processor has at least one level", top["levels"])
        return Cpu(
            name=self.text(top["name"]),
            description=self.text(top["description"]),
            source=self.text(top["source"]),
            cores=int(self.number(top["cores"])),
            vector_byte=int(self.number(top["vector_byte"])),
            registers=int(self.number(top["registers"])),
            core=Core(**{name: self.number(core[name]) for name in CORE}),
            levels=levels,
            pages=self.level(top["pages"]),
        )

    def level(self, node: yaml.Node) -> Level:
        needed = ("name", "size_byte", "block_byte", "miss_ns", "scattered_ns")
        fields = self.record(node, "a level", (*needed, "shared", "ways"), needed)
        return Level(
            name=self.text(fields["name"]),
            size_byte=int(self.number(fields["size_byte"])),
            block_byte=int(self.number(fields["block_byte"])),
            miss_ns=self.number(fields["miss_ns"]),
            scattered_ns=self.number(fields["scattered_ns"]),
            shared="shared" in fields and self.text(fields["shared"]) == "true",
            ways=int(self.number(fields["ways"])) if "ways" in fields else 0,
        )

    def text(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise self.fail("this is one text", node)
        return str(node.value)

    def number(self, node: yaml.Node) -> float:
        try:
            value = float(self.text(node))
        except ValueError:
            value = -1.0
        if not 0 < value < 1e15:
            raise self.fail("this is a positive number", node)
        return value
