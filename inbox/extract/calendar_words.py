"""The names of months, weekdays and near days, and small numbers; pure data."""

_MONTHS = (
    "january jan januar jänner janvier janv enero ene يناير",
    "february feb februar februar febr février févr febrero فبراير",
    "march mar märz maerz mär mars marzo مارس",
    "april apr april avril avr abril abr أبريل ابريل",
    "may mai mayo مايو",
    "june jun juni juin junio يونيو",
    "july jul juli juillet juil julio يوليو",
    "august aug août aout agosto أغسطس اغسطس",
    "september sep sept septembre septiembre سبتمبر",
    "october oct okt oktober octobre octubre أكتوبر اكتوبر",
    "november nov novembre noviembre نوفمبر",
    "december dec dez dezember décembre déc diciembre dic ديسمبر",
)
MONTHS = {word: number for number, line in enumerate(_MONTHS, 1) for word in line.split()}

_WEEKDAYS = (
    "monday montag lundi lunes 月曜日 月曜 الاثنين الإثنين",
    "tuesday dienstag mardi martes 火曜日 火曜 الثلاثاء",
    "wednesday mittwoch mercredi miércoles 水曜日 水曜 الأربعاء",
    "thursday donnerstag jeudi jueves 木曜日 木曜 الخميس",
    "friday freitag vendredi viernes 金曜日 金曜 الجمعة",
    "saturday samstag sonnabend samedi sábado 土曜日 土曜 السبت",
    "sunday sonntag dimanche domingo 日曜日 日曜 الأحد",
)
WEEKDAYS = {word: number for number, line in enumerate(_WEEKDAYS) for word in line.split()}

DAY_WORDS = {
    "today": 0, "tonight": 0, "tomorrow": 1, "the day after tomorrow": 2, "yesterday": -1,
    "heute": 0, "morgen": 1, "übermorgen": 2, "gestern": -1, "vorgestern": -2,
    "aujourd'hui": 0, "aujourd’hui": 0, "demain": 1, "après-demain": 2, "hier": -1,
    "hoy": 0, "mañana": 1, "pasado mañana": 2, "ayer": -1,
    "本日": 0, "今日": 0, "明日": 1, "明後日": 2, "昨日": -1,
    "اليوم": 0, "غدا": 1, "غداً": 1, "غدًا": 1, "بعد غد": 2, "أمس": -1,
}  # fmt: skip
# Words that are also parts of longer ones in scripts without spaces.
COUNTED = frozenset({"本日", "今日", "明日", "明後日", "昨日"})

NUMBER_WORDS = {
    word: number
    for number, line in {
        1: "one a an ein eine einen einem einer un une uno una",
        2: "two zwei deux dos a\u00a0couple",
        3: "three drei trois tres",
        4: "four vier quatre cuatro",
        5: "five fünf cinq cinco",
        6: "six sechs seis",
        7: "seven sieben sept siete",
        8: "eight acht huit ocho",
        9: "nine neun neuf nueve",
        10: "ten zehn dix diez",
        11: "eleven elf onze once",
        12: "twelve zwölf douze doce",
        14: "fourteen vierzehn quatorze catorce",
        15: "fifteen fünfzehn quinze quince",
        20: "twenty zwanzig vingt veinte",
        30: "thirty dreißig trente treinta",
    }.items()
    for word in line.split(" ")
}
UNIT_DAYS = {
    word: days
    for days, line in {
        1: "day days tag tagen tage jour jours día días يوم أيام",
        7: "week weeks woche wochen semaine semaines semana semanas أسبوع أسابيع 週間",
    }.items()
    for word in line.split()
} | {"日": 1}
