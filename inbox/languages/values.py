"""How the values are written that extraction finds, field by field."""

from inbox.languages.section import Plain, Section, Words


class Money(Section):
    """How sums of money are written."""

    currencies: dict[str, Words] = {}
    """Names of currencies by their ISO 4217 code, as they stand beside a sum; no patterns."""
    scales: dict[str, int] = {}
    """Words for thousands and millions, with what a number before them is multiplied by."""
    read_as: dict[str, str] = {}
    """Currencies that a sign means elsewhere, each with the one that it means here: "kr"."""
    names: Words = ""
    """Names of currencies by which a sum in a message is seen."""
    joined: Words = ""
    """The same where no space parts words."""
    before: Words = ""
    """Those that stand before a number."""


class Calendar(Section):
    """Days and dates."""

    months: list[Plain] = []
    """The names of the months, twelve entries from January; each with its short forms."""
    weekdays: list[Plain] = []
    """The names of the days of the week, seven entries from Monday."""
    days: dict[str, int] = {}
    """Days by their distance from today: "tomorrow" is 1."""
    days_not_after: dict[str, Words] = {}
    """Words of `days` that mean something else behind these: "good morning"."""
    days_in_lower_case: Plain = ""
    """Words of `days` that mean it in lower case only."""
    days_only_in: dict[str, list[str]] = {}
    """Words of `days` that count only in mail of these languages, and of none that is known: ""."""
    numbers: dict[str, int] = {}
    """Numbers as words."""
    zero: Plain = ""
    """What zero is called, where digits are said one by one."""
    counting: dict[str, int] = {}
    """Further words of which numbers are made, also within a longer word."""
    counting_joints: Plain = ""
    """What may stand between those."""
    indefinite: Plain = ""
    """Those of them that are articles as well."""
    units: dict[str, int] = {}
    """Units of days and weeks, in days."""
    ordinals: Words = ""
    """What stands behind the number of a day."""
    of: Words = ""
    """What may stand between the day and the month, with the space behind it."""
    of_year: Words = ""
    """What may stand before the year, with the space behind it."""
    behind_year: Words = ""
    """What may stand behind the year, as the Polish "r."."""
    before_day: Words = ""
    """What may stand between the month and the day, with the space behind it."""
    next: Words = ""
    """Before a weekday: that of next week."""
    next_joined: Words = ""
    """The same where no space parts words."""
    last: Words = ""
    """Before a weekday: the one that is over."""
    last_behind: Words = ""
    """The same behind it."""
    next_behind: Words = ""
    """Behind a weekday: that of next week."""
    within: Words = ""
    """Before a number of days from now: "in 3 days"."""
    from_now: Words = ""
    """Units that a number of days from now has behind it."""
    month_end: Words = ""
    """The end of this month."""
    joints: Words = ""
    """Between two days that share their month: "14 to 17 May", "14 and 17 May"."""
    joints_behind: Words = ""
    """The same behind the month: "May 14 to 17"."""
    ranges: Words = ""
    """Between the two dates of one range."""
    month_first: bool = False
    """Whether 3/4/2026 may be in March."""
    moves: Words = ""
    """What says that a day or a time gives way to another: "moved", "postponed"."""
    instead: Words = ""
    """What stands before the one that holds no longer: "instead of"."""
    moved_to: Words = ""
    """What stands before the new one: "to"."""
    coming: Words = ""
    """Any sign that the next one of a weekday is meant."""
    dated: Words = ""
    """What stands between a number and the day that it is of: "invoice 17 of 3 May"."""
    calls_off: Words = ""
    """What says that a day or a time in its sentence holds no longer: "cancel", "can't make"."""
    unit_signs: Words = ""
    """Signs that a number counts days or weeks."""


class Clock(Section):
    """Times of day and lengths of time."""

    oclock: Words = ""
    """What stands behind a time of day, with minutes behind it or not: "15 Uhr 30"."""
    halves: Words = ""
    """Halves of the day behind a time."""
    forms: Words = ""
    """Whole times of day, with the groups hour (also in words), minute, half as they are needed.

    `thirty` and `fifteen` are so many minutes past the hour, or to it where there is `before`.
    """
    at: Words = ""
    """Before a bare hour: "at 3"."""
    noon: Words = ""
    """Twelve o'clock."""
    afternoon: Words = ""
    """How the half of the day begins in which hours count from noon."""
    forenoon: Words = ""
    """How the half of the day begins in which 12 is midnight."""
    zones: dict[str, int] = {}
    """Time zones by their names, in hours from UTC."""
    minutes: Words = ""
    """Minutes as a unit."""
    hours: Words = ""
    """Hours as a unit."""
    half_a: Words = ""
    """"half an", before a unit."""
    lengths: dict[str, int] = {}
    """Lengths of time that are said in one, in minutes."""
    within: Words = ""
    """Before a length of time that is a term and no duration: "within 2 hours"."""
    not_lengths: Words = ""
    """Behind one that says when or how far, and not how long: "early", "before", "walk"."""
    joints: Words = ""
    """Between the beginning and the end: "from 5 to 6 pm"."""


class People(Section):
    """Names of people, and where they stand in a letter."""

    titles: Words = ""
    """Titles before a name."""
    closings: Words = ""
    """What closes a letter, above the name."""
    inline_closings: Words = ""
    """The same where the name follows in the line: "Thanks, Ada"."""
    introductions: Words = ""
    """What stands before one's own name."""
    introduction_forms: Words = ""
    """Whole introductions with the name in the group `name`."""
    named: Words = ""
    """What may stand between a role and who has it: "our technician is …"."""
    organised: Words = ""
    """Words of a display name that is no person's."""
    companies: Words = ""
    """What introduces a company: `Company: …`."""
    name_labels: Words = ""
    """What stands before the name in a form about somebody: "Name"."""
    organisations: Words = ""
    """Words of a name that say it is that of a house: "University", "Partners"."""
    billed: Words = ""
    """What stands above or before whom an invoice is for: "bill to"."""


class Contacts(Section):
    """Addresses, telephone numbers and companies."""

    domains: Words = ""
    """Ends of the web addresses of where it is spoken, without the first dot: `de | at`."""
    phones: Words = ""
    """What a telephone number is called before it; further letters may follow."""
    no_phones: Words = ""
    """What other numbers are called, so that they are no telephone numbers."""
    phone_beginnings: Words = ""
    """How those begin that have neither a "+" nor a 0 there, with what has to follow looked at."""
    extensions: Words = ""
    """What stands before the digits behind a number that reach one desk of a house."""
    phone_numbers: Words = ""
    """"number" between what it is called and the number."""
    legal_forms: Words = ""
    """Legal forms of companies."""
    desks: Words = ""
    """What stands before the @ of an address that is a task's and no person's: "billing"."""
    vat_ids: Words = ""
    """What stands before the number by which a company pays taxes: "VAT no.", "USt-IdNr."."""
    registered: Words = ""
    """What stands before a company's account, or the number under which it is registered."""
    comes_from: Words = ""
    """What stands before the name of whose invoice or parcel it is: "your parcel from"."""
    company_joints: Words = ""
    """What joins two words of a company's name, or begins it."""
    company_particles: Words = ""
    """Small words inside a company's name."""
    company_forms: Words = ""
    """Whole companies, where no legal form stands behind the name."""
    name_particles: Words = ""
    """Small words inside a person's name."""


class Places(Section):
    """Postal addresses and rooms."""

    countries: Words = ""
    """Names of countries."""
    city_joints: Words = ""
    """Small words inside the name of a town."""
    addresses: Words = ""
    """Postal addresses, with the groups street, postcode and city. Of {gap}, {city} and {country},
    which may follow, the program knows the form."""
    streets: Words = ""
    """Streets that are an address without a town as well."""
    at: Words = ""
    """"at", "in", before a room or a house."""
    our: Words = ""
    """"our", "the", before a room or a house."""
    rooms: Words = ""
    """Rooms and houses in which something takes place."""
    rooms_in: Words = ""
    """"in", between a room and its house or town."""
    numbered: Words = ""
    """Rooms that are named by a number alone."""
    room_forms: Words = ""
    """Whole names of rooms."""
    before: Words = ""
    """What stands before where something takes place: "at", "in the"."""
    spots: Words = ""
    """What places are called, as a whole word: "hall", "office"."""
    capitals: bool = True
    """Whether a capital letter within a sentence shows a name, and not any noun."""


class Numbering(Section):
    """Numbers by which things are known."""

    fillers: Words = ""
    """Words between what a number is called and the number."""
    fillers_joined: Words = ""
    """The same where no space parts words."""
    prefixes: dict[str, Words] = {}
    """How numbers of each kind begin."""
    flights: Words = ""
    """What stands before the number of a flight."""
    flight_numbers: Words = ""
    """"number" behind it."""
    not_behind: Words = ""
    """What stands behind a number that counts something and names nothing."""
    says_number: Words = ""
    """What says that a short number names something; case does not matter."""
    called: Words = ""
    """What a number is called that has no other name."""


class Counts(Section):
    """Numbers of something."""

    not_adjectives: Words = ""
    """Small words that never stand between a number and what it counts."""
    orders: Words = ""
    """Verbs that order something, before the number of pieces."""
    not_ordered: Words = ""
    """Units of something else behind that number."""
    quantities: Words = ""
    """What introduces a number of pieces."""
    parties: Words = ""
    """What introduces a number of people."""
    are: Words = ""
    """What may stand between the name of a number and the number."""


class Labels(Section):
    """What stands beside a value."""

    abbreviations: Words = ""
    """Abbreviations whose stop ends no sentence."""
    equals: Words = ""
    """"is", between the name of something and what it is."""
    secrets: Words = ""
    """What passwords and keys are called before them."""
    more: dict[str, Words] = {}
    """What else introduces a value, by what it is."""
    positions: Words = ""
    """What stands before a position that somebody applies for, and "as" behind it."""
    rates: Words = ""
    """What stands between a number of pieces and the price of one: "at"."""
    pieces: Words = ""
    """What stands between a number of pieces and the piece in a line of a list."""
    each: Words = ""
    """Before the price of one piece."""


class Answers(Section):
    """Saying yes, no, and only if."""

    yes: Words = ""
    """What a form says for yes."""
    no: Words = ""
    """What a form says for no."""
    only_if: Words = ""
    """What makes a sentence one of something that may not be."""
    not_yet: Words = ""
    """What makes a sentence one of something that has not happened."""
    plans: Words = ""
    """What says of what stands beside it that it has not happened: "once", "can", "before"."""
    but: Words = ""
    """What parts a sentence where a negation ends."""
    polite: Words = ""
    """How a question begins that asks for something."""
    negations: Words = ""
    """What denies."""
    asks: dict[str, Words] = {}
    """What asks for something, by its name in `meanings`, where to speak of it asks for nothing."""
    negations_joined: Words = ""
    """The same where no space parts words."""


class Schemas(Section):
    """Words in the names of a schema's fields, which say what is asked for."""

    kinds: dict[str, Words] = {}
    """Names of fields of a schema, by what such a field holds."""
    aliases: dict[str, str] = {}
    """Names of a schema that mean one of `meanings`."""
    things: Words = ""
    """What has a name that is no person's: "product name"."""
    counts: Words = ""
    """What says that a number counts something."""
    percents: Words = ""
    """What says that a number is a share."""
    hours: Words = ""
    """What says that a length is in hours."""
    ends: Words = ""
    """What says that a time is that of the end."""
    starts: Plain = ""
    """Words of a time's name that say nothing but that it is the beginning."""
    writers: Plain = ""
    """Words of a name's name that mean whoever writes."""
    kind_words: Plain = ""
    """Words of a field's name that say what kind of value it is, and not which."""
    count_words: Plain = ""
    """The same of numbers."""
    truth_words: Plain = ""
    """The same of fields that are true or false."""
    address_words: Plain = ""
    """The same of parts of an address."""
    wishes: Words = ""
    """What says that it is asked whether something is wanted."""
    positions: Words = ""
    """Names of a field for what somebody applies for."""
    sentences: Words = ""
    """Names of a field that a sentence fills."""
    questions: Words = ""
    """Names of a field that a question fills."""
    suppliers: Words = ""
    """Names of objects that are companies."""
    sums: Words = ""
    """What says that a price is that of all pieces together."""


class Roles(Section):
    """What a value may be the value of; each name is that of a role in the program."""

    dates: dict[str, Words] = {}
    """What a date is the date of, by what stands beside it or in the name of a field."""
    money: dict[str, Words] = {}
    """The same of sums of money."""
    numbers: dict[str, Words] = {}
    """The same of numbers by which things are known."""
    units: dict[str, Words] = {}
    """What a number counts, by the word behind it."""
    counts: dict[str, Words] = {}
    """The same by the name of a field."""


class Forms(Section):
    """What stands as a label in a form or above a column: the whole of it, beside nothing else."""

    number_words: Words = ""
    """"number", "no.", as they stand before or behind what is numbered."""
    joints: Words = ""
    """Between those words and what is numbered, with the space behind: "number of the …"."""
    behind: Words = ""
    """What begins words behind a label that say no more of what it is: "charged to …"."""
    others: Words = ""
    """What before a label says that it is that of something else: "previous"."""
    numbers: dict[str, Words] = {}
    """What is numbered, by the names of `roles.numbers`: "invoice", of "Invoice no."."""
    dates: dict[str, Words] = {}
    """Labels of dates by the names of `roles.dates`, and `any` for one that says no more."""
    money: dict[str, Words] = {}
    """Labels of sums by the names of `roles.money`."""
    times: Words = ""
    """Labels of the time at which something begins."""
    places: Words = ""
    """Labels of where something takes place."""
    counts: dict[str, Words] = {}
    """Labels of counts by the names of `roles.counts`."""
    columns: dict[str, Words] = {}
    """What stands above a column of a list: `description`, `quantity`, `price`, `total`, …"""
