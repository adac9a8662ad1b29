"""Text that tunepass wrote and that does not compile: the check before any search, and the error of a build."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path, PurePath

from tunepass.backends.base import Backend
from tunepass.capabilities import capability
from tunepass.diagnostics import Diagnostic, EnvironmentFault, SourceError, TunepassError
from tunepass.evaluators.own_text import BlamesOwnText, OwnTextFailure
from tunepass.files import shown, write_text
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space


def check_probes(backend: Backend, space: Space, folder: Path | None) -> None:
    """Compile the probes, and the default, without running them. Raises SourceError for text that is a defect."""
    configurations = [space.default, *backend.probes(space)]
    measured = backend.evaluator()
    if measured is None:
        return
    with measured as evaluate:
        blaming = capability(evaluate, BlamesOwnText)
        if blaming is None:
            return
        for configuration in configurations:
            failure = blaming.own_text_failure(configuration)
            if failure is not None:
                raise defect_error(backend, configuration, failure, folder)


def defect_error(
    backend: Backend, configuration: Configuration, failure: OwnTextFailure, folder: Path | None
) -> TunepassError:
    """At the nest in the user's source, with the compiler's first error; the text is kept in the folder."""
    saved = _save_text(backend, failure, folder or Path(tempfile.gettempdir()))
    place = backend.place_written(configuration, failure.line)
    name = backend.kernel.source.name
    return SourceError(
        Diagnostic(
            f"a defect of tunepass: the text that it writes for this part of {PurePath(name).name} does not compile: "
            f"{failure.first_error}",
            place,
            f"the search was not started, and the source is not at fault; please report this with {saved}, compiled by "
            f"`{shlex.join(failure.words)}`. Without the pragma the rest of the source can be tuned",
        )
    )


def _save_text(backend: Backend, failure: OwnTextFailure, folder: Path) -> str:
    """Save the text; return its path, or the reason why it could not be written."""
    path = folder / f"defect-{PurePath(backend.kernel.source.name).name}"
    try:
        write_text(path, failure.text)
    except (OSError, TunepassError, EnvironmentFault) as error:
        return f"its source (the text could not be kept in {shown(path)}: {error})"
    return shown(path)
