"""The things that goals and mail speak of, by the words of each language; pure."""

import regex

_FLAGS = regex.IGNORECASE
# Arabic and Japanese words stand in longer ones: an article or a particle grows on to them.
_THINGS = {
    "order number": (
        r"order (?:number|no\.?|id|reference)|bestellnummer|auftragsnummer|numéro de (?:la |sa |"
        r"votre )?commande"
        r"|número de(?:l| su)? pedido|(?:ご)?注文番号|رقم (?:الطلب|طلبه|طلبها|طلبكم)"
    ),
    "invoice number": (
        r"invoice (?:number|no\.?|id)|rechnungsnummer|numéro de (?:la )?facture|número de (?:la "
        r")?factura"
        r"|請求書番号|رقم الفاتورة"
    ),
    "customer number": (
        r"customer (?:number|no\.?|id)|account number|kundennummer|numéro de client|número de "
        r"cliente"
        r"|(?:お)?(?:客様|顧客)番号|رقم العميل"
    ),
    "phone number": (
        r"(?:tele)?phone(?: number)?|telefonnummer|rückrufnummer|numéro de téléphone|(?:número "
        r"de )?teléfono"
        r"|(?:お)?電話番号|رقم (?:ال)?هاتف(?:ه|ها|كم)?"
    ),
    "address": (
        r"(?:delivery |postal |shipping |billing )?address|(?:liefer)?(?:adresse|anschrift)"
        r"|adresse(?: de livraison)?|dirección(?: de entrega)?|(?:ご)?住所|(?:ال)?عنوان(?:ه|ها|كم)?"
    ),
    "screenshot": r"screenshots?|screen shots?|bildschirmfotos?|captures? d['’]écran|capturas? "
        r"de pantalla"
    r"|スクリーンショット|لقطة (?:ال)?شاشة",
    "photo": r"photos?|pictures?|fotos?|bilder?|(?:お)?写真|(?:ال)?صور(?:ة)?",
    "receipt of purchase": (
        r"proof of purchase|sales receipt|kaufbeleg|quittung|preuve d['’]achat|comprobante de "
        r"compra"
    ),
    "delay": (
        r"delays?|late (?:reply|answer|response|delivery)|lateness|verspätung|verzögerung|"
        r"retard|retraso|demora"
        r"|(?:お)?(?:遅延|遅れ)|(?:ال)?تأخير"
    ),
    "wait": r"(?:long )?wait|waiting(?: time)?|wartezeit|attente|espera|お待たせ(?:したこと|していること)?|"
        r"(?:ال)?انتظار",
    "inconvenience": (
        r"inconvenience(?: caused)?|trouble|unannehmlichkeiten|umstände|gêne(?: occasionnée)?|désagréments?|molestias?"
        r"|inconvenientes|(?:ご)?(?:迷惑|不便)|(?:ال)?إزعاج"
    ),
    "mistake": r"mistakes?|errors?|mix-?up|fehler|irrtum|erreur|error|手違い|ミス|間違い|(?:ال)?خطأ",
    "damage": r"damage|damaged (?:item|goods|parcel)|schadens?|beschädigung|dommage|daños?|破損|"
        r"(?:ال)?ضرر",
    "outage": r"outage|downtime|ausfall|störung|panne|interrupción(?: del servicio)?|障害|انقطاع "
        r"الخدمة",
    "replacement": r"replacement|ersatz\w*|remplacement|reemplazo|sustitución|交換|(?:ال)?استبدال",
    "return": r"return|rücksendung|retour|devolución|(?:ご)?返品|(?:ال)?إرجاع",
    "application": r"(?:job )?application|bewerbung|candidature|solicitud|候補|応募|طلب التوظيف",
    "cancellation": r"cancell?ation|cancel(?:led|ing)?|stornierung|stornier\w+|kündigung|kündig\w+|annulation|annuler|cancelación|cancelar|キャンセル|"
        r"(?:ال)?إلغاء",
    "refund": (
        r"refund|(?:rück)?erstattung|rückzahlung|remboursement|reembolso|(?:ご)?返金|استرداد "
        r"(?:ال)?مبلغ|استرداد"
    ),
    "call": (
        r"(?:tele)?(?:phone |video )?(?:call|conversation)|anruf|telefonat|gespräch|appel|llamada|"
        r"お電話|(?:ال)?مكالمة"
    ),
    "visit": r"visit|besuch|visite|visita|ご?訪問|(?:ال)?زيارة",
    "meeting": (
        r"meeting|appointment|demo|interview|termine?s?|treffen|besprechung|"
        r"rendez-vous|réunion"
        r"|entretien|reunión|cita|(?:お)?打ち?合わ?せ|会議|面談|ミーティング|(?:ال)?(?:اجتماع|موعد)"
    ),
    "invitation": r"invitation|einladung|invitación|(?:ご)?(?:招待|案内)|(?:ال)?دعوة",
    "offer": (
        r"offer|quote|quotation|proposal|estimate|kostenvoranschlag|angebote?s?|offre|devis|proposition|oferta|propuesta|"
        r"presupuesto"
        r"|(?:ご)?提案|(?:お)?見積もり|(?:ال)?عرض"
    ),
    "payment": r"payment|zahlung|paiement|pago|(?:お)?支払い?|(?:ال)?(?:دفعة|دفع)",
    "invoice": r"invoice|rechnung|facture|factura|請求書|(?:ال)?فاتورة",
    "delivery": r"delivery|shipment|lieferung|livraison|entrega|配送|お届け|(?:ال)?(?:تسليم|توصيل)",
    "order": r"order|purchase|bestellung|commande|pedido|(?:ご)?注文|(?:ال)?طلب(?:ه|ها|كم|ية)?",
    "patience": r"patience|geduld|paciencia|(?:ال)?صبر(?:ه|ها|كم)?",
    "feedback": r"feedback|rückmeldung|suggestions?|commentaires?|comentarios?|(?:ご)?意見|"
        r"(?:ال)?ملاحظات",
    "help": r"help|support|hilfe|unterstützung|aide|ayuda|(?:ご)?協力|(?:ال)?مساعدة",
    "details": (
        r"(?:more |further )?(?:details|information)|einzelheiten|informationen|(?:plus de "
        r")?détails"
        r"|(?:más )?detalles|詳細|(?:ال)?تفاصيل"
    ),
    "date": r"(?:suitable |good )?(?:dates?|times?)|terminvorschlag",
    "message": (
        r"message|e-?mail|mail|nachricht|reply|courriel|mensaje|correo|(?:ご)?連絡|メール|"
        r"(?:ال)?رسالة|رسالته|رسالتها"
    ),
}  # fmt: skip
_PATTERNS = {
    name: regex.compile(rf"(?<![\p{{Latin}}\p{{M}}])(?:{words})(?![\p{{Latin}}\p{{M}}])", _FLAGS)
    for name, words in _THINGS.items()
}
_ARTICLES = regex.compile(
    r"^(?:(?:the|a|an|their|his|her|your|our|my|some|any|this|that|die|der|das|den|dem|des|"
    r"ihre?[nrms]?|seine?[nrms]?|"
    r"unsere?[nrms]?|eine?[nrms]?|le|la|les|un|une|du|de la|des|son|sa|ses|leurs?|notre|votre|"
    r"vos|el|los|las|"
    r"una?|su|sus|nuestr[oa])\s|l['’]|d['’])+",
    _FLAGS,
)


# What is asked for: "a photo", which is nothing to thank for.
ASKED_FOR = frozenset(
    {
        "order number", "invoice number", "customer number", "phone number", "address", "date",
        "screenshot", "photo", "receipt of purchase", "details",
    }
)  # fmt: skip
# What can be asked for besides, by the name of it.
ASKED_TOO = frozenset({"offer", "invoice", "feedback"})
# What is held at a time and can be confirmed, moved or cancelled.
MEETINGS = frozenset({"meeting", "call", "visit"})


def without_article(text: str) -> str:
    """Return the words without the articles and possessives before them."""
    return _ARTICLES.sub("", text.strip()).strip()


def begins_with_article(text: str) -> bool:
    """Return True if an article or a possessive stands before the words."""
    return without_article(text) != text.strip()


def thing_in(text: str) -> str:
    """Return which known thing the words name, if they name nothing besides it; else ""."""
    plain = without_article(text)
    return next((name for name, pattern in _PATTERNS.items() if pattern.fullmatch(plain)), "")


def speaks_of(name: str, text: str) -> bool:
    """Return True if the text speaks of the thing, in whatever language."""
    return _PATTERNS[name].search(text) is not None


def thing_at(text: str) -> tuple[str, str]:
    """Return which known thing the words begin to speak of, and the words without it."""
    found = [
        (match.start(), -len(match[0]), name, match)
        for name, pattern in _PATTERNS.items()
        if (match := pattern.search(text))
    ]
    if not found:
        return "", text
    *_, name, match = min(found, key=lambda it: it[:2])
    return name, f"{text[: match.start()]} {text[match.end() :]}"
