"""What is new in a message."""

from inbox.rfc5322.parse import parse_message
from inbox.rfc5322.text import quote_marks as marks
from inbox.rfc5322.text.quotes import new_text
from tests.cases import in_one_test

HISTORIES = [
    "On Mon, 2 Mar 2026 at 10:00, Ann Brook <ann@brook.example> wrote:\n> old",
    "On Mon, 2 Mar 2026 at 10:00, Ann Brook\n<ann@brook.example> wrote:\n\n> old",
    "On 02/03/2026 10:00, Ann Brook wrote:\nold without marks",
    "Am 02.03.2026 um 10:00 schrieb Ann Brook:\n> alt",
    "Am Mo., 2. März 2026 um 10:00 Uhr schrieb Ann Brook <ann@brook.example>:\nalt",
    "Le lun. 2 mars 2026 à 10:00, Ann Brook <ann@brook.example> a écrit :\n> ancien",
    "El lun, 2 mar 2026 a las 10:00, Ann Brook (<ann@brook.example>) escribió:\n> viejo",
    "Il giorno lun 2 mar 2026 alle ore 10:00 Ann Brook <ann@brook.example> ha scritto:\n> v",
    "Op ma 2 mrt 2026 om 10:00 schreef Ann Brook <ann@brook.example>:\n> oud",
    "2026年3月2日(月) 10:00 Ann Brook <ann@brook.example>:\n> 古い",
    "2026/03/02 10:00、Ann Brook <ann@brook.example>のメール:\n> 古い",
    "في الاثنين، 2 مارس 2026 في 10:00 ص كتب Ann Brook <ann@brook.example>:\n> قديم",
    "Ann Brook wrote:\n> old",
    "-----Original Message-----\nFrom: Ann Brook\nold",
    "-----Ursprüngliche Nachricht-----\nVon: Ann Brook\nalt",
    "---------- Forwarded message ---------\nFrom: Ann Brook <ann@brook.example>\nold",
    "-------- Message d'origine --------\nDe : Ann Brook\nancien",
    "Begin forwarded message:\n\nFrom: Ann\nold",
    "________________________________\nFrom: Ann Brook\nSent: Monday, 2 March 2026\nTo: Kim\nSubject: x\n\nold",
    "*From:* Ann Brook\n*Sent:* Monday\n*To:* Kim\n*Subject:* x\n\nold",
    "Von: Ann Brook\nGesendet: Montag\nAn: Kim\nBetreff: x\n\nalt",
    "De : Ann Brook\nEnvoyé : lundi\nÀ : Kim\nObjet : x\n\nancien",
    "De: Ann Brook\nEnviado el: lunes\nPara: Kim\nAsunto: x\n\nviejo",
    "差出人: Ann Brook\n送信日時: 2026年3月2日\n宛先: Kim\n件名: x\n\n古い",
    "من: Ann Brook\nتاريخ الإرسال: الاثنين\nإلى: Kim\nالموضوع: x\n\nقديم",
    "> old\n>> older",
]


@in_one_test("history", HISTORIES)
def test_history_is_left_out(history: str):
    assert new_text(f"Thank you, that works.\n\n{history}\n") == "Thank you, that works."


@in_one_test("history", HISTORIES)
def test_history_alone_stays(history: str):
    assert new_text(history)


@in_one_test(
    "signature",
    [
        "-- \nAnn Brook\nBrook Ltd",
        "--\nAnn Brook",
        "Sent from my iPhone",
        "Von meinem iPhone gesendet",
        "Envoyé de mon iPhone",
        "Enviado desde mi iPhone",
        "iPhoneから送信",
        "Get Outlook for iOS<https://aka.example/o>",
        "أُرسلت من الـ iPhone",
        "_______________________________________________\nChairs mailing list\nchairs@lists.example",
    ],
)
def test_a_signature_is_left_out(signature: str):
    assert new_text(f"Thank you.\n\n{signature}\n") == "Thank you."


def test_answers_between_quotes_stay():
    text = (
        "Hi Ann,\n\nOn Monday 2 March 2026 Ann wrote:\n> First?\nYes.\n\n> Second?\n\nNo.\n\nKim\n"
    )
    assert new_text(text) == "Hi Ann,\n\nYes.\n\nNo.\n\nKim"


def test_answers_between_named_quotes_stay():
    text = "Ann> one\nAnn> two\nAnn> three\n\nAgreed.\n"
    assert new_text(text) == "Agreed."


@in_one_test(
    "text",
    [
        "On Monday we wrote:\nnothing at all about it.",
        "From: here to there is a long way.\nTomorrow we go.",
        "The list:\n--\nfirst part\n" + "more\n" * 50,
        "In 2026 he wrote a book.\nIt was good.",
        "a > b and c < d",
        "To be, or not to be: that is what Hamlet said",
    ],
)
def test_what_only_looks_like_history_stays(text: str):
    assert new_text(text) == text.strip()


@in_one_test(
    "quoted",
    [
        '<div class="gmail_quote"><div class="gmail_attr">On Monday Ann wrote:</div><blockquote>old</blockquote></div>',
        '<div class="moz-cite-prefix">Am 2.3. schrieb Ann:</div><blockquote type="cite">alt</blockquote>',
        '<div id="divRplyFwdMsg"><b>From:</b> Ann</div><div>old</div>',
        '<div class="OutlookMessageHeader">From: Ann</div><p>old</p>',
        '<blockquote type="cite">old</blockquote>',
        '<div class="yahoo_quoted">old</div>',
        '<div class="gmail_signature">Kim Lee</div>',
        "<div><b>From:</b> Ann<br><b>Sent:</b> Monday<br><b>To:</b> Kim<br><b>Subject:</b> x<br>old</div>",
        "<p>-----Original Message-----</p><p>old</p>",
    ],
)
def test_history_in_html_is_left_out(quoted: str):
    raw = f"Content-Type: text/html\n\n<p>Thank you.</p>{quoted}"
    parsed = parse_message(raw.encode())
    assert parsed.new_text == "Thank you."
    assert len(parsed.text) > len(parsed.new_text)


@in_one_test("line", ["On Monday 2 ", "From: x", "-- ", "--", "_", "> ", "On 2026 wrote", "Ann> "])
def test_repeated_lines_take_linear_time(line: str):
    new_text(f"{line}\n" * 20_000)


@in_one_test("first", [chr(code) for code in range(33, 128)])
def test_no_line_that_may_begin_history_is_passed_over_by_its_first_character(first: str):
    """The quick look at the first character never says no where the pattern says yes."""
    starts = [text.partition("\n")[0] for text in HISTORIES]
    lines = [first + start[cut:] for start in starts for cut in (0, 1)]
    begun = [line for line in lines if "<" not in line and marks.MAY_START_HISTORY.match(line)]
    assert not begun or first in marks.first_characters()
