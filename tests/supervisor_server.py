"""Forks a supervisor for each message on its standard input, a socket, which brings the supervisor's open files.

Run as a script with the supervisor's own, whose modules it imports once. A forked supervisor is what a started one is:
in a session of its own, with nothing open but what it was given.
"""

import _signal
import _socket
import fcntl
import importlib.util
import marshal
import os
import struct
import sys

MOST_FILES = 64
FREE = 256  # numbers from here on are given to no program


def serve(script: str) -> None:
    """Answer messages until the socket's other end is closed everywhere."""
    main = supervisor_main(script)
    _signal.signal(_signal.SIGCHLD, reap)
    channel = _socket.socket(fileno=0)
    while True:
        numbers, ancillary, *_ = channel.recvmsg(4096, _socket.CMSG_SPACE(4 * MOST_FILES))
        if not numbers:
            return
        files = [file for _, _, data in ancillary for (file,) in struct.iter_unpack("i", data)]
        if os.fork() == 0:
            supervise(main, files, marshal.loads(numbers), script)
        for file in files:
            os.close(file)


def supervisor_main(script):
    """The function that a started supervisor calls, imported as it imports it, and run on nothing."""
    spec = importlib.util.spec_from_file_location("start", script)
    start = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(start)
    sys.argv = [script, "probe"]
    start.start()
    sys.argv = [script]
    return sys.modules["tunepass.evaluators.process.supervisor.main"].main


def reap(*_):
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def supervise(main, files, numbers, script):
    """In the forked process, which ends with the supervisor: `files` get the `numbers`; the last stays open until then
    and has none."""
    status = 1
    try:
        _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
        os.setsid()
        high = [fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, FREE) for file in files]
        os.closerange(3, FREE)
        for file, number in zip(high, numbers):
            os.dup2(file, number)
            os.close(file)
        main()
        status = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(status)


if __name__ == "__main__":
    serve(sys.argv[1])
