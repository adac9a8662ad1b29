"""The helper process that runs one program under limits, keeps it to itself, and leaves nothing of it behind.

It is a process of its own because killing "everything a program left behind" needs a parent that orphans are given to
(a child subreaper) and that may wait for any child, and neither belongs in a library inside someone else's process.
How a program is kept from the build and from others' processes stands in `namespaces`, `confinement` and `broker`.

Protocol: eight bytes of length and a marshalled request (`request.RunRequest`'s fields) on stdin, which then stays
open: its end means that the caller is gone and everything is to be killed. The reply on stdout is a marshalled tuple: a
dictionary, the captured stdout, the captured stderr. Modules in here import little, so that a start costs ~15 ms.
"""
