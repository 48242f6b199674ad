import base64
import logging
import socket
import threading
import time
import traceback
from contextlib import contextmanager

import pytest

from inbox.accounts.credentials import Secret
from inbox.providers.base import Connection, ProviderError
from inbox.providers.imap_smtp import ImapSmtp
from tests.cases import in_one_test
from tests.patience import LONG
from tests.provider_cases import MESSAGE, ProviderCases, ignore, parcel
from tests.servers import Peer, drop, make_certificate, reset, say, silence, smtp_sink, split


def smtp(port: int, password: str = "", **settings) -> ImapSmtp:
    usual = {
        "smtp_host": "127.0.0.1", "smtp_port": port, "smtp_security": "none",
        "smtp_timeout": LONG, "smtp_answer_timeout": LONG,
    }  # fmt: skip
    return ImapSmtp(Connection("office@lantern.example", usual | settings, Secret(password)))


@contextmanager
def refused(kind: str, words: str = ""):
    with pytest.raises(ProviderError) as caught:
        yield caught
    said = f"{caught.value.words} {caught.value.reply}"
    assert caught.value.kind == kind, said
    assert words in said


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return make_certificate(tmp_path_factory.mktemp("tls") / "server.pem")


class TestSmtp(ProviderCases):
    @pytest.fixture
    def sink(self):
        with smtp_sink() as served:
            yield served

    @pytest.fixture
    def provider(self, sink):
        return smtp(sink[1])

    @pytest.fixture
    def delivered(self, sink):
        return lambda: [taken.content for taken in sink[0].taken]


def test_every_recipient_stands_in_the_envelope():
    with smtp_sink() as (sink, port):
        smtp(port).submit(parcel(recipients=["a@x.example", "b@x.example"]), ignore)
    assert sink.taken[0].sender == "office@lantern.example"
    assert sink.taken[0].recipients == ["a@x.example", "b@x.example"]


@pytest.mark.parametrize(
    "body", ["hi\r\n.\r\nMAIL FROM:<a@b>\r\n", ".\r\n", "..\r\n.x\r\n\r\n.\r\n"]
)
def test_lines_of_a_lone_dot_arrive_and_end_nothing(body):
    mime = b"Subject: dots\r\n\r\n" + body.encode()
    with smtp_sink() as (sink, port):
        smtp(port).submit(parcel(mime), ignore)
    assert [taken.content for taken in sink.taken] == [mime]


def test_a_large_message_arrives_whole():
    mime = b"Subject: large\r\n\r\n" + b".line of text\r\n" * 300_000
    with smtp_sink(data_size_limit=10_000_000) as (sink, port):
        smtp(port).submit(parcel(mime), ignore)
    assert sink.taken[0].content == mime


# -- TLS -------------------------------------------------------------------------------------------
def test_starttls_is_used_and_the_login_goes_under_it(certificate):
    with smtp_sink(certificate=certificate, auth_required=True, auth_require_tls=True) as served:
        sink, port = served
        provider = smtp(
            port, "open sesame", smtp_security="starttls", smtp_ca_file=str(certificate)
        )
        provider.submit(parcel(), ignore)
    assert sink.logins == [("office@lantern.example", "open sesame")]
    assert len(sink.taken) == 1


def test_a_stripped_starttls_is_no_reason_to_go_on_in_the_clear():
    with Peer() as peer, refused("permanent", "does not offer STARTTLS"):
        smtp(peer.port, "open sesame", smtp_security="starttls").submit(parcel(), ignore)
    assert [line.split()[0] for line in peer.log] == ["EHLO"]


@pytest.mark.parametrize("answer", ["454 not now", "502 no", "220 yes\r\n250 injected"])
def test_a_refused_or_tampered_starttls_sends_nothing(answer):
    ehlo = "250-peer\r\n250 STARTTLS"
    with Peer(EHLO=ehlo, STARTTLS=answer) as peer, pytest.raises(ProviderError):
        smtp(peer.port, "open sesame", smtp_security="starttls").submit(parcel(), ignore)
    assert not [line for line in peer.log if line.startswith(("AUTH", "MAIL"))]


def test_implicit_tls_is_used(certificate):
    with Peer(certificate=certificate, tls=True) as peer:
        smtp(peer.port, smtp_security="tls", smtp_ca_file=str(certificate)).submit(parcel(), ignore)
    assert peer.whole[0].content == MESSAGE


def test_a_certificate_that_nobody_vouches_for_is_refused(certificate):
    with Peer(certificate=certificate, tls=True) as peer, refused("permanent", "certificate"):
        smtp(peer.port, smtp_security="tls").submit(parcel(), ignore)
    assert peer.log == []


@pytest.mark.parametrize("bad", [{"host": "mail.other.example"}, {"days": -1}])
def test_a_certificate_for_another_host_or_expired_is_refused(bad, tmp_path):
    certificate = make_certificate(tmp_path / "bad.pem", **bad)
    with Peer(certificate=certificate, tls=True) as peer, refused("permanent", "certificate"):
        smtp(peer.port, smtp_security="tls", smtp_ca_file=str(certificate)).submit(parcel(), ignore)
    assert peer.log == []


def test_a_server_without_tls_behind_a_tls_port_is_tried_again():
    with Peer() as peer, refused("transient", "TLS failed"):
        smtp(peer.port, smtp_security="tls").submit(parcel(), ignore)


# -- logging in ------------------------------------------------------------------------------------
@pytest.mark.parametrize("excluded", ["PLAIN", "LOGIN"])
def test_both_usual_ways_to_log_in_are_spoken(excluded):
    options = {"auth_require_tls": False, "auth_exclude_mechanism": [excluded]}
    with smtp_sink(**options) as (sink, port):
        smtp(port, "open sesame", username="office").submit(parcel(), ignore)
    assert sink.logins == [("office", "open sesame")]


def test_a_wrong_password_is_told():
    with smtp_sink(auth_require_tls=False) as (_, port), refused("login", "sign-in: 535"):
        smtp(port, "wrong").submit(parcel(), ignore)


def test_a_refused_login_is_told_in_the_servers_words_without_its_codes():
    said = "535-5.7.8 Not accepted.\r\n535 5.7.8 Go to support af79cd13be3570123456789b - gsmtp"
    with Peer(EHLO="250-peer\r\n250 AUTH PLAIN", AUTH=said) as peer, refused("login") as caught:
        smtp(peer.port, "open sesame").submit(parcel(), ignore)
    assert caught.value.reply == "535 5.7.8 Not accepted. 5.7.8 Go to support … - gsmtp"


def test_a_sender_who_has_to_log_in_first_is_a_refused_login():
    with Peer(MAIL="530 5.7.0 Authentication required") as peer, refused("login", "required"):
        smtp(peer.port).submit(parcel(), ignore)


def test_a_server_that_knows_no_way_to_log_in_is_refused():
    with Peer() as peer, refused("permanent", "offers no sign-in method we support"):
        smtp(peer.port, "open sesame").submit(parcel(), ignore)


def bearer(line: str) -> bytes:
    return base64.b64decode(line.split()[-1])


@pytest.mark.parametrize(
    ("offer", "said"),
    [
        ("XOAUTH2 PLAIN", b"user=a,b=c\x01auth=Bearer t0ken\x01\x01"),
        (
            "XOAUTH2 OAUTHBEARER",
            b"n,a=a=2Cb=3Dc,\x01host=127.0.0.1\x01port=%d\x01auth=Bearer t0ken\x01\x01",
        ),
    ],
)
def test_an_access_token_is_a_login(offer, said):
    with Peer(EHLO=f"250-peer\r\n250 AUTH {offer}") as peer:
        smtp(peer.port, "t0ken", auth="oauth", username="a,b=c").submit(parcel(), ignore)
    assert bearer(peer.log[1]) == (said % peer.port if b"%d" in said else said)
    assert len(peer.whole) == 1


@pytest.mark.parametrize(("offer", "end"), [("XOAUTH2", ""), ("OAUTHBEARER", "AQ==")])
def test_a_refused_token_is_told_after_its_reason_was_heard(offer, end):
    script = {"AUTH": "334 eyJzdGF0dXMiOiI0MDEifQ==", end: "535 no"}
    with (
        Peer(EHLO=f"250-peer\r\n250 AUTH {offer}", **script) as peer,
        refused("login", "sign-in: 535"),
    ):
        smtp(peer.port, "t0ken", auth="oauth").submit(parcel(), ignore)
    assert peer.log[2] == end


def test_a_token_is_not_tried_as_a_password():
    ehlo = "250-peer\r\n250 AUTH PLAIN LOGIN"
    with Peer(EHLO=ehlo) as peer, refused("permanent", "offers no sign-in method we support"):
        smtp(peer.port, "t0ken", auth="oauth").submit(parcel(), ignore)
    assert len(peer.log) == 1


@pytest.mark.parametrize(
    "echo",
    [
        "535 bad: open sesame AG9mZmljZUBsYW50ZXJuLmV4YW1wbGUAb3BlbiBzZXNhbWU=",
        "535-bad: ope\r\n535 n sesame",
        "535 bad: opensesame",
        "535-bad: b3Bl\r\n535 biBzZXNhbWU=",
    ],
)
def test_the_password_shows_in_no_error_log_or_traceback(echo, caplog):
    caplog.set_level(logging.DEBUG)
    with Peer(EHLO="250-peer\r\n250 AUTH PLAIN", AUTH=echo) as peer:
        provider = smtp(peer.port, "open sesame")
        with refused("login", "sign-in") as caught:
            provider.submit(parcel(), ignore)
    shown = f"{caught.value.words}{caught.value.reply}{caplog.text}{vars(provider)}"
    shown += "".join(traceback.format_exception(caught.value))
    assert "sesame" not in shown
    assert "c2VzYW1l" not in shown


# -- the server says no, or nothing ----------------------------------------------------------------
EARLY = ["connect", "EHLO", "MAIL", "RCPT", "DATA"]


@in_one_test("verb", [*EARLY, "dot"])
@in_one_test(
    ("answer", "kind"),
    [("451 later", "transient"), ("421 closing", "transient"), ("554 never", "permanent")],
)
def test_a_refusal_is_told_with_the_servers_words(verb, answer, kind):
    with Peer(**{verb: answer}) as peer, refused(kind, answer):
        smtp(peer.port).submit(parcel(), ignore)


@in_one_test("verb", EARLY)
@in_one_test("answer", [reset, drop, say("nonsense"), say("250-1\r\n550 2")])
def test_trouble_before_the_final_dot_is_tried_again(verb, answer):
    marks = []
    with Peer(**{verb: answer}) as peer, refused("transient"):
        smtp(peer.port).submit(parcel(), lambda: marks.append(1))
    assert (marks, peer.whole) == ([], [])


@in_one_test(
    "answer", [reset, drop, silence, say("nonsense"), say("354 more"), say("250-and\r\n250-on")]
)
def test_no_clear_answer_after_the_final_dot_is_unknown(answer):
    with Peer(dot=answer) as peer, refused("unknown"):
        smtp(peer.port, smtp_answer_timeout=0.3).submit(parcel(), ignore)
    assert len(peer.whole) == 1


@pytest.mark.parametrize("verb", ["connect", "RCPT", "DATA"])
def test_silence_ends_in_time(verb):
    with Peer(**{verb: silence}) as peer, refused("transient", "no answer in time"):
        smtp(peer.port, smtp_timeout=0.3).submit(parcel(), ignore)


def test_a_server_that_dawdles_over_every_recipient_is_left():
    def dawdle(talk):
        time.sleep(0.05)
        say("250 ok")(talk)

    many = [f"{n}@x.example" for n in range(200)]
    with Peer(RCPT=dawdle) as peer, refused("transient", "no answer in time"):
        smtp(peer.port, smtp_timeout=0.1).submit(parcel(recipients=many), ignore)
    assert "DATA" not in peer.log


def test_nobody_listening_is_tried_again():
    with Peer() as peer:
        port = peer.port
    with refused("transient"):
        smtp(port).submit(parcel(), ignore)


@in_one_test(
    ("answers", "kind"),
    [
        (["250 ok", "550 no such user"], "permanent"),
        (["450 busy", "250 ok"], "transient"),
        (["450 busy", "550 no such user"], "permanent"),
        (["250 ok", "452 4.5.3 too many recipients"], "permanent"),
        (["452 4.5.3 too many recipients", "450 busy"], "transient"),
    ],
)
def test_one_refused_recipient_and_nobody_gets_it(answers, kind):
    with Peer(RCPT=answers) as peer, refused(kind, "so nothing was sent to anyone"):
        smtp(peer.port).submit(parcel(recipients=["a@x.example", "b@x.example"]), ignore)
    assert peer.whole == []
    assert "RSET" in peer.log
    assert "DATA" not in peer.log


def test_a_refusal_between_the_text_and_the_dot_is_heard():
    # A second answer to DATA, sent ahead, must not be taken for the answer to the final dot.
    marks = []
    with Peer(DATA=say("354 go on\r\n250 taken")) as peer, refused("transient", "out of turn"):
        smtp(peer.port).submit(parcel(), lambda: marks.append(1))
    assert (marks, peer.whole) == ([], [])


@pytest.mark.parametrize("answer", [split("250-one\r\n250-two\r\n250 three"), split("250 ok", 8)])
def test_replies_in_pieces_and_of_many_lines_are_read(answer):
    with Peer(MAIL=answer, dot=answer) as peer:
        receipt = smtp(peer.port).submit(parcel(), ignore)
    assert receipt.reply.startswith("250")
    assert len(peer.whole) == 1


@in_one_test(
    "answer", [b"220 " + b"x" * 200_000, b"220-x\r\n" * 100_000, b"x" * 9000, b"", b"\xff\xfe"]
)
def test_huge_and_broken_replies_end_the_attempt(answer):
    with Peer(connect=say(answer)) as peer, refused("transient"):
        smtp(peer.port).submit(parcel(), ignore)


def test_control_characters_in_a_reply_do_not_reach_the_reader():
    with Peer(MAIL="550 no\x1b[31m\x00\x07 way\u202e") as peer, refused("permanent") as caught:
        smtp(peer.port).submit(parcel(), ignore)
    assert caught.value.reply == "550 no [31m way"


# -- pipelining ------------------------------------------------------------------------------------
PIPELINING = "250-peer\r\n250 PIPELINING"


def test_the_envelope_goes_in_one_piece_where_the_server_takes_that():
    came = []

    def serve(listener):
        talk = listener.accept()[0]
        with talk:
            for answer in ("220 peer", PIPELINING, "250 a\r\n250 b\r\n550 c"):
                talk.sendall(f"{answer}\r\n".encode())
                came.append(talk.recv(65536))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        with refused("permanent", "550 c"):
            recipients = ["a@x.example", "b@x.example"]
            smtp(listener.getsockname()[1]).submit(parcel(recipients=recipients), ignore)
    assert came[1].count(b"\r\n") == 3


def test_many_recipients_go_in_several_pieces():
    many = [f"{n}@x.example" for n in range(120)]
    with Peer(EHLO=PIPELINING) as peer:
        smtp(peer.port).submit(parcel(recipients=many), ignore)
    assert peer.whole[0].recipients == many


@in_one_test(
    ("script", "kind", "words"),
    [
        ({"MAIL": "550 not you", "RCPT": "503 no sender"}, "permanent", "550 not you"),
        ({"RCPT": ["250 ok", "550 nobody"]}, "permanent", "refused b@x.example"),
        ({"RCPT": ["421 closing", drop]}, "transient", "421 closing"),
        ({"RCPT": ["250 ok", drop]}, "transient", "closed the connection"),
        ({"RCPT": ["250 ok\r\n250 ok", "250 ok"]}, "transient", "out of turn"),
    ],
)
def test_one_refused_in_a_pipeline_and_nobody_gets_it(script, kind, words):
    marks = []
    with Peer(EHLO=PIPELINING, **script) as peer, refused(kind, words):
        provider = smtp(peer.port)
        recipients = ["a@x.example", "b@x.example"]
        provider.submit(parcel(recipients=recipients), lambda: marks.append(1))
    assert (marks, peer.whole, "DATA" in peer.log) == ([], [], False)


# -- what the server can take ----------------------------------------------------------------------
def test_a_message_over_the_servers_size_is_not_begun():
    with Peer(EHLO="250-peer\r\n250 SIZE 50") as peer, refused("permanent", "at most 50"):
        smtp(peer.port).submit(parcel(), ignore)
    assert [line.split()[0] for line in peer.log] == ["EHLO"]


def test_an_address_beyond_ascii_needs_smtputf8():
    with Peer() as peer:
        smtp(peer.port).submit(parcel(recipients=["jürgen@x.example"]), ignore)
    assert "SMTPUTF8" in peer.log[1]
    with Peer(EHLO="250 peer") as peer, refused("permanent", "SMTPUTF8"):
        smtp(peer.port).submit(parcel(recipients=["jürgen@x.example"]), ignore)


def test_text_beyond_ascii_needs_8bitmime():
    mime = MESSAGE.replace(b"Dear Ada", "Grüß Gott".encode())
    with Peer(EHLO="250-peer\r\n250 8BITMIME") as peer:
        smtp(peer.port).submit(parcel(mime), ignore)
    assert peer.log[1].endswith(" BODY=8BITMIME")
    assert peer.whole[0].content == mime
    with Peer() as peer, refused("permanent", "not ASCII"):
        smtp(peer.port).submit(parcel(mime), ignore)


def test_reports_are_asked_to_name_the_message_and_leave_out_its_text():
    with Peer(EHLO="250-peer\r\n250 DSN") as peer:
        smtp(peer.port).submit(parcel(), ignore)
        smtp(peer.port).submit(parcel(message_id="<a+b@lantern.example>"), ignore)
    mails = [line for line in peer.log if line.startswith("MAIL")]
    assert mails[0].endswith(" RET=HDRS ENVID=1@lantern.example")
    assert mails[1].endswith("<office@lantern.example>")


@in_one_test(
    "address", ["a@x>\r\nRCPT TO:<eve@evil.example", "a b@x.example", "a@x.example>", "nobody"]
)
def test_an_address_that_would_end_its_command_is_refused(address):
    with Peer() as peer, refused("permanent", "is not an address"):
        smtp(peer.port).submit(parcel(recipients=[address]), ignore)
    assert peer.log == []


@in_one_test(
    "wrong",
    [
        {"smtp_security": "plain"}, {"smtp_host": ""}, {"smtp_host": "a b"}, {"smtp_host": 3},
        {"auth": "magic"}, {"smtp_port": "25"}, {"smtp_port": 0}, {"smtp_port": 70000}, {"smtp_timeout": -1},
        {"smtp_security": "tls", "smtp_ca_file": "/does/not/exist"},
    ],
)  # fmt: skip
def test_settings_that_cannot_be_used_are_named(wrong):
    name = "smtp_ca_file" if "smtp_ca_file" in wrong else next(iter(wrong))
    with Peer() as peer, refused("permanent", name):
        smtp(peer.port, **wrong).submit(parcel(), ignore)
