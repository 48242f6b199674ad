"""The collector of cycles: as it was, once nobody holds it back any more."""

import gc

from inbox.intake.garbage import collected_seldom


def test_two_who_hold_it_back_at_once_leave_it_as_it_was() -> None:
    whole = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    before = gc.get_threshold()
    first, second = collected_seldom(), collected_seldom()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold()[0] > before[0]
    second.__exit__(None, None, None)
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
    gc.set_threshold(*whole)
