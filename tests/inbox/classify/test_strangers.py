"""What strangers' mail shows beside its words: whose the name is, where links lead, what lures."""

from dataclasses import replace

from inbox.classify import Facts, Judgement, MessageFacts, judge
from inbox.classify.links import link_hosts
from inbox.classify.names import name_belongs
from inbox.classify.reading import read_text
from inbox.classify.rules import load_rules
from inbox.operations.activities.routing import route
from tests.cases import in_one_test

STRANGER = MessageFacts(link_hosts=("go.yard.example",))


def read(title: str, content: str, sender: str, name: str, message: MessageFacts) -> Judgement:
    return judge(
        Facts(title=title, content=content, sender_email=sender, sender_name=name, message=message)
    )


@in_one_test(
    ("name", "email", "whose"),
    [
        ("Lantern Bank", "service@lanternbank.example", "domain"),
        ("LANTERN-Bank", "x@mail.lantern-bank.co.uk", "domain"),
        ("Laternen Bühne", "x@laternenbuhne.example", "domain"),
        ("Union of Lamp Makers", "news@ulm.example", "domain"),
        ("LanternBank Direct", "x@lantern.example", "domain"),
        ("Ada Byron", "ada.byron@post.example", "mailbox"),
        ("Ada Byron", "abyron@post.example", "mailbox"),
        ("Lantern Bank", "x@lanternbank.yard.example", "mailbox"),
        ("Lantern Bank", "x93@yard.example", "neither"),
        ("𝗟𝗮𝗻𝘁𝗲𝗿𝗻 Bank", "x93@yard.example", "neither"),
        ("30Lamps", "x93@yard.example", "neither"),
        # What names nobody, or is in letters that no domain is compared with, says nothing.
        ("Customer Support Team", "x93@yard.example", ""),
        ("Ihr Kundenservice", "x93@yard.example", ""),
        ("東京ランタン", "x93@yard.example", ""),
        ("", "x93@yard.example", ""),
        ("Lantern Bank", "", ""),
    ],
)
def test_whose_the_name_is(name: str, email: str, whose: str):
    assert name_belongs(name, email) == whose


def test_hosts_of_links_are_read_from_markup_and_from_no_text():
    markup = (
        '<a class=b href="https://Go.Yard.example/x?y">a</a><area href=http://two.example>'
        "<a href='https://ada@three.example:8443/'>b</a><a href=\"mailto:a@four.example\">c</a>"
        '<img src="https://five.example/p.png"> https://six.example <a href="https://two.example/z">'
    )
    assert link_hosts(markup) == ("go.yard.example", "two.example", "three.example")
    assert len(link_hosts('<a href="https://a%d.example">' * 3)) == 1
    assert link_hosts("<a " + "x " * 50_000) == ()


LURES = {
    "en": ("Your parcel is on hold", "Please pay the customs fee of your parcel within 24 hours."),
    "de": ("Ihr Paket wartet", "Ihr Konto wurde gesperrt. Bestätigen Sie Ihre Daten."),
    "fr": ("Votre colis est en attente", "Merci de régler les frais de douane de votre colis."),
    "es": ("Su paquete está retenido", "Su cuenta ha sido suspendida. Verifique su cuenta."),
    "pt": ("Sua conta será bloqueada", "Atualize seus dados para evitar o bloqueio."),
    "nl": ("Uw pakket wacht op bezorging", "Bevestig uw gegevens om het pakket te ontvangen."),
    "it": ("Il suo pacco è in attesa", "Hai vinto un premio: ritira il tuo premio."),
    "pl": ("Twoje konto zostało zablokowane", "Zweryfikuj swoje dane."),
    "ja": ("アカウントが停止されました", "ご本人様確認をお願いします。"),
    "ar": ("تم تعليق حسابك", "تحقق من حسابك"),
}


@in_one_test("language", sorted(LURES))
def test_a_name_that_is_not_the_domains_with_what_lures_is_phishing(language: str):
    title, content = LURES[language]
    found = read(title, content, "x93@yard.example", "Lantern Bank", STRANGER)
    assert found.kind.name == "phishing", found.found
    made = found.classification
    assert route(made.autonomy_tier, made.confidence) == "quarantined"


@in_one_test("language", sorted(LURES))
def test_the_same_from_who_it_names_or_whom_we_know_is_not(language: str):
    title, content = LURES[language]
    proven = replace(STRANGER, authentication="pass", authentication_results={"dmarc": "pass"})
    own = read(title, content, "service@lanternbank.example", "Lantern Bank", proven)
    assert own.kind.name != "phishing"


def test_ways_out_of_lists_prove_nothing_of_a_stranger():
    headers = {"list-unsubscribe": "<https://yard.example/u>", "feedback-id": "1:x:yard"}
    bulk = replace(STRANGER, headers=headers, list_id="offers.yard.example")
    title, content = LURES["en"]
    assert read(title, content, "x9@yard.example", "Lantern Bank", bulk).kind.name == "phishing"


def test_what_lures_is_looked_for_in_html_where_the_text_says_next_to_nothing():
    shown = "Your account has been suspended. Verify your account today."
    html = replace(STRANGER, html_text=shown)
    found = read("Hello", "View in browser", "x9@yard.example", "Lantern Bank", html)
    assert found.kind.name == "phishing"
    long = (
        "The lamps that we saw in the workshop on Monday are all ready and stand by the door now."
    )
    assert read("Hello", long, "x9@yard.example", "Lantern Bank", html).kind.name != "phishing"


def test_letters_that_only_look_latin_are_read_and_told():
    # Cyrillic letters among Latin ones.
    text = "Your \u0430cc\u043eunt has been suspended. Verify your \u0430ccount."
    found = read("Notice", text, "x9@yard.example", "", STRANGER)
    assert {"mixed_letters", "lure_account"} <= found.found.keys()
    assert found.kind.name == "phishing"
    russian = read("Вопрос", "Добрый день, как работает iPhone у вас?", "a@b.example", "", STRANGER)
    assert "mixed_letters" not in russian.found


def test_an_address_that_cannot_exist_and_answers_to_any_mailbox_are_told():
    found = read("Hello", "We look forward to it.", "desk@parcels", "", STRANGER).found
    assert "impossible_sender" in found
    elsewhere = replace(STRANGER, reply_to="someone77@gmail.com")
    found = read("Hello", "We look forward to it.", "a@yard.example", "", elsewhere).found
    assert "answers_to_mailbox" in found


@in_one_test(
    "sentence",
    [
        "The subpoena in that film was its best scene.",
        "The outage was the subject of the talk.",
        "Wholesale prices for power fell again in March.",
        "She called the film a complaint about the age.",
        "Der Ausfall war Thema des Vortrags.",
    ],
)
def test_one_word_alone_decides_nothing(sentence: str):
    found = read("Notes", sentence, "ada@hill.example", "", MessageFacts(addressed="neither"))
    assert found.classification.autonomy_tier == 2, (found.kind.name, found.found)
    assert found.classification.confidence >= 0.5


def test_a_single_word_counts_half_and_a_phrase_or_two_words_in_full():
    rules = load_rules()
    assert read_text("An outage.", rules).times["outage"] == 0.5
    assert "outage" not in read_text("The server is down.", rules).times
    assert "outage" not in read_text("An outage, one incident.", rules).times


def test_a_link_with_hardly_a_word_of_advertising_under_anothers_name_is_phishing():
    text = "Act now, limited time. Click here: https://go.yard.example/x"
    marked_up = replace(STRANGER, html_text=text)
    found = read("Special offer", text, "x9@yard.example", "Lantern Bank", marked_up)
    assert found.kind.name == "phishing"
    own = read("Special offer", text, "x9@lanternbank.example", "Lantern Bank", marked_up)
    assert own.kind.name == "advertising"


LISTS = {
    "List-Post": ("Lamps", {"list-post": "<mailto:lamps@lists.example>"}, ""),
    "the way out of Mailman": (
        "Lamps", {"list-unsubscribe": "<mailto:lamp-makers-request@lists.example?subject=out>"}, "",
    ),
    "the subject": ("Re: [lamps] Oak or ash?", {}, "lamps@lists.example"),
}  # fmt: skip
NO_LISTS = {
    "a newsletter": ("Lamps", {"list-unsubscribe": "<mailto:out-8871@yard.example>"}, ""),
    "a closed list": ("Lamps", {"list-post": "NO (newsletter)"}, ""),
    "another tag": ("[news] Lamps", {}, "lamps@lists.example"),
}


def of_a_list(name: str) -> Judgement:
    title, headers, reply_to = (LISTS | NO_LISTS)[name]
    message = replace(STRANGER, headers=headers, reply_to=reply_to, html_text="Your parcel")
    body = "Your parcel is on hold. Pay the customs fee of your parcel within 24 hours."
    return read(title, body, "x93@yard.example", "Lantern Bank", message)


@in_one_test("name", sorted(LISTS))
def test_who_writes_on_a_list_is_no_stranger_that_phishes(name: str):
    assert of_a_list(name).kind.name != "phishing"


@in_one_test("name", sorted(NO_LISTS))
def test_what_only_looks_like_a_list_is_as_any_stranger(name: str):
    assert of_a_list(name).kind.name == "phishing"


def test_a_list_makes_forged_mail_no_better():
    title, headers, _ = LISTS["List-Post"]
    forged = replace(STRANGER, headers=headers, authentication="fail")
    found = read(title, "Please verify your account.", "x93@yard.example", "Lantern Bank", forged)
    assert found.kind.name == "phishing"


def test_a_nickname_and_a_link_in_plain_text_are_no_phishing():
    text = "Act now, it is for a limited time. Click here: https://lamps.example/oak"
    plain = read("Lamp", text, "x93@yard.example", "Slacker", STRANGER)
    assert plain.kind.name == "advertising"
    marked_up = replace(STRANGER, html_text=text)
    assert read("Lamp", text, "x93@yard.example", "Slacker", marked_up).kind.name == "phishing"


def test_no_reason_names_small_words():
    text = "Could you give me some of your time? We talk, I listen, you go."
    found = read("Lamps", text, "ada@lamps.example", "Ada", MessageFacts())
    small = {name for name in found.found if load_rules().signals[name].small}
    assert len(small) >= 4
    said = str(found.classification.reasoning)
    assert "could you" in said.lower()
    assert "background" not in said
    assert "what people do" not in said
