"""How mail programs announce history, in the languages that they speak."""

import re

_ORIGINAL = (
    "Original Message|Original Appointment|Forwarded Message|Forwarded message|Begin forwarded message"
    "|Ursprüngliche Nachricht|Originalnachricht|Original-Nachricht|Weitergeleitete Nachricht"
    "|Message d'origine|Message d’origine|Message original|Message initial|Message transféré"
    "|Mensaje original|Mensaje reenviado|Messaggio originale|Messaggio inoltrato"
    "|Oorspronkelijk bericht|Doorgestuurd bericht|Mensagem original|Mensagem encaminhada"
    "|元のメッセージ|転送メッセージ|Forwarded by|原始邮件|原始郵件|转发邮件|원본 메시지"
    "|الرسالة الأصلية|رسالة معاد توجيهها|Исходное сообщение|Пересылаемое сообщение|הודעה מקורית"
)
ORIGINAL_MESSAGE = re.compile(
    rf"\s*(?:[-_=*]{{2,}}\s*(?:{_ORIGINAL})\b.{{0,80}}|(?:Begin forwarded message|Anfang der"
    r" weitergeleiteten (?:Nachricht|E-?Mail)|Début du (?:message|courriel) (?:réexpédié|transféré)"
    r"|Inicio del mensaje reenviado|転送されたメッセージ|بدء الرسالة المعاد توجيهها)\s*:)\s*$",
    re.IGNORECASE,
)
_FROM = "From|Von|De|Da|Van|差出人|送信者|发件人|寄件者|보낸 ?사람|من|От|מאת|Från|Fra|Od"
_OTHER = (
    "Sent|Date|To|Cc|Subject|Gesendet|Datum|An|Betreff|Envoyé|À|Objet|Enviado(?: el)?|Fecha|Para|Asunto"
    "|Inviato|Data|A|Oggetto|Verzonden|Aan|Onderwerp|Assunto|送信日時|日時|日付|宛先|件名|发送时间|收件人|主题"
    "|日期|寄件日期|收件者|主旨|보낸 ?날짜|받는 ?사람|제목|تاريخ الإرسال|أرسلت|التاريخ|إلى|الموضوع|Отправлено"
    "|Кому|Тема|Дата|נשלח|אל|נושא|Skickat|Till|Ämne|Sendt|Til|Emne|Reply-To"
)
HEADER_FROM = re.compile(
    rf"\s?\*{{0,2}}(?:{_FROM})\s?\*{{0,2}}\s?[::]\*{{0,2}}\s*\S", re.IGNORECASE
)
HEADER_OTHER = re.compile(rf"\s?\*{{0,2}}(?:{_OTHER})\s?\*{{0,2}}\s?[::]", re.IGNORECASE)
RULE = re.compile(r"\s*[_\-=─]{5,}\s*$")

_WROTE = (
    r"wrote|writes|said|schrieb(?: am .{0,80})?|schreibt|geschrieben|a écrit|écrit|écrivait|escribió|escribe"
    r"|ha scritto|scrive|schreef|het volgende geschreven|escreveu|skrev|napisał(?:\(a\)|a)?|пишет|написал(?:\(а\)|а)?"
    r"|のメール|は書きました|さんは書きました|が書きました|さんの書き込み|wrote as follows|写道|寫道|作成|작성|님이 작성"
    r"|كتب(?:ت|وا)?|كتب/كتبت|כתב(?:ה)?"
)
_DATE_HINT = r"(?:\d{1,4}[./年\-]\s?\d|\d{1,2}[:h]\d\d|\b(?:19|20)\d\d\b|@)"
_FIRST_WORDS = (
    r"On|Am|Le|El|Il|Op|Em|Den|Dnia|W dniu|On,|Il giorno|At|In|\d{1,4}[./年\-]\s?\d|"
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w*,?\s|"
    r"في|بتاريخ|ב|于|在|[^\s<>]{1,60} [^\n]{0,60}<[^\s@]+@"
)
# One quick look says whether a line may begin history at all.
MAY_START_HISTORY = re.compile(
    rf"\s*(?:[-_=*─]{{2,}}|Begin |Anfang |Début |Inicio |転送|بدء|\*{{0,2}}(?:{_FROM})\b|(?:{_FIRST_WORDS}))",
    re.IGNORECASE,
)
ATTRIBUTION_START = re.compile(rf"\s*(?:{_FIRST_WORDS})")
_END = r"\s?\*?[::]?\s?[\u200e\u200f\u202c]?\s?[::]?$"
# With a date or an address, and ending in "wrote:".
ATTRIBUTION = re.compile(
    rf"(?=.{{0,300}}?{_DATE_HINT})(?:{_FIRST_WORDS}).{{0,380}}?"
    rf"(?:(?:{_WROTE})\s*.{{0,60}}?[::]|(?:{_WROTE}){_END})$"
)
# Before a quoted line less is asked: `Jim Barnes wrote:` is enough.
ANNOUNCES = re.compile(
    rf".{{0,380}}?(?:\b(?:{_WROTE})\b.{{0,60}}?[::]|(?:{_WROTE})\s?[::]|<[^\s@<>]+@[^\s<>]+>\s?[::])$"
)

LIST_RULE = re.compile(r"[-_]{1,}\s*$")
LIST_FOOTER = re.compile(
    r"mailing list|unsubscribe from this list|To unsubscribe|listinfo|abbestellen", re.IGNORECASE
)
MAY_SIGN = re.compile(
    r"\s*(?:Sent|Get |Von|Gesendet|Envoyé|Enviado|Inviato|Verzonden|iPhone|Skickat|تم|أ?ُ?رسلت|Diese)"
)
MOBILE_SIGNATURE = re.compile(
    r"(?:Sent from (?:my |Mail for |Yahoo|Outlook|Samsung|Proton|Gmail).{0,60}|Get Outlook for .{0,60}"
    r"|Sent (?:with|via) .{0,60}|Von meinem .{0,40} gesendet.?|Gesendet (?:von|mit) .{0,60}"
    r"|Envoyé (?:de|depuis) mon .{0,40}|Envoyé à partir de .{0,40}|Enviado (?:desde|do) (?:mi|meu) .{0,40}"
    r"|Inviato da(?:l mio)? .{0,40}|Verzonden (?:vanaf|met) .{0,40}|iPhoneから送信|Skickat från .{0,40}"
    r"|(?:تم الإرسال|أُرسلت|أرسلت) من .{0,40})\s*(?:<https?://[^\s>]*>)?$"
)
