"""URLs of PostgreSQL: which they are, and what people may see of one."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

from tunepass.diagnostics import StudyError

SCHEMES = ("postgresql://", "postgres://")
SECRETS = ("password", "sslpassword")  # parameters of a URL that are replaced in messages of the server's
PUBLIC_PARAMETERS = ("host", "hostaddr", "port", "dbname", "sslmode")  # parameters of a URL that people may see


def is_postgres(url: object) -> bool:
    """Does a store's name begin as a URL of PostgreSQL does?"""
    return isinstance(url, str) and url.startswith(SCHEMES)


def without_secrets(url: str) -> str:
    """The URL for locks, logs, pages and messages: without its password and without parameters that may be secret."""
    if not is_postgres(url):
        return url
    scheme, _, rest = url.partition("://")
    base, question, query = rest.partition("?")
    login, at, place = base.rpartition("@")
    user = login.partition(":")[0]
    if not _HOSTS.fullmatch(place.partition("/")[0]):  # a part of a password, perhaps, with a `/` that is not escaped
        return f"{scheme}://***"
    parameters = [p for p in query.split("&") if p.partition("=")[0] in PUBLIC_PARAMETERS and "@" not in unquote(p)]
    known = "&".join(parameters)
    return f"{scheme}://{user}{at}{place}" + (f"{question}{known}" if known else "")


def split_study(named: str) -> tuple[str, str | None]:
    """`URL[:STUDY]`. The name begins after the first colon behind the host, the user and the password.

    Raises:
        StudyError: a password in it has a `/`, so that a part of it would be taken for a name.
    """
    scheme, _, rest = named.partition("://")
    host, path = _authority(rest)
    database, _, study = path.partition(":")
    if "@" in study and "/" in study.rpartition("@")[2]:
        raise _unescaped(scheme)
    check_url(url := f"{scheme}://{host}{database}")
    return url, study or None


def check_url(url: str) -> None:
    """Raises StudyError where a password may have a `/` or `@` that is not escaped, so that its rest would be read, and
    shown, as something else."""
    scheme, _, rest = url.partition("://")
    host, path = _authority(rest)
    if "@" in path.partition("?")[0] or not _HOSTS.fullmatch(host.rpartition("@")[2]):
        raise _unescaped(scheme)


def _authority(rest: str) -> tuple[str, str]:
    """User, password and hosts; and the path and the parameters."""
    end = next((i for i, c in enumerate(rest) if c in "/?"), len(rest))
    return rest[:end], rest[end:]


def _unescaped(scheme: str) -> StudyError:
    return StudyError(
        f"{scheme}://*** is not a URL of PostgreSQL",
        hint="postgresql://USER@HOST:PORT/DATABASE; in names and passwords a `/` is written %2F, a `:` %3A, an `@` %40",
    )


def redacted(message: str, url: str) -> str:
    """A message without the URL's secrets, as they are written there and as they are meant."""
    for secret in sorted(_secrets(url), key=len, reverse=True):
        message = message.replace(secret, "***")
    return message


def _secrets(url: str) -> set[str]:
    base, _, query = url.partition("://")[2].partition("?")
    login = base.rpartition("@")[0]
    written = [login.partition(":")[2]]
    written += [v for n, _, v in (p.partition("=") for p in query.split("&")) if unquote(n).lower() in SECRETS]
    return {form for secret in written if secret for form in (secret, unquote(secret), quote(unquote(secret), safe=""))}


def escape(text: str) -> str:
    """A text as PostgreSQL can store it: NUL, which it refuses, is written as U+E000 and `0`."""
    if "\0" not in text and MARK not in text:
        return text
    return text.replace(MARK, MARK + "m").replace("\0", MARK + "0")


def unescape(text: str) -> str:
    """The text that `escape` was given."""
    return text if MARK not in text else _ESCAPED.sub(lambda match: "\0" if match[1] == "0" else MARK, text)


_HOSTS = re.compile(r"((\[[^]]*\]|[^][:@,]*)(:\d*)?(,|$))*")  # of the part before the path, without the login
MARK = "\ue000"
_ESCAPED = re.compile(f"{MARK}([0m])")
