"""A priced kernel as text, and the same kernel in another process: its identity there is compared."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from tunepass.evaluators.elsewhere import EvaluatorSource
from tunepass.jobs.elsewhere import check_same_kernel, evaluator_source, job_of_text
from tunepass.jobs.job import Job

TOOLS = ("compiler", "files", "toolchain")  # fields of an identity that a model's prices do not depend on
FOLDER = threading.RLock()  # the folder is that of the process


def text_of(job: Job, words: Sequence[str] | None) -> str:
    """The kernel's text, how it is read, and the identity that it has here."""
    source = evaluator_source(job.kernel, job.backend.target, words)
    return json.dumps({"source": source.encode(), "identity": dict(job.identity.texts())})


@lru_cache(maxsize=4)
def job_of(text: str) -> Job:
    """The job of `text_of`, in the client's folder if this machine has it. Raises TunepassError where the kernel is
    another one here."""
    fields = json.loads(text)
    source = EvaluatorSource.decode(fields["source"])
    with inside(source.folder):
        job = job_of_text(source.text)
    identity: Mapping[str, str] = fields["identity"]
    check_same_kernel(job, identity, TOOLS)
    return job


@contextlib.contextmanager
def inside(folder: str) -> Iterator[None]:
    """Within, relative paths are those of the folder; where there is none, those of this process."""
    with FOLDER:
        before = os.getcwd()
        if os.path.isdir(folder):
            os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
