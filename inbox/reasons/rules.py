"""What the rules of `inbox/classify` say of a message, by the names they have in `rules.yaml`."""

# Marks what `make messages` collects; it is translated where it is told.
_ = str

# What it is.
KINDS = {
    "instructs_ai": _("Tries to instruct an AI; nobody follows it"),
    "phishing": _("Looks like phishing"),
    "wants_credentials": _("Wants account data, and nothing vouches for the sender"),
    "scam": _("Looks like a scam"),
    "bounce": _("A message could not be delivered"),
    "away": _("An absence notice"),
    "list_asks_us": _("A list message that answers us"),
    "bulk": _("A newsletter or list message"),
    "advertising": _("Advertising"),
    "one_way": _("From a sender who writes often, to others, and was never answered"),
    "unread": _("A language without rules, from a stranger"),
    "bank_change": _("Changed bank details; payments would go elsewhere"),
    "answered": _("History"),
    "outage": _("Reports that something is down"),
    "family_emergency": _("An urgent family matter"),
    "legal": _("A legal matter"),
    "complaint": _("A complaint"),
    "cancelled_event": _("A meeting that is called off, or an answer to an invitation"),
    "invitation": _("An invitation"),
    "receipt": _("A receipt or confirmation"),
    "aside_answer": _("A reply to someone else"),
    "refund": _("Wants money back"),
    "urgent_invoice": _("A payment that presses"),
    "invoice": _("An invoice or payment"),
    "machine_alert": _("An account notice"),
    "notice": _("An automatic notice"),
    "urgent_request": _("An urgent request"),
    "meeting": _("Proposes to meet"),
    "deadline_request": _("A request with a deadline"),
    "request": _("A request or question"),
    "empty": _("Nothing to judge by"),
    "promise": _("Promises something"),
    "thanks": _("Thanks"),
    "dated_information": _("Information with a date"),
    "information": _("Information"),
}
# What was seen of it; `it` is what was found.
SIGNS = {
    "please": _('asks for something ("%(it)s")'),
    "please_note": _("asks to take note"),
    "asks_you": _('asks whether you can ("%(it)s")'),
    "question_words": _("asks a question"),
    "let_me_know": _('wants to be told ("%(it)s")'),
    "contact_us": _('asks to get in touch ("%(it)s")'),
    "needs": _('needs something ("%(it)s")'),
    "we_must": _('says what is to be done together ("%(it)s")'),
    "you_must": _('says what is to be done ("%(it)s")'),
    "looks_forward": _("looks forward to something"),
    "if_questions": _('a closing line ("%(it)s")'),
    "keep_receiving": _("how to go on receiving it, or not"),
    "states": _("tells something"),
    "offers": _('offers something ("%(it)s")'),
    "talk_words": _('talk of meeting or speaking ("%(it)s")'),
    "others_act": _("speaks of others"),
    "told_past": _("tells what happened"),
    "instructs": _('says what to do ("%(it)s")'),
    "promises": _('promises something ("%(it)s")'),
    "proposes_meeting": _('proposes to meet or talk ("%(it)s")'),
    "meeting_words": _('meeting words ("%(it)s")'),
    "calls_off": _('calls off ("%(it)s")'),
    "answers_invitation": _('answers an invitation ("%(it)s")'),
    "names_time": _('names a time ("%(it)s")'),
    "deadline": _("names a deadline: %(it)s"),
    "no_hurry": _('no hurry ("%(it)s")'),
    "urgent": _('urgency ("%(it)s")'),
    "angry": _('complaint ("%(it)s")'),
    "legal": _('legal matter ("%(it)s")'),
    "outage": _('something is down ("%(it)s")'),
    "refund": _('wants money back ("%(it)s")'),
    "bank_change": _('changed bank details ("%(it)s")'),
    "security": _('account or security notice ("%(it)s")'),
    "invoice": _('invoice or payment due ("%(it)s")'),
    "receipt": _('receipt or confirmation ("%(it)s")'),
    "unsubscribe": _("can be unsubscribed from"),
    "newsletter": _('newsletter words ("%(it)s")'),
    "notification": _('automatic notice ("%(it)s")'),
    "away": _('out of office ("%(it)s")'),
    "bounce": _('could not be delivered ("%(it)s")'),
    "advert": _('advertising ("%(it)s")'),
    "get_rich": _('promises of money ("%(it)s")'),
    "pills": _('pills, sex and diets ("%(it)s")'),
    "advance_fee": _('talk of a fortune ("%(it)s")'),
    "credentials": _('wants a password, card or account data ("%(it)s")'),
    "instructs_ai": _('instructs an AI ("%(it)s")'),
    "speaks_to_ai": _('speaks to an AI ("%(it)s")'),
    "family": _('family and friends ("%(it)s")'),
    "finance_words": _('money matters ("%(it)s")'),
    "travel_words": _('travel ("%(it)s")'),
    "health_words": _('health ("%(it)s")'),
    "unhappy": _('something is wrong ("%(it)s")'),
    "thanks": _('thanks or praise ("%(it)s")'),
    "any_sentence": _("any sentence"),
    "question_mark": _("ends with a question mark"),
    "mailing_list": _("mailing list (List-Id %(it)s)"),
    "bulk_headers": _("bulk mail (%(it)s)"),
    "automatic_headers": _("sent by a machine (%(it)s)"),
    "replied_by_machine": _("answered by a machine (%(it)s)"),
    "machine_sender": _("sender takes no answers (%(it)s)"),
    "bulk_sender": _("sender of bulk mail (%(it)s)"),
    "bounce_sender": _("mail system (%(it)s)"),
    "flagged_spam": _("marked as spam on its way (%(it)s)"),
    "many_recipients": _("sent to %(it)s people"),
    "not_addressed": _("not addressed to us"),
    "copied": _("we are only in copy"),
    "authentication_failed": _("authentication failed (%(it)s)"),
    "authentication_passed": _("authentication passed"),
    "look_alike": _("look-alike of %(it)s"),
    "deceiving_name": _("the name shows another address (%(it)s)"),
    "turned_name": _("the name turns the direction of text"),
    "brand_mismatch": _("speaks for %(it)s from another domain"),
    "brand_named": _("names %(it)s in the subject, from another domain"),
    "answers_elsewhere": _("answers go elsewhere (%(it)s)"),
    "bare_address_link": _("link to a bare IP address (%(it)s)"),
    "misleading_link": _("link leads elsewhere than it says (%(it)s)"),
    "hidden_text": _("hidden text"),
    "risky_attachment": _("risky attachment (%(it)s)"),
    "known_sender": _("we have written to the sender (%(it)s)"),
    "seen_sender": _("has written before (%(it)s)"),
    "new_sender": _("first message of this sender"),
    "answered_since": _("answered since"),
    "answers_others": _("replies to someone else"),
    "answers_us": _("answers a message of ours"),
    "from_ourselves": _("from our own address"),
    "calendar_part": _("calendar invitation"),
    "has_start": _("starts at %(it)s"),
    "money": _("money: %(it)s"),
    "document": _("document attached (%(it)s)"),
    "shouting": _("shouts (%(it)s)"),
    "exclamations": _("exclamation marks"),
    "price_in_subject": _("price or percentage in the subject (%(it)s)"),
    "coded_subject": _("code at the end of the subject (%(it)s)"),
    "marked_advert": _("subject says it is advertising (%(it)s)"),
    "made_up_sender": _("made-up address (%(it)s)"),
    "mostly_links": _("little but links and pictures"),
    "one_way_sender": _("wrote %(it)s times and was never answered"),
    "disguised_words": _("disguised words (%(it)s)"),
    "unread_language": _("a language without rules (%(it)s)"),
    "no_text": _("no text to go by"),
    "little_text": _("little text to go by"),
    "none": _("no signal of any kind"),
}
# What a person could choose, of the kinds that are put before one.
OPTIONS = {
    "instructs_ai": _(
        "It holds instructions for an AI. Options: delete it, block %(sender)s, or keep it "
        "for the records."
    ),
    "phishing": _(
        "It may not come from whom it names. Options: report it, check with the real sender "
        "by a known way, or release it."
    ),
    "wants_credentials": _(
        "It asks for account data. Options: check the account directly, report it, or release it."
    ),
    "list_asks_us": _("An answer on the list. Options: answer it, or leave it."),
    "bank_change": _(
        "%(sender)s names another bank account. Options: ask by a known way, take it over, "
        "or refuse it."
    ),
    "outage": _(
        "%(sender)s reports a failure. Options: acknowledge it now, pass it on, or ask for details."
    ),
    "family_emergency": _(
        "%(sender)s writes about something urgent. Options: call, or answer by mail."
    ),
    "legal": _(
        "%(sender)s speaks of legal steps. Options: a holding answer, a call, or passing it on."
    ),
    "complaint": _(
        "%(sender)s is unhappy. Options: an apology with a remedy, a call, or a question "
        "about what happened."
    ),
    "invitation": _(
        "An invitation from %(sender)s. Options: accept, decline, or propose another time."
    ),
    "refund": _(
        "%(sender)s wants money back. Options: grant it, ask for the order number, or "
        "explain the terms."
    ),
    "urgent_invoice": _(
        "%(sender)s presses for a payment. Options: pay it, dispute it, or ask about it first."
    ),
    "invoice": _("An invoice from %(sender)s. Options: approve the payment, query it, or file it."),
    "urgent_request": _(
        "%(sender)s presses: %(what)s Options: answer now, name a time, or pass it on."
    ),
    "meeting": _(
        "%(sender)s would like to meet. Options: accept, propose another time, or decline."
    ),
    "deadline_request": _(
        "%(sender)s asks: %(what)s Options: answer, ask for more time, or decline."
    ),
    "request": _("%(sender)s asks: %(what)s Options: answer, ask back, or leave it."),
}
# What could be done next.
ACTIONS = {
    "read_as_text": _("Read it as text only"),
    "delete_and_block": _("Delete it and block %(sender)s"),
    "leave_links_alone": _("Leave its links and attachments alone"),
    "ask_by_known_way": _("Ask %(sender)s by a way known from before"),
    "report_phishing": _("Report it as phishing"),
    "open_by_own_address": _("Open the service by its own address and not by the link"),
    "delete": _("Delete it"),
    "block": _("Block %(sender)s"),
    "check_address": _("Check the address that could not be reached"),
    "send_to_another_address": _("Send it again to another address"),
    "keep_for_reference": _("Keep it for reference"),
    "answer_on_list": _("Answer on the list"),
    "archive": _("Archive it"),
    "read_later": _("Read it when there is time"),
    "unsubscribe": _("Unsubscribe from %(sender)s"),
    "unsubscribe_or_block": _("Unsubscribe or block %(sender)s"),
    "translate": _("Have it translated"),
    "ask_whether_true": _("Ask %(sender)s by a known way whether it is true"),
    "hold_payments": _("Hold payments to %(sender)s until then"),
    "keep_with_thread": _("Keep it with its thread"),
    "tell_looked_at": _("Tell %(sender)s that it is being looked at"),
    "pass_to_operator": _("Pass it to whoever runs the service"),
    "call": _("Call %(sender)s"),
    "answer": _("Answer %(sender)s"),
    "pass_to_legal": _("Have it read by whoever handles legal matters"),
    "draft_holding_answer": _("Draft a holding answer to %(sender)s"),
    "draft_complaint_answer": _("Draft an answer to %(sender)s that takes the complaint up"),
    "look_up": _("Look up what happened"),
    "compare_with_calendar": _("Compare it with the calendar"),
    "accept": _("Accept"),
    "decline": _("Decline"),
    "propose_another_time": _("Propose another time"),
    "file_receipt": _("File it with the receipts"),
    "check_order": _("Check the order"),
    "draft_refund_answer": _("Draft an answer to %(sender)s about the refund"),
    "check_invoice": _("Check the invoice against the order"),
    "ask_before_paying": _("Ask %(sender)s by a known way before paying"),
    "plan_payment": _("Plan the payment"),
    "check_whether_us": _("Check whether it was one of us"),
    "answer_now": _("Answer %(sender)s now"),
    "draft_answer": _("Draft an answer to %(sender)s"),
    "find_free_time": _("Look for a free time"),
    "draft_answer_with_time": _("Draft an answer to %(sender)s with a time"),
    "note_date": _("Note the date: %(when)s"),
    "open": _("Open the message"),
    "note_promise": _("Note what %(sender)s promised"),
}
