"""`python`, as `tests.fork_server.python` names it: asks for a process, and ends as that does.

Loads nothing but what it needs: it is started as often as the other would be.
"""

import json
import os
import signal
import socket
import sys


def main() -> None:
    name, *arguments = sys.argv[1:]
    read, told = os.pipe()
    folder = os.getcwd()  # noqa: PTH109 - pathlib takes as long to load as all of this
    asked = {"arguments": arguments, "environment": dict(os.environ), "folder": folder}
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
        server.connect(f"\0{name}")
        socket.send_fds(server, [json.dumps(asked).encode()], [0, 1, 2, told])
    os.close(told)
    with os.fdopen(read) as lines:
        pid = int(lines.readline())
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, lambda number, _: os.kill(pid, number))
        code = int(lines.readline())
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)


if __name__ == "__main__":
    main()
