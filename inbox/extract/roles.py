"""What a value may be the value of: the words by which texts and schemas name it; pure data.

Each role of a kind has one expression. It is looked for in the name, title and description of a
field, which tells the role that is asked for, and beside a value in the text, which tells the one
that it has. English, German, French, Spanish, Japanese and Arabic.
"""

import regex


def _roles(**expressions: str) -> dict[str, regex.Pattern[str]]:
    return {
        role: regex.compile(rf"(?<!\p{{Latin}})(?:{expression})", regex.IGNORECASE)
        for role, expression in expressions.items()
    }


DATE_ROLES = _roles(
    due=(
        r"due|deadline|payable|pay(?:ment|able)? (?:by|until|before|date)|no later than|"
        r"at the latest|"
        r"(?:by|before|until|latest)(?: the)?(?=\W{0,2}$)|fällig\w*|zahlbar|zahlungsziel|frist|"
        r"(?:bis(?: zum| spätestens(?: zum)?)?|spätestens(?: am| bis(?: zum)?)?)(?=\W{0,2}$)|"
        r"échéance|(?:avant|jusqu'au|d'ici)(?: le)?(?=\W{0,2}$)|vencimiento|vence|antes "
        r"del?(?=\W{0,2}$)|"
        r"期限|支払日|استحقاق|موعد السداد|(?:قبل|حتى|بحلول)(?=\W{0,6}$)"
    ),
    invoice=(
        r"invoice[sd]? (?:date|on|dated)|date of (?:the )?(?:invoice|issue)|issued?(?: "
        r"on| date)?|dated|"
        r"rechnungsdatum|rechnung(?: nr\.?| nummer)?[ :#]{0,2}[\w./-]{0,20} vom|"
        r"invoice(?: no\.?| number)?[ :#]{0,2}[\w./-]{3,20} (?:of|from)|ausgestellt|"
        r"ausstellungsdatum|datum der rechnung|"
        r"date de (?:la )?facture|facture du|fecha de (?:la )?factura|fecha de emisión|"
        r"請求日|発行日|請求書発行日|"
        r"تاريخ الفاتورة|تاريخ الإصدار"
    ),
    order=(
        r"order(?:ed)?(?: date| on|ed)|date of (?:the )?(?:order|purchase)|"
        r"purchased?(?: on| date)?|bought|"
        r"bestell(?:t|datum|ung vom|ung am|ung(?: nr\.?)?[ :#]{0,2}[\w./-]{0,20} vom)|"
        r"order(?: no\.?| number)?[ :#]{0,2}[\w./-]{3,20} (?:of|from)|gekauft|kaufdatum|"
        r"auftragsdatum|commandé\w*|commande du|に(?:ご)?注文|注文した|"
        r"date de (?:la )?commande|fecha del? (?:pedido|compra)|comprad\w+|pedido el|"
        r"注文日|購入日|تاريخ الطلب|طلبت"
    ),
    delivery=(
        r"deliver\w*|arriv(?:e[sd]?|al|ing)|expected|estimated|liefer\w*|geliefert|"
        r"zugestellt|zustell\w*|"
        r"eintreff\w*|livr\w+|entreg\w+|lleg\w+|に届|納期|納品|配達|お届け|到着|تسليم|التسليم|توصيل|وصول"
    ),
    shipping=(
        r"ship\w*|dispatch\w*|sent out|versand\w*|versendet|verschickt|expédi\w+|"
        r"envi(?:ado|ó|amos)|発送|出荷|شحن|الشحن"
    ),
    refund=r"refund\w*|erstatt\w*|rembours\w+|reembols\w+|返金|استرداد",
    payment=(
        r"paid|payment|bezahlt|zahlung|überwiesen|überweisung|payé\w*|paiement|pagad\w+|"
        r"pago|支払|入金|دفع"
    ),
    cancel=(
        r"cancel\w*|terminat\w*|kündig\w*|gekündigt|storni\w*|annul\w+|résili\w+|"
        r"cancelad\w+|解約|キャンセル|إلغاء"
    ),
    expiry=(
        r"expir\w*|valid (?:until|through|till|to)|gültig bis|läuft\W.{0,20}\bab|"
        r"ablauf\w*|ablaufdatum|"
        r"valable jusqu\W?au|expira|válid\w+ hasta|caduc\w+|有効期限|صلاحية|ينتهي|انتهاء"
    ),
    birth=(
        r"birth\w*|born|dob|geburt\w*|geb\.|geboren|naissance|née? le|nacimiento|"
        r"nacid\w+|生年月日|生まれ|ميلاد|الميلاد"
    ),
    checkin=r"check[- _]?in|anreise|arrivée|llegada|チェックイン|تسجيل الوصول",
    checkout=r"check[- _]?out|abreise|depart\w*|départ|salida|チェックアウト|المغادرة",
    start=(
        r"start\w*|begin\w*|from|since|effective|ab|von|beginn\w*|anfang|seit|à partir|"
        r"début|desde|inicio|開始|بداية|ابتداء|من"
    ),
    end=(
        r"end(?:s|ing|ed)?|until|through|till|to|bis|ende|endet|jusqu\W?au|fin|hasta|終了|"
        r"نهاية|حتى|إلى"
    ),
    meeting=(
        r"meet\w*|appointment|call|visit|viewing|interview|event|session|workshop|demo|"
        r"termin\w*|treffen|"
        r"besprechung|besuch|gespräch|veranstaltung|réunion|rendez-vous|rdv|entretien|"
        r"reunión|cita|visita|"
        r"会議|打ち合わせ|面談|ミーティング|訪問|اجتماع|الاجتماع|موعد|لقاء|زيارة"
    ),
)

MONEY_ROLES = _roles(
    total=(
        r"(?:grand |invoice |order |final )?total(?! (?:net|excl))|amount due|balance "
        r"due|amount (?:payable|owed|to pay)|"
        r"(?:invoice|outstanding) (?:amount|balance)|sum|rechnungsbetrag|gesamt\w*|"
        r"endbetrag|endsumme|"
        r"brutto\w*|gross\w*|summe|zu zahlen\w*|zahlbetrag|total ttc|montant total|à payer|"
        r"importe total|total a pagar|合計|総額|"
        r"ご?請求金額|請求額|お支払い金額|الإجمالي|إجمالي|المجموع|المبلغ الإجمالي|المبلغ المستحق"
    ),
    net=(
        r"sub-?total|net(?:to\w*| amount| total)?(?!\w)|zwischensumme|sous-total|"
        r"montant ht|(?<=total )ht|base imponible|subtotal|小計|税抜|المجموع الفرعي"
    ),
    tax=(
        r"vat|tax\w*|gst|mwst\w*|ust|mehrwertsteuer|umsatzsteuer|steuer|tva|iva|"
        r"impuestos?|消費税|税額|ضريبة|الضريبة"
    ),
    shipping=(
        r"shipping|delivery|postage|freight|versand\w*|porto|fracht|lieferkosten|frais "
        r"de port|livraison|envío|gastos de envío|送料|配送料|الشحن|التوصيل"
    ),
    discount=(
        r"discount\w*|rebate|rabatt\w*|skonto|nachlass|gutschein|remise|réduction|"
        r"descuento|割引|値引|خصم"
    ),
    refund=(
        r"refund\w*|reimburs\w*|credit note|erstatt\w*|rückzahlung\w*|gutschrift|"
        r"rembours\w+|reembols\w+|devolución|返金|払い戻し|استرداد|المسترد"
    ),
    deposit=(
        r"deposit|down ?payment|anzahlung|kaution|acompte|anticipo|depósito|前金|内金|عربون|"
        r"دفعة مقدمة"
    ),
    paid=r"(?:already |have )?paid|bezahlt|überwiesen|gezahlt|payé\w*|pagad\w+|支払済|入金|مدفوع",
    budget=r"budget\w*|up to|at most|maximum|höchstens|maximal|presupuesto|予算|ميزانية",
    salary=r"salary|wage|gehalt|lohn|salaire|sueldo|salario|給与|年収|راتب",
    fee=r"fee|charge|gebühr\w*|frais|honorar\w*|cargo|comisión|手数料|رسوم",
    price=(
        r"(?:unit |list |item )?price\w*|per (?:unit|piece|item|month|hour)|cost\w*|"
        r"rate|preis\w*|stückpreis|einzelpreis|kosten|kostet|prix|coût|coûte|precio|"
        r"cuesta|coste|単価|価格|値段|سعر|السعر|تكلفة"
    ),
)

ID_ROLES = _roles(
    invoice=(
        r"invoice(?!d)|inv|bill(?!ing)|rechnungs?(?:nummer|nr|\b)|rech|facture|factura|"
        r"請求書|فاتورة|الفاتورة"
    ),
    purchase=r"purchase order|p\.?o\.?(?= ?(?:number|no|nr|#|:))|po|bestellung von",
    order=(
        r"order|bestell(?:ung|nummer|nr)\w*|auftrag\w*|commande|pedido|注文|ご?注文番号|طلب|"
        r"الطلب|طلبية|طلبي"
    ),
    customer=(
        r"customer|client|kunden?(?:nummer|nr|\b)|account|konto(?!auszug)|cliente?|顧客|"
        r"お客様|عميل|العميل|الحساب"
    ),
    tracking=(
        r"track\w*|shipment|parcel|consignment|waybill|sendung\w*|paket\w*|suivi|colis|"
        r"seguimiento|envío|追跡|お問い合わせ|伝票|送り状|تتبع|الشحنة"
    ),
    ticket=(
        r"ticket|case|incident|issue|support|vorgang\w*|fall(?:nummer|nr)|dossier|caso|"
        r"incidencia|チケット|受付|تذكرة|البلاغ"
    ),
    contract=r"contract|agreement|vertrag\w*|contrat|contrato|契約|عقد|العقد",
    quote=(
        r"quot(?:e|ation)|offer|estimate|angebot\w*|kostenvoranschlag|devis|presupuesto|"
        r"oferta|見積|عرض|العرض"
    ),
    booking=(
        r"booking|reservation|confirmation|buchung\w*|reservierung\w*|réservation|"
        r"reserva\w*|予約|حجز|الحجز"
    ),
    flight=r"flight|flug\w*|vol|vuelo|便|رحلة",
    member=r"member\w*|mitglied\w*|adhérent|socio|会員|العضوية",
    insurance=r"polic(?:y|e)|insurance|versicherung\w*|police|póliza|証券|بوليصة|وثيقة",
    delivery=r"delivery note|lieferschein\w*|bon de livraison|albarán|納品書",
    serial=r"serial|s/n|serien(?:nummer|nr)|gerätenummer|série|シリアル|製造番号|تسلسلي",
    article=(
        r"article|item|product|sku|model|part|artikel\w*|produkt\w*|modell\w*|teile\w*|"
        r"artículo|modelo|商品|型番|品番|المنتج|الموديل"
    ),
    project=r"project|projekt\w*|projet|proyecto|案件|プロジェクト|مشروع|المشروع",
    tax=r"tax|vat|ust\w*|umsatzsteuer\w*|steuer\w*|tva|nif|cif|税務|登録番号|ضريبي|الضريبي",
    employee=r"employee|staff|personal(?:nummer|nr)|mitarbeiter\w*|社員|الموظف",
    reference=(
        r"reference|ref|your reference|referenz\w*|aktenzeichen|zeichen|référence|"
        r"referencia|照会|整理番号|مرجع|المرجع|المرجعي"
    ),
)

COUNT_UNITS = _roles(
    people=(
        r"of us|people|persons?|guests?|attendees?|participants?|adults?|pax|seats?|covers|"
        r"personen?|gäste?|teilnehmer\w*|leute|plätze|erwachsene|personnes?|personas?|"
        r"invités|participantes|asistentes|名様?|人|أشخاص|شخصا|شخص|ضيوف|افراد|أفراد"
    ),
    children=r"child(?:ren)?|kids?|kind(?:er|ern)?|enfants?|niños|子供|子ども|أطفال",
    nights=r"nights?|nächten?|übernachtung\w*|nuits?|noches?|泊|ليال|ليلة|ليالي",
    days=r"days?|tagen?|tage|jours?|días?|日間|أيام|يوم",
    weeks=r"weeks?|wochen?|semaines?|semanas?|週間|أسابيع|أسبوع",
    months=r"months?|monaten?|monate|mois|mes(?:es)?|か月|ヶ月|أشهر|شهر",
    years=r"years?|jahren?|jahre|ans|années?|años?|年間|سنوات|سنة",
    rooms=r"rooms?|zimmer\w*|chambres?|habitaci(?:ón|ones)|部屋|室|غرف|غرفة",
    licenses=(
        r"licen[sc]es?|users?|lizenzen|nutzer|benutzer|licencias|licences|usuarios|"
        r"utilisateurs|ライセンス|مستخدمين|رخصة"
    ),
    percent=r"percent\w*|per ?cent|%|prozent|pour ?cent|por ciento|パーセント|٪|بالمئة",
    kilograms=r"kg|kilo\w*|キロ|كجم|كيلو",
    grams=r"g|grams?|gramm|グラム|غرام",
    kilometres=r"km|kilomet\w+",
    metres=r"m|met(?:er|re)s?|メートル|متر",
    centimetres=r"cm|zentimeter|centimet\w+",
    pieces=(
        r"pcs\.?|pieces?|units?|items?|copies|boxes|stück|stk\.?|exemplare|mal|x|×|"
        r"pièces?|unidades|exemplaires|個|台|点|枚|本|箱|قطع|قطعة|وحدات|وحدة|نسخ"
    ),
)
COUNT_FIELDS = _roles(
    people=(
        r"people|persons?|guests?|attendees?|participants?|party|headcount|seats?|"
        r"personen\w*|gäste\w*|teilnehmer\w*|adults?|plätze"
    ),
    children=r"child(?:ren)?|kids?|kinder\w*",
    nights=r"nights?|nächte|übernachtungen",
    days=r"days?|tage|delay",
    weeks=r"weeks?|wochen",
    months=r"months?|monate|laufzeit",
    years=r"years?|jahre",
    rooms=r"rooms?|zimmer\w*",
    licenses=r"licen[sc]es?|users?|lizenzen|nutzer",
    percent=r"percent\w*|pct|prozent\w*|rate|rabatt|discount",
    kilograms=r"kg|kilograms?|weight|gewicht",
    grams=r"grams?|gramm",
    kilometres=r"km|kilomet\w+|distance|entfernung",
    centimetres=r"cm|centimet\w+",
    metres=r"met(?:er|re)s?",
    pieces=(
        r"quantity|qty|units?|pieces?|items?|copies|count|amount|menge|anzahl|stück\w*|"
        r"stückzahl|how many"
    ),
)
