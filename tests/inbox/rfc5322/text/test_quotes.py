"""What is new in a message."""

import time

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
    "Ann Brook@HILL\n03/02/2026 10:22 PM\nTo: Kim Vale/LON/HILL@HILL, Joe\nVale/LON/HILL@HILL\ncc:  \nSubject: x\n\nold",
    "Ann Brook\n\n02.03.2026 10:22\n\nAn: Kim Vale/HILL\nKopie:\nThema: x\n\nalt",
    "\tAnn Brook\n\tSent by: Joe Vale\n\t03/02/2026 10:22 AM\n\t\t \n\t\t To: Kim\n\t\t cc: \n\t\t Subject: x\n\nold",
    "Ann Brook\n03/02/2026 10:22 AM\nSent by: Joe Vale\nTo: Kim\ncc:\nSubject: x\n\nold",
    '"Ann Brook" <ann@brook.example> on 03/02/2026 10:22:41 PM\nPlease respond to <ann@brook.example>\n\nTo: Kim\ncc:\nSubject: x\n\nold',
    "ann@brook.example on 03/02/2026 10:22:41 PM\nTo: Kim\ncc:  \n\nSubject: x\n\nold",
    "Ann Brook @ HILL                03/02/2026 10:22 AM\nTo: Kim\ncc:\nSubject: x\n\nold",
    "---------------------- Forwarded by Ann Brook/LON/HILL on 03/02/2026 10:22\nAM ---------------------------\n\nold",
    "From: Ann Brook on 03/02/2026 10:22 AM\nTo: "
    + "Kim Vale/LON/HILL@HILL,\n" * 30
    + "Joe@HILL\ncc:\nSubject: x\n\nold",
    "От: Анна\nОтправлено: понедельник\nКому: Ким\nТема: x\n\nстарое",
    "Kimden: Ann\nGönderildi: Pazartesi\nKime: Kim\nKonu: x\n\neski",
    "Lähettäjä: Ann\nLähetetty: maanantai\nVastaanottaja: Kim\nAihe: x\n\nvanha",
    "Feladó: Ann\nElküldve: hétfő\nCímzett: Kim\nTárgy: x\n\nrégi",
    "Van: Ann\nVerzonden: maandag\nAan: Kim\nOnderwerp: x\n\noud",
    "Da: Ann\nInviato: lunedì\nA: Kim\nOggetto: x\n\nvecchio",
    "Od: Ann\nWysłano: poniedziałek\nDo: Kim\nTemat: x\n\nstare",
    "מאת: אן\nנשלח: יום שני\nאל: קים\nנושא: x\n\nישן",
    "보낸 사람: 앤\n보낸 날짜: 월요일\n받는 사람: 킴\n제목: x\n\n이전",
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
def test_no_line_that_may_begin_history_is_passed_over_by_its_first_characters(first: str):
    """The quick look at the first characters never says no where the pattern says yes."""
    starts = [text.partition("\n")[0] for text in HISTORIES]
    lines = [first + start[cut:] for start in starts for cut in (0, 1)]
    begun = [line for line in lines if "<" not in line and marks.MAY_START_HISTORY.match(line)]
    assert all(marks.may_begin(line.lstrip()[:size]) for line in begun for size in range(1, 8))


@in_one_test(
    "line",
    ["Sent from my iPhone", "Von meinem iPhone gesendet", "Get Outlook for iOS<https://aka.ms/o>",
     "Envoyé de mon iPhone"],
)  # fmt: skip
def test_no_line_that_may_begin_a_signature_is_passed_over_by_its_first_characters(line: str):
    assert marks.MOBILE_SIGNATURE.match(line)
    assert all(marks.may_sign(line[:size]) for size in range(1, 8))
    assert new_text(f"Thank you.\n\n  {line} \n") == "Thank you."


FORWARDED = """---------------------- Forwarded by Ann Brook/LON/HILL on 03/02/2026 10:22
AM ---------------------------

"Joe Vale" <joe@vale.example> on 03/01/2026 09:00:00 AM
To: Ann Brook/LON/HILL@HILL, Kim
Hill/LON/HILL@HILL
cc:
Subject: Lamps

The lamps cost 400 EUR.
Please order by Friday.
"""


def test_of_what_is_only_forwarded_the_words_stay_and_no_header():
    assert new_text(FORWARDED) == "The lamps cost 400 EUR.\nPlease order by Friday."
    outlook = "From: Joe\nSent: Monday\nTo: Ann\nSubject: Lamps\n\nThe lamps cost 400 EUR."
    assert new_text(outlook) == "The lamps cost 400 EUR."
    # A header alone is all there is.
    assert new_text("From: Joe\nSent: Monday\nTo: Ann\nSubject: Lamps") != ""


@in_one_test(
    "text",
    [
        "The train leaves at\n03/02/2026 10:22 AM\nand is full.",
        "Dates:\n03/02/2026 10:22 AM\nTo: be told.\nThe end of it.",
        "Hall open\n03/02/2026 10:22\n04/02/2026 10:22\nSubject: to change.",
    ],
)
def test_a_date_that_is_no_header_begins_no_history(text: str):
    assert new_text(text) == text


def test_many_dates_and_fields_take_no_long_time():
    hostile = "\t\n03/02/2026 10:22 AM\nTo: x@y,\n" * 20_000
    start = time.process_time()
    assert new_text(hostile)
    assert time.process_time() - start < 5
