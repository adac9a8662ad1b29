"""Starts the supervisor, as a script. tunepass itself is not imported: that would take longer than all the rest."""

import sys


def start() -> None:
    tunepass = type(sys)("tunepass")
    tunepass.__path__ = [__file__.rpartition("/evaluators/")[0]]
    sys.modules["tunepass"] = tunepass
    from tunepass.evaluators.process.supervisor.main import main

    main()


if __name__ == "__main__":
    start()
