"""How mail programs announce history, in the languages that they speak."""

import re

_ORIGINAL = (
    "Original Message|Original Appointment|Forwarded Message|Forwarded by"
    "|Weitergeleitet von|Transféré par|Réexpédié par|Reenviado por|Inoltrato da"
    "|Ursprüngliche Nachricht|Originalnachricht|Original-Nachricht|Weitergeleitete Nachricht"
    "|Message d['’]origine|Message original|Message initial|Message transféré"
    "|Mensaje original|Mensaje reenviado|Messaggio originale|Messaggio inoltrato"
    "|Oorspronkelijk bericht|Doorgestuurd bericht|Mensagem original|Mensagem encaminhada"
    "|元のメッセージ|転送メッセージ|原始邮件|原始郵件|转发邮件|원본 메시지"
    "|الرسالة الأصلية|رسالة معاد توجيهها|Исходное сообщение|Пересылаемое сообщение|הודעה מקורית"
)
_BEGIN = (
    "Begin forwarded message|Anfang der weitergeleiteten (?:Nachricht|E-?Mail)"
    "|Début du (?:message|courriel|e-mail) (?:réexpédié|transféré)|Inicio del mensaje reenviado"
    "|転送されたメッセージ|بدء الرسالة المعاد توجيهها"
)
ORIGINAL_MESSAGE = re.compile(
    rf"\s*(?:[-_=*]{{2,}}\s*(?:{_ORIGINAL})(?!\w).{{0,80}}|(?:{_BEGIN})\s*:)\s*$", re.IGNORECASE
)

# The fields of a header that is quoted as text, in bold or not.
_FROM = "From|Von|De|Da|Van|差出人|送信者|发件人|寄件者|보낸 ?사람|من|От|מאת|Från|Fra|Od"
_OTHER = (
    "Sent|Date|To|B?cc|Subject|Reply-To|Gesendet|Datum|An|(?:Blind)?Kopie|Betreff|Thema|Envoyé|À|Objet"
    "|Enviado(?: el)?|Fecha|Para|Asunto|Inviato|Data|A|Oggetto|Verzonden|Aan|Onderwerp|Assunto"
    "|送信日時|日時|日付|宛先|件名|发送时间|收件人|主题|日期|寄件日期|收件者|主旨"
    "|보낸 ?날짜|받는 ?사람|제목"
    "|تاريخ الإرسال|أرسلت|التاريخ|تاريخ|إلى|الموضوع|Отправлено|Кому|Тема|Дата|נשלח|אל|נושא"
    "|Skickat|Till|Ämne|Sendt|Til|Emne|Wysłano|Do|Temat"
)
HEADER_FROM = re.compile(
    rf"\s?\*{{0,2}}(?:{_FROM})\s?\*{{0,2}}\s?[:：]\*{{0,2}}\s*\S", re.IGNORECASE
)
HEADER_OTHER = re.compile(rf"\s?\*{{0,2}}(?:{_OTHER})\s?\*{{0,2}}\s?[:：]", re.IGNORECASE)
RULE = re.compile(r"\s*[_\-=─]{5,}\s*$")

# `On Monday Ann wrote:` and its kin.
_WROTE = (
    r"wrote|writes|said|schrieb|schreibt|geschrieben|a écrit|écrit|écrivait|escribió|escribe"
    r"|ha scritto|scrive|schreef|het volgende geschreven|escreveu|skrev|napisał(?:\(a\)|a)?"
    r"|пишет|писал|написала?|написал\(а\)|のメール|(?:は|が)書きました|さんの書き込み"
    r"|写道|寫道|작성|كتب(?:ت|وا)?|כתבה?"
)
_DATE_HINT = r"(?:\d{1,4}[./年\-]\s?\d|\d{1,2}[:h]\d\d|\b(?:19|20)\d\d\b|@)"
_FIRST_WORDS = (
    r"On\b|Am\b|Le\b|El\b|Il\b|Op\b|Em\b|Den\b|Dnia\b|W dniu\b|At\b|In\b|\d{1,4}[./年\-]\s?\d"
    r"|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w{0,6},?\s|في\s|بتاريخ|ב|于|在|[^\n<>]{1,120}<[^\s@<>]+@"
)
# One quick look says whether a line may begin history at all.
MAY_START_HISTORY = re.compile(
    rf"\s*(?:[-_=*─]{{2,}}|{_BEGIN}|\*{{0,2}}(?:{_FROM})\s?\*{{0,2}}\s?[:：]|{_FIRST_WORDS})",
    re.IGNORECASE,
)
# And before it the first character: all of ASCII that one of these begins with, in either case.
# What is beyond ASCII is always looked at, and so is `… <ada@b`.
_INITIALS = "".join(word[0] for word in f"{_BEGIN}|{_FROM}|On|Am|Le|Il|W|Mon|Tue|Sun".split("|"))
FIRST_CHARACTERS = frozenset("-_=*0123456789" + _INITIALS.lower() + _INITIALS.upper())
ATTRIBUTION_START = re.compile(rf"\s*(?:{_FIRST_WORDS})")
_SAID = rf"(?:{_WROTE})(?!\w).{{0,60}}?[:：]\s*$|(?:{_WROTE})\s?\*?[:：]?\s*$"
# With a date or an address, and ending in "wrote:".
ATTRIBUTION = re.compile(
    rf"(?=.{{0,300}}?{_DATE_HINT})(?:{_FIRST_WORDS}).{{0,380}}?(?<![a-zA-Z])(?:{_SAID})"
)
# Before a quoted line less is asked: `Jim Barnes wrote:` is enough.
ANNOUNCES = re.compile(
    rf".{{0,380}}?(?<![a-zA-Z])(?:(?:{_WROTE})(?!\w).{{0,60}}?[:：]|(?:{_WROTE})\s?[:：]"
    r"|<[^\s@<>]+@[^\s<>]+>\s?[:：])\s*$"
)

# As Supercite writes: `Ann> what Ann wrote`.
NAMED_MARK = re.compile(r"\s{0,8}[A-Z][\w.-]{0,14}>")

LIST_RULE = re.compile(r"[-_]+\s*$")
LIST_FOOTER = re.compile(
    r"mailing list|unsubscribe from this list|to unsubscribe|listinfo", re.IGNORECASE
)

# What telephones and web mail put below.
MAY_SIGN = re.compile(
    r"\s*(?:Sent|Get |Von|Gesendet|Envoyé|Enviado|Inviato|Verzonden|iPhone|Skickat|تم|أُ?رسلت)"
)
MOBILE_SIGNATURE = re.compile(
    r"(?:Sent from (?:my |Mail for |Yahoo|Outlook|Samsung|Proton|Gmail).{0,60}"
    r"|Get Outlook for .{0,60}|Sent (?:with|via) .{0,60}|Von meinem .{0,40} gesendet.?"
    r"|Gesendet (?:von|mit) .{0,60}|Envoyé (?:de|depuis) mon .{0,40}|Envoyé à partir de .{0,40}"
    r"|Enviado (?:desde|do) (?:mi|meu) .{0,40}|Inviato da(?:l mio)? .{0,40}"
    r"|Verzonden (?:vanaf|met) .{0,40}|iPhoneから送信|Skickat från .{0,40}"
    r"|(?:تم الإرسال|أُرسلت|أرسلت) من .{0,40})\s*(?:<https?://[^\s>]*>)?$"
)
