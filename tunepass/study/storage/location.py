"""The location of a store, of a file and of a server's database alike: commands and jobs pass it on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from tunepass.study.storage.postgres_url import is_postgres, without_secrets
from tunepass.study.storage.schema import MissingStore
from tunepass.study.storage.store import Store

SQLITE = "sqlite:///"


@dataclass(frozen=True, slots=True)
class StoreLocation:
    """The location of a store: a file, or a database of a PostgreSQL server. `str` and `repr` leave out passwords.

    Args:
        url: the URL that Store takes, with its password.
        folder: the folder for files about its searches: markers of unfinished ones, text that does not compile.

    Example:
        >>> str(StoreLocation.named("postgresql://me:secret@server/tuning"))
        'postgresql://me@server/tuning'
    """

    url: str = field(repr=False)
    folder: Path

    @classmethod
    def named(cls, name: str | Path, folder: Path = Path()) -> StoreLocation:
        """The location that a user names: a path, `sqlite:///PATH` or a URL of PostgreSQL. `folder` is that of a
        server's database; a file's is its own."""
        if is_postgres(name):
            return cls(str(name), folder)
        path = Path(str(name).removeprefix(SQLITE))
        return cls(f"{SQLITE}{path}", path.parent)

    @property
    def path(self) -> Path | None:
        """The file; None: a server has the store."""
        return None if is_postgres(self.url) else Path(self.url.removeprefix(SQLITE))

    def __str__(self) -> str:
        return without_secrets(self.url) if self.path is None else str(self.path)

    def resolved(self) -> StoreLocation:
        """The same location, whatever the working folder is."""
        return self if self.path is None else replace(self, url=f"{SQLITE}{self.path.resolve()}")

    def open(self, *, make: bool = True) -> Store:
        """The open store. Raises MissingStore where there is none and it is not to be made, and what Store raises."""
        return Store(self.url, make=make)

    @contextmanager
    def existing(self) -> Iterator[Store | None]:
        """The open store; None where there is none. Makes nothing. Raises what Store raises."""
        try:
            store = self.open(make=False)
        except MissingStore:
            yield None
            return
        with store:
            yield store
