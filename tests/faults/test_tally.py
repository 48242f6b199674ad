"""What the parts of a run came to is told from one process to the other, and added up."""

import json

from tests.faults.tally import Tally


def test_parts_are_written_read_and_added():
    one, other = Tally("killed"), Tally("killed")
    one.add([])
    one.ends["sent"] += 1
    one.seconds = 2
    other.add(["SENT TWICE"])
    other.notes["died"] += 1
    parts = [Tally.read(json.loads(json.dumps(it.written()))) for it in (one, other)]
    assert Tally.together(parts).told() == "killed: 2 runs in 2 s, 1 broken; 1 sent (1 died)"
