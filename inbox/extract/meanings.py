"""Words that mean the same, for choices and yes-or-no fields; pure data."""

import regex

# The word of a schema → expressions for it in a text.
SYNONYMS = {
    "placed": r"placed|ordered|bestellt|commandé\w*",
    "confirmed": (
        r"confirm(?:ed|s|ation)?|bestätig\w+|confirmé\w*|confirmad\w+|確認(?:済|しました)|مؤكد|"
        r"تأكيد"
    ),
    "shipped": (
        r"shipped|dispatched|on its way|sent out|versandt|versendet|verschickt|"
        r"unterwegs|expédié\w*|enviad\w+|発送|出荷|شحن"
    ),
    "delivered": (
        r"delivered|arrived|zugestellt|geliefert|angekommen|livré\w*|entregad\w+|到着|"
        r"届きました|届いた|وصل\w*|تسليم"
    ),
    "delayed": (
        r"delay\w*|late|overdue|verspät\w*|verzöger\w*|en retard|retard\w*|retras\w+|遅れ|"
        r"遅延|متأخر|تأخير|تأخر"
    ),
    "cancelled": (
        r"cancel\w*|storni\w*|abgesagt|absag\w*|kündig\w*|annul\w*|cancelad\w*|キャンセル|取消|"
        r"إلغاء|ألغي"
    ),
    "returned": (
        r"return(?:ed|ing)?|sent back|send back|zurückgeschickt|zurücksend\w*|"
        r"zurückgesandt|retour\w*|renvoy\w*|devuelt\w*|返品|إرجاع"
    ),
    "refund": (
        r"refund\w*|money back|reimburs\w*|erstatt\w*|geld zurück|rückerstattung|"
        r"rückzahlung|rembours\w+|reembols\w+|devolución del dinero|返金|払い戻し|استرداد|"
        r"استرجاع"
    ),
    "replacement": (
        r"replac\w*|new one|ersatz\w*|austausch\w*|umtausch\w*|remplac\w+|reemplaz\w+|"
        r"交換|استبدال"
    ),
    "exchange": r"exchang\w*|swap|umtausch\w*|tausch\w*|échang\w+|cambi(?:o|ar)|交換|استبدال|تبديل",
    "repair": (
        r"repair\w*|fix(?:ed|ing)?|reparatur\w*|reparier\w*|répar\w+|reparaci\w+|"
        r"reparar|修理|إصلاح|تصليح"
    ),
    "complaint": (
        r"complain\w*|beschwer\w*|reklam\w*|réclam\w+|plainte|queja|reclam\w+|苦情|クレーム|"
        r"شكوى"
    ),
    "question": (
        r"question\w*|wondering|could you tell|frage\w*|question|pregunta\w*|質問|سؤال|"
        r"استفسار"
    ),
    "urgent": (
        r"urgen\w*|asap|as soon as possible|immediately|right away|at once|dringend\w*|"
        r"eilig|eilt|sofort|umgehend|so schnell wie möglich|dès que possible|"
        r"immédiat\w*|lo antes posible|inmediat\w+|至急|緊急|大至急|عاجل|بأسرع وقت|فورا"
    ),
    "high": (
        r"high(?:est)?|urgen\w*|asap|critical|hoch|hohe[rn]?|dringend|haute|élevée?|"
        r"alta|高|عالية|عاجل"
    ),
    "critical": r"critical|production down|outage|kritisch|critique|crítico|緊急|حرج",
    "low": (
        r"low|no rush|whenever|not urgent|niedrig|gering|keine eile|nicht eilig|basse|"
        r"faible|baja|低|منخفض"
    ),
    "medium": r"medium|normal|mittel|moyenne|media|中",
    "broken": (
        r"broken|damaged|defective|faulty|cracked|does(?:n['’]t| not) (?:work|turn on|"
        r"start)|kaputt|beschädigt|defekt|funktioniert nicht|zerbrochen|cassé\w*|"
        r"endommagé\w*|abîmé\w*|défectueu\w+|rot[oa]|dañad\w+|defectuos\w+|破損|壊れ|故障|不良|"
        r"مكسور|تالف|معطل|معيب"
    ),
    "missing": (
        r"missing|never arrived|not (?:been )?(?:received|arrived)|fehlt|fehlen\w*|"
        r"nicht (?:angekommen|erhalten)|manqu\w+|pas reçu|falta\w*|no (?:ha "
        r")?(?:llegado|recibido)|届いていない|届きません|不足|مفقود|ناقص|لم يصل"
    ),
    "wrong": r"wrong|incorrect|falsch\w*|erroné\w*|incorrect\w*|equivocad\w+|間違|違う|خطأ|خاطئ",
    "paid": (
        r"paid|payment (?:made|received|sent)|bezahlt|überwiesen|beglichen|payé\w*|"
        r"réglé\w*|pagad\w+|支払い?済|お支払い済|入金済|振り込みました|مدفوع|دفعت|تم الدفع|سددت"
    ),
    "unpaid": (
        r"unpaid|outstanding|overdue|not (?:yet )?(?:been )?paid|unbezahlt|offen\w*|"
        r"überfällig|noch nicht bezahlt|impayé\w*|pendiente|未払い|غير مدفوع"
    ),
    "online": (
        r"online|video ?(?:call|conference|konferenz|anruf)|zoom|teams|google meet|"
        r"webex|skype|remote\w*|virtual\w*|virtuell|visio\w*|videollamada|オンライン|ウェブ会議|"
        r"عن بعد|عبر الإنترنت|زوم"
    ),
    "phone": (
        r"(?:phone|telephone)(?: call)?|by phone|call me|telefon\w*|anrufen|téléphone|"
        r"teléfono|電話|هاتف|اتصال"
    ),
    "onsite": (
        r"on[- ]?site|in person|at (?:our|your) (?:office|place)|vor ort|persönlich|sur "
        r"place|en persona|presencial|対面|現地|حضوري"
    ),
    "in person": (
        r"on[- ]?site|in person|at (?:our|your) (?:office|place)|vor ort|persönlich|sur "
        r"place|en personne|en persona|presencial|対面|حضوري"
    ),
    "credit card": (
        r"credit ?card|visa|mastercard|kreditkarte|carte (?:bancaire|de crédit)|tarjeta|"
        r"クレジットカード|カード払い|بطاقة ائتمان|بالبطاقة"
    ),
    "bank transfer": (
        r"bank ?transfer|wire(?: transfer)?|überweis\w+|banküberweisung|virement|"
        r"transferencia|銀行振込|振込|振り込み|تحويل بنكي|حوالة"
    ),
    "paypal": r"paypal",
    "cash": r"cash|bar(?:zahlung)?|espèces|efectivo|現金|نقدا",
    "invoice": r"invoice\w*|rechnung\w*|facture\w*|factura\w*|請求書|فاتورة",
    "direct debit": r"direct debit|lastschrift\w*|sepa|einzug|prélèvement|domiciliación|口座振替",
    "yes": r"yes|sure|agreed|ja|gern|oui|d['’]accord|sí|claro|はい|了解|承知|نعم|موافق",
    "no": r"no|nope|decline|nein|leider nicht|non|いいえ|لا",
    "accepted": (
        r"accept\w*|agree\w*|yes|angenommen|annehmen|zusage\w*|passt|accepté\w*|"
        r"aceptad\w+|承諾|承知|موافق|قبول"
    ),
    "declined": (
        r"declin\w*|reject\w*|can(?:no|['’])t (?:make|attend|come)|unable to (?:attend|"
        r"come|make)|abgelehnt|ablehn\w*|absage\w*|refus\w+|rechaz\w+|お断り|辞退|欠席|رفض|"
        r"اعتذر"
    ),
    "tentative": (
        r"tentativ\w*|maybe|perhaps|vielleicht|unter vorbehalt|peut-être|quizás|tal vez|"
        r"仮|ربما"
    ),
    "positive": (
        r"thank\w*|great|love\w*|happy|excellent|perfect|wonderful|danke\w*|super|toll|"
        r"zufrieden|perfekt|merci|parfait|ravie?|gracias|excelente|encantad\w+|ありがとう|満足|"
        r"素晴らしい|شكرا|ممتاز|رائع"
    ),
    "negative": (
        r"disappoint\w*|angry|unacceptable|terrible|awful|worst|frustrat\w*|"
        r"enttäusch\w*|ärger\w*|unzufrieden|inakzeptabel|déçue?|inadmissible|"
        r"mécontent\w*|decepcionad\w+|inaceptable|残念|不満|ひどい|محبط|غير مقبول|سيئ|مستاء"
    ),
    "german": r"german|deutsch\w*|allemand|alemán|ドイツ語|ألمانية",
    "english": r"english|englisch\w*|anglais|inglés|英語|إنجليزية",
    "vegetarian": (
        r"vegetarian\w*|vegetarisch\w*|vegetarier\w*|végétarien\w*|vegetarian\w+|ベジタリアン|"
        r"نباتي"
    ),
    "vegan": r"vegan\w*|végan\w*|vegan[oa]s?|ヴィーガン",
    "red": r"red|rot(?:e[rns]?)?|rouge|roj[oa]|赤|أحمر",
    "blue": r"blue|blau\w*|bleue?|azul|青|أزرق",
    "green": r"green|grün\w*|verte?|verde|緑|أخضر",
    "black": r"black|schwarz\w*|noire?|negr[oa]|黒|أسود",
    "white": r"white|weiß\w*|blanc\w*|blanc[oa]|白|أبيض",
    "yellow": r"yellow|gelb\w*|jaune|amarill[oa]|黄|أصفر",
    "small": r"small|klein\w*|petite?|pequeñ[oa]|小|صغير",
    "large": r"large|big|groß\w*|grande?|大|كبير",
    "express": r"express|overnight|next[- ]day|eilzustellung|exprès|urgente|速達|سريع",
    "standard": r"standard|regular|normal\w*|estándar|通常|عادي",
    "pickup": r"pick\W?up|collect\w*|abhol\w*|retrait|recog\w+|引き取り|استلام",
    "delivery": r"deliver\w*|liefer\w*|livr\w+|entreg\w+|配達|配送|توصيل",
    "monthly": r"month(?:ly)?|monatlich\w*|mensuel\w*|mensual\w*|毎月|月払い|شهري",
    "yearly": r"year(?:ly)?|annual\w*|jährlich\w*|annuel\w*|anual\w*|年払い|毎年|سنوي",
    "annual": r"year(?:ly)?|annual\w*|jährlich\w*|annuel\w*|anual\w*|年払い|سنوي",
    "weekly": r"week(?:ly)?|wöchentlich\w*|hebdomadaire\w*|semanal\w*|毎週|أسبوعي",
    "outage": (
        r"outage|down|offline|unavailable|unreachable|ausfall|ausgefallen|nicht "
        r"erreichbar|panne|hors service|caíd[oa]|障害|停止|つながらない|انقطاع|متوقف|معطل"
    ),
    "bug": r"bug|error|crash\w*|fehler\w*|absturz|stürzt|erreur|plante|fallo|エラー|不具合|خطأ|عطل",
    "billing": (
        r"bill\w*|invoice\w*|charg\w*|rechnung\w*|abbuchung|facturation|facture\w*|"
        r"factura\w*|cobro|請求|فاتورة|فوترة"
    ),
    "technical": (
        r"technical|error|bug|crash\w*|outage|login|technisch\w*|fehler|technique|"
        r"técnic\w+|技術|エラー|تقني|فني"
    ),
    "sales": (
        r"quot\w*|offer|price|pricing|buy|purchase|angebot|preis\w*|kaufen|devis|"
        r"tarif\w*|presupuesto|precio\w*|見積|購入|عرض سعر|سعر"
    ),
    "attachment": (
        r"attach\w*|enclosed|anhang|anbei|angehängt|beigefügt|pièce jointe|ci-joint\w*|"
        r"adjunt\w*|添付|مرفق"
    ),
    "recurring": (
        r"recurring|every (?:week|month|day|monday|tuesday|wednesday|thursday|friday)|"
        r"weekly|monthly|regelmäßig\w*|jede[nrs]? (?:woche|monat|montag|dienstag|"
        r"mittwoch|donnerstag|freitag)|wöchentlich|récurrent\w*|chaque (?:semaine|mois)|"
        r"cada (?:semana|mes)|毎週|毎月|أسبوعيا|شهريا"
    ),
    "callback": (
        r"call (?:me|us) back|give (?:me|us) a (?:call|ring)|(?:please )?call me|"
        r"zurückrufen|rückruf\w*|rufen sie mich|rappel\w+|llám\w+|折り返し|お電話ください|اتصل بي|"
        r"معاودة الاتصال"
    ),
    "available": (
        r"available|availability|free on|verfügbar\w*|frei|disponible\w*|空いて|在庫あり|متاح|"
        r"متوفر"
    ),
    "parking": r"parking|car ?park|parkplatz|parkplätze|stationnement|aparcamiento|駐車場|موقف",
    "breakfast": r"breakfast|frühstück\w*|petit[- ]déjeuner|desayuno|朝食|إفطار|فطور",
    "newsletter": r"newsletter|mailing list|ニュースレター|メルマガ|النشرة",
    "unsubscribe": (
        r"unsubscribe|opt[- ]?out|remove me|abmelden|abbestell\w*|désinscri\w+|"
        r"désabonn\w+|darme de baja|配信停止|إلغاء الاشتراك"
    ),
    "warranty": r"warrant\w*|guarantee|garantie\w*|gewährleistung|garantía|保証|ضمان",
    "insurance": r"insur\w*|versicher\w*|assuranc\w+|segur\w+|保険|تأمين",
    "discount": r"discount\w*|rabatt\w*|nachlass|remise|réduction|descuento|割引|خصم",
    "wheelchair": r"wheelchair|rollstuhl\w*|fauteuil roulant|silla de ruedas|車椅子|كرسي متحرك",
    "pets": (
        r"pets?|dogs?|cats?|hund\w*|katze\w*|haustier\w*|animaux|chiens?|mascotas?|"
        r"perros?|ペット|犬|حيوان"
    ),
    "accept": r"accept\w*|agree\w*|zusage\w*|einverstanden|accept\w*|acept\w*|承諾|أوافق|موافق",
    "attending": (
        r"attend\w*|will (?:come|be there|join)|be there|join\w*|teilnehm\w*|"
        r"komme(?:n)?|dabei|participer\w*|serai là|asist\w+|出席|参加|سأحضر|الحضور"
    ),
    "legal": (
        r"lawyer|attorney|legal action|court|sue|anwalt\w*|rechtlich\w*|gericht|klage|"
        r"avocat|justice|abogad\w+|demanda|弁護士|法的|محامي|قانوني"
    ),
}
_ALIASES = {
    "canceled": "cancelled",
    "cancellation": "cancelled",
    "cancel": "cancelled",
    "damaged": "broken",
    "damage": "broken",
    "defective": "broken",
    "defect": "broken",
    "faulty": "broken",
    "late": "delayed",
    "delay": "delayed",
    "return": "returned",
    "replace": "replacement",
    "remote": "online",
    "virtual": "online",
    "video": "online",
    "video call": "online",
    "telephone": "phone",
    "call": "phone",
    "card": "credit card",
    "creditcard": "credit card",
    "transfer": "bank transfer",
    "wire": "bank transfer",
    "sepa": "direct debit",
    "normal": "medium",
    "sent": "shipped",
    "dispatched": "shipped",
    "in transit": "shipped",
    "accepts": "accepted",
    "rejected": "declined",
    "inquiry": "question",
    "enquiry": "question",
    "refunded": "refund",
    "repaired": "repair",
    "urgency": "urgent",
    "asap": "urgent",
    "on site": "onsite",
    "open": "unpaid",
    "attachments": "attachment",
    "attends": "attending",
    "attend": "attending",
    "attendance": "attending",
    "call back": "callback",
    "emergency": "urgent",
    "pick up": "pickup",
    "collection": "pickup",
    "incorrect": "wrong",
    "wrong item": "wrong",
    "missing item": "missing",
    "not delivered": "missing",
    "technical support": "technical",
    "bestellt": "placed",
    "versandt": "shipped",
    "geliefert": "delivered",
    "storniert": "cancelled",
    "dringend": "urgent",
    "hoch": "high",
    "niedrig": "low",
    "mittel": "medium",
    "überweisung": "bank transfer",
    "kreditkarte": "credit card",
    "rechnung": "invoice",
    "lastschrift": "direct debit",
    "bezahlt": "paid",
    "beschwerde": "complaint",
    "frage": "question",
    "erstattung": "refund",
    "bestätigt": "confirmed",
    "kaputt": "broken",
    "defekt": "broken",
    "cancelation": "cancelled",
    "payed": "paid",
    "legal action": "legal",
    "lawyer": "legal",
    "animals": "pets",
    "dog": "pets",
    "happy": "positive",
    "angry": "negative",
    "unhappy": "negative",
}
NEGATION = regex.compile(
    r"(?<!\p{L})(?:not?|never|without|neither|nor|none|cannot|\p{L}+n['’]t|nicht|"
    r"kein\w*|ohne|nie(?:mals)?|weder|ne|pas|sans|jamais|aucune?|sin|nunca|"
    r"ningun\w*|"
    r"لا|لم|لن|ليس|ليست|بدون|غير)(?!\p{L})"
    r"|(?:ません|ない|なく|無し|なし|不要)",
    regex.IGNORECASE,
)


def expression_for(words: str) -> str:
    """Return the expression by which a text may mean the word or words of a schema."""
    known = SYNONYMS.get(words) or SYNONYMS.get(_ALIASES.get(words, ""))
    own = r"[\s_-]*".join(regex.escape(word) for word in words.split())
    inflected = rf"{own}(?:e?[sdnr]|e[nrs]|es)?" if words and words[-1].isalpha() else own
    return f"{inflected}|{known}" if known else inflected
