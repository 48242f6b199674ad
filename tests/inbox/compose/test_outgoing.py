from inbox.compose.outgoing import plain_name, reply_subject
from tests.cases import in_one_test


@in_one_test(
    ("subject", "reply"),
    [
        ("Lamp", "Re: Lamp"),
        ("Re: Lamp", "Re: Lamp"),
        ("RE: re: Re : Lamp", "Re: Lamp"),
        ("AW: Re: SV: Lampe", "Re: Lampe"),
        ("Antwort: Antw: Lampe", "Re: Lampe"),
        ("Re[2]: Lamp", "Re: Lamp"),
        ("Re^3: Lamp", "Re: Lamp"),
        ("回复: 答复: 灯", "Re: 灯"),
        ("Re\uff1a注文の件", "Re: 注文の件"),
        ("رد: مصباح", "Re: مصباح"),
        ("Re: [team] Re: Lamp", "Re: [team] Lamp"),
        ("[team] Re: Lamp", "Re: [team] Lamp"),
        ("Fwd: Lamp", "Re: Fwd: Lamp"),
        ("Reference: 12", "Re: Reference: 12"),
        ("Ref: 12", "Re: Ref: 12"),
        ("Retour: 12", "Re: Retour: 12"),
        ("Regarding Re: x", "Re: Regarding Re: x"),
        ("", "Re:"),
        ("Re:", "Re:"),
        ("Two\r\n lines\u202e", "Re: Two lines"),
    ],
)
def test_a_reply_is_marked_once(subject, reply):
    assert reply_subject(subject) == reply


def test_a_long_subject_is_cut():
    assert len(reply_subject("re: " * 50_000 + "x" * 5000)) == 998


def test_a_name_is_one_line_and_no_address():
    assert plain_name(" Ada\n Byron ") == "Ada Byron"
    assert plain_name("ceo@lantern.example") == ""
