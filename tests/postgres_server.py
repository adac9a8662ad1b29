"""A PostgreSQL server for the tests: started once a session, in a temporary folder, on a Unix socket there."""

from __future__ import annotations

import importlib.util
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

_COUNTER = itertools.count()


def programs() -> Path | None:
    """The folder of the server's programs, of the newest version; None where there is none."""
    known = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found = shutil.which("initdb")
    return known[-1].parent if known else Path(found).resolve().parent if found else None


def missing() -> str:
    """Why there can be no server; empty where there can be one."""
    if importlib.util.find_spec("psycopg") is None:
        return "needs the extra postgres"
    if programs() is None:
        return "needs PostgreSQL's server (Debian's package postgresql)"
    if os.geteuid() == 0 and "postgres" not in {user.pw_name for user in pwd.getpwall()}:
        return "root starts the server as the user postgres, which is missing"
    return ""


class Server:
    """A server of its own. `durable`: what is committed is on disk."""

    def __init__(self, *, durable: bool = False):
        self._bin = programs()
        assert self._bin is not None
        self._user = "postgres" if os.geteuid() == 0 else None
        self.folder = Path(tempfile.mkdtemp(prefix="tunepass-pg-"))
        self.folder.chmod(0o755)
        if self._user:
            shutil.chown(self.folder, self._user)
        self._options = [
            *("-D", str(self.folder / "data"), "-k", str(self.folder), "-c", "listen_addresses="),
            *("-c", "max_connections=40", "-c", "shared_buffers=16MB"),
            *([] if durable else ["-c", "fsync=off", "-c", "full_page_writes=off"]),
        ]
        self._process: subprocess.Popen[bytes] | None = None
        self._run("initdb", "-D", str(self.folder / "data"), "-U", "tester", "-A", "trust", "-E", "UTF8",
                  "--locale=C", "--no-sync", "--no-instructions")  # fmt: skip
        self.start()

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        assert self._bin is not None
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(self._bin / "postgres"), *self._options], stdout=log, stderr=log, user=self._user,
                extra_groups=[] if self._user else None, cwd="/",
            )  # fmt: skip
        while subprocess.run([self._bin / "pg_isready", "-q", "-h", self.folder], check=False).returncode:
            assert self._process.poll() is None, (self.folder / "log").read_text()
            time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server: SIGINT ends its sessions, SIGQUIT ends it at once as a crash would."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder)

    def url(self, database: str, user: str = "tester", password: str = "") -> str:
        login = f"{user}:{password}" if password else user
        return f"postgresql://{login}@/{database}?host={self.folder}"

    def database(self, *options: str) -> str:
        """The URL of a new, empty database."""
        name = f"store{next(_COUNTER)}"
        self.sql(f"CREATE DATABASE {name} {' '.join(options)}")
        return self.url(name)

    def sql(self, statement: str, database: str = "postgres") -> None:
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement.encode())

    def _run(self, program: str, *arguments: str) -> None:
        assert self._bin is not None
        subprocess.run(
            [self._bin / program, *arguments], check=True, capture_output=True, user=self._user,
            extra_groups=[] if self._user else None, cwd="/",
        )  # fmt: skip
