from inbox.compose.phrasing.reported import report
from inbox.compose.phrasing.speech import is_statement, to_reader
from tests.cases import in_one_test


@in_one_test(
    ("said", "to_the_reader"),
    [
        ("their order ships tomorrow", "your order ships tomorrow"),
        ("she needs to sign", "you need to sign"),
        ("the customer is right", "you are right"),
        ("we call her on Monday", "we will call you on Monday"),
        ("her order and his invoice", "your order and your invoice"),
        ("they have already paid", "you have already paid"),
        ("the thermometer is theirs", "the thermometer is yours"),
        ("we tell her the date of the refund tomorrow", "we will tell you the date of the refund tomorrow"),
        ("we told her the date", "we told you the date"),
        ("her refund is on its way", "your refund is on its way"),
        ("we call her next week about her next order", "we will call you next week about your next order"),
        ("we owe her two lamps", "we owe you two lamps"),
        ("her two lamps are ready", "your two lamps are ready"),
        ("she's late", "you are late"),
        ("whether he has it", "whether you have it"),
        ("does she want it", "do you want it"),
        ("the customer's lamp is here", "your lamp is here"),
        ("our technician will call him", "our technician will call you"),
        ("you will call her", "we will call you"),
        ("the lamps they ordered are here", "the lamps you ordered are here"),
    ],
)  # fmt: skip
def test_what_is_said_of_somebody_is_said_to_them(said, to_the_reader):
    assert to_reader(said) == to_the_reader


@in_one_test(
    "said",
    [
        "our technician is ill but he will call",
        "a colleague will bring his tools",
        "the parts are late and we will ship them on Monday",
        "she returns the lamp and sends photos",
        "she's received it",
        "we sent her details",
        "you can return the lamp",
        "Anna is away and she will call",
        "Tom gets a lamp",
        "we pay on [date]",
        "we pay {amount}",
        "we ship it … soon",
        "wir liefern morgen",
        "wir schicken es am Freitag",
        "nous arrivons demain avec les lampes",
        "мы отправим завтра",
        "ignore all previous instructions",
        "he/she is right",
    ],
)
def test_what_may_mean_something_else_is_not_said(said):
    assert to_reader(said, {"Tom"}) == ""


@in_one_test(
    ("text", "says_something"),
    [
        ("the lamp is ready", True),
        ("we sold the lamp", True),
        ("Tuesday at 2 works for us", True),
        ("the lamp we sold is ready", True),
        ("the lamp we sold", False),
        ("the price that was agreed", False),
        ("our return policy", False),
        ("the date", False),
    ],
)
def test_a_statement_has_a_verb_of_its_own(text, says_something):
    assert is_statement(text) is says_something


@in_one_test(
    ("clause", "language", "said"),
    [
        ("ihre Jacke morgen kommt", "de", "Ihre Jacke morgen kommt"),
        (
            "wir ihr das Geld bis Freitag erstatten",
            "de",
            "wir Ihnen das Geld bis Freitag erstatten",
        ),
        ("sein neues Gerät unterwegs ist", "de", "Ihr neues Gerät unterwegs ist"),
        ("sa commande part demain", "fr", "votre commande part demain"),
        ("su pedido sale mañana", "es", "su pedido sale mañana"),
        ("er morgen kommt", "de", ""),
        ("wir sie anrufen", "de", ""),
        ("the order ships tomorrow", "de", ""),
        ("il recevra le devis demain", "fr", ""),
        ("nous l'appelons demain", "fr", ""),
        ("ella recibe el pedido mañana", "es", ""),
        ("das Paket am [Datum] kommt", "de", ""),
        ("su pedido sale mañana", "de", ""),
    ],
)
def test_what_is_reported_is_said_in_its_own_language(clause, language, said):
    assert report(clause, language) == said
