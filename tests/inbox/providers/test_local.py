from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.conf import settings

from inbox.accounts.credentials import Secret
from inbox.providers.base import Connection, ProviderError
from inbox.providers.local import Local
from tests.provider_cases import MESSAGE, ProviderCases, ignore, parcel


def local(address: str = "office@lantern.example") -> Local:
    return Local(Connection(address, {}, Secret("")))


def files(folder: str = "new") -> list[Path]:
    return sorted(Path(settings.LOCAL_MAIL_DIR).glob(f"*/{folder}/*"))


class TestLocal(ProviderCases):
    @pytest.fixture
    def provider(self):
        return local()

    @pytest.fixture
    def delivered(self):
        return lambda: [path.read_bytes() for path in files()]


def test_one_message_id_is_delivered_once():
    for _ in range(3):
        local().submit(parcel(), ignore)
    assert len(files()) == 1


def test_many_workers_at_once_deliver_it_once():
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(lambda _: local().submit(parcel(), ignore), range(10)))
    assert [path.read_bytes() for path in files()] == [MESSAGE]


def test_it_is_still_found_after_a_mail_program_has_seen_it():
    local().submit(parcel(), ignore)
    [path] = files()
    path.rename(path.parent.parent / "cur" / f"{path.name}:2,S")
    assert local().find_sent("<1@lantern.example>")
    local().submit(parcel(), ignore)
    assert files() == []


def test_nothing_is_left_half_written():
    with pytest.raises(ZeroDivisionError):
        local().submit(parcel(), lambda: 1 // 0)
    assert files("tmp") == []


def test_an_address_with_a_slash_leads_nowhere_else():
    local("a/../../b@lantern.example").submit(parcel(), ignore)
    assert len(files()) == 1


def test_a_folder_that_cannot_be_written_to_is_tried_again(tmp_path):
    Path(settings.LOCAL_MAIL_DIR).write_text("not a folder")
    with pytest.raises(ProviderError) as caught:
        local().submit(parcel(), ignore)
    assert caught.value.kind == "transient"
