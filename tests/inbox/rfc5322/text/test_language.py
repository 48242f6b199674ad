"""The language of a text."""

from inbox.rfc5322.text.language import detect_language
from tests.cases import in_one_test


@in_one_test(
    ("text", "language"),
    [
        ("Thank you for the offer, we would like to order two of them.", "en"),
        ("Vielen Dank für das Angebot, wir möchten zwei davon bestellen.", "de"),
        ("Merci pour votre offre, nous voulons en commander deux.", "fr"),
        ("Gracias por la oferta, nos gustaría pedir dos para la oficina.", "es"),
        ("Grazie per il preventivo, vorremmo ordinare due sedie per il nostro ufficio.", "it"),
        ("Bedankt voor het aanbod, wij willen er graag twee van bestellen.", "nl"),
        ("Obrigado pela oferta, não queremos mais de duas para o escritório.", "pt"),
        ("見積もりをありがとうございます。二つ注文します。", "ja"),
        ("谢谢您的报价，我们想订购两个。", "zh"),
        ("견적 감사합니다. 두 개 주문하겠습니다.", "ko"),
        ("شكرا على العرض، نود أن نطلب اثنين.", "ar"),
        ("Спасибо за предложение, мы хотим заказать два.", "ru"),
        ("תודה על ההצעה, נרצה להזמין שניים.", "he"),
        ("Tack för offerten, vi vill gärna beställa två av dem och det är bra", "sv"),
        ("", ""),
        ("12345 67890", ""),
        ("x = a + b; y = c", ""),
    ],
)
def test_a_language_is_told_by_script_and_words(text: str, language: str):
    assert detect_language(text) == language
