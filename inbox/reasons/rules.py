"""What the rules of `inbox/classify` say of a message, by the names they have in `rules.yaml`."""

# Marks what `make messages` collects; it is translated where it is told.
_ = str

# What it is.
KINDS = {
    "instructs_ai": _("Tries to instruct an AI; nothing here follows it"),
    "phishing": _("Looks like phishing"),
    "wants_credentials": _("Asks for account data, and the sender is not confirmed"),
    "scam": _("Looks like a scam"),
    "bounce": _("A message could not be delivered"),
    "away": _("An absence notice"),
    "list_asks_us": _("A mailing list message that answers us"),
    "bulk": _("A newsletter or list message"),
    "advertising": _("Advertising"),
    "one_way": _("From a sender who often writes to others and was never answered"),
    "unread": _("A language without rules, from a stranger"),
    "bank_change": _("Changed bank details; payments would go to a different account"),
    "answered": _("Past"),
    "outage": _("Reports that something is down"),
    "family_emergency": _("An urgent family matter"),
    "legal": _("A legal matter"),
    "complaint": _("A complaint"),
    "cancelled_event": _("A canceled meeting, or an answer to an invitation"),
    "invitation": _("An invitation"),
    "receipt": _("A receipt or confirmation"),
    "aside_answer": _("A reply to someone else"),
    "refund": _("Wants a refund"),
    "urgent_invoice": _("An urgent payment"),
    "invoice": _("An invoice or payment"),
    "machine_alert": _("An account notice"),
    "notice": _("An automatic notice"),
    "urgent_request": _("An urgent request"),
    "meeting": _("Proposes to meet"),
    "deadline_request": _("A request with a deadline"),
    "request": _("A request or question"),
    "empty": _("Not enough to go on"),
    "promise": _("Promises something"),
    "thanks": _("Thanks"),
    "dated_information": _("Information with a date"),
    "information": _("Information"),
}
# What was seen of it; `it` is what was found.
SIGNS = {
    "please": _('asks for something ("%(it)s")'),
    "please_note": _("asks you to take note"),
    "asks_you": _('asks whether you can ("%(it)s")'),
    "question_words": _("asks a question"),
    "let_me_know": _('wants to be kept informed ("%(it)s")'),
    "contact_us": _('asks to get in touch ("%(it)s")'),
    "needs": _('needs something ("%(it)s")'),
    "we_must": _('says what is to be done together ("%(it)s")'),
    "you_must": _('says what is to be done ("%(it)s")'),
    "looks_forward": _("looks forward to something"),
    "if_questions": _('a closing line ("%(it)s")'),
    "keep_receiving": _("how to keep receiving it, or stop"),
    "states": _("shares information"),
    "offers": _('offers something ("%(it)s")'),
    "talk_words": _('talk of meeting or speaking ("%(it)s")'),
    "others_act": _("speaks of others"),
    "told_past": _("says what happened"),
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
    "refund": _('wants a refund ("%(it)s")'),
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
    "turned_name": _("the name reverses the text direction"),
    "brand_mismatch": _("speaks for %(it)s from another domain"),
    "brand_named": _("names %(it)s in the subject, from another domain"),
    "answers_elsewhere": _("answers would go elsewhere (%(it)s)"),
    "bare_address_link": _("link to a bare IP address (%(it)s)"),
    "misleading_link": _("link does not lead where it says (%(it)s)"),
    "hidden_text": _("hidden text"),
    "risky_attachment": _("risky attachment (%(it)s)"),
    "known_sender": _("we have written to the sender (%(it)s)"),
    "seen_sender": _("wrote before (%(it)s)"),
    "new_sender": _("first message of this sender"),
    "answered_since": _("answered since"),
    "answers_others": _("replies to someone else"),
    "answers_us": _("answers a message of ours"),
    "from_ourselves": _("from our own address"),
    "calendar_part": _("calendar invitation"),
    "has_start": _("starts at %(it)s"),
    "money": _("money: %(it)s"),
    "document": _("document attached (%(it)s)"),
    "shouting": _("written in capitals (%(it)s)"),
    "exclamations": _("exclamation marks"),
    "price_in_subject": _("price or percentage in the subject (%(it)s)"),
    "coded_subject": _("code at the end of the subject (%(it)s)"),
    "marked_advert": _("subject says it is advertising (%(it)s)"),
    "made_up_sender": _("made-up address (%(it)s)"),
    "mostly_links": _("almost only links and pictures"),
    "one_way_sender": _("wrote %(it)s times and was never answered"),
    "disguised_words": _("disguised words (%(it)s)"),
    "unread_language": _("a language without rules (%(it)s)"),
    "no_text": _("no text to go on"),
    "little_text": _("little text to go on"),
    "none": _("no sign of any kind"),
}
# What a person could choose, of the kinds that are put before one.
OPTIONS = {
    "instructs_ai": _(
        "It contains instructions for an AI. Options: delete it, block %(sender)s, or keep it "
        "for the records."
    ),
    "phishing": _(
        "It may not be from the person it names. Options: report it, check with the real sender "
        "another way, or release it."
    ),
    "wants_credentials": _(
        "It asks for account data. Options: check the account directly, report it, or release it."
    ),
    "list_asks_us": _("An answer on the list. Options: answer it or ignore it."),
    "bank_change": _(
        "%(sender)s names a different bank account. Options: check with them another way, accept "
        "it, or reject it."
    ),
    "outage": _(
        "%(sender)s reports an outage. Options: acknowledge it now, pass it on, or ask for details."
    ),
    "family_emergency": _(
        "%(sender)s writes about something urgent. Options: call, or answer by mail."
    ),
    "legal": _(
        "%(sender)s mentions legal action. Options: send a holding reply, call, or pass it on."
    ),
    "complaint": _(
        "%(sender)s is unhappy. Options: an apology with a remedy, a call, or a question "
        "about what happened."
    ),
    "invitation": _(
        "An invitation from %(sender)s. Options: accept, decline, or propose another time."
    ),
    "refund": _(
        "%(sender)s wants a refund. Options: grant it, ask for the order number, or explain the "
        "terms."
    ),
    "urgent_invoice": _(
        "%(sender)s is pressing for a payment. Options: pay it, dispute it, or ask about it first."
    ),
    "invoice": _("An invoice from %(sender)s. Options: approve the payment, query it, or file it."),
    "urgent_request": _(
        "%(sender)s is in a hurry: %(what)s Options: answer now, say when you will, or pass it on."
    ),
    "meeting": _(
        "%(sender)s would like to meet. Options: accept, propose another time, or decline."
    ),
    "deadline_request": _(
        "%(sender)s asks: %(what)s Options: answer, ask for more time, or decline."
    ),
    "request": _("%(sender)s asks: %(what)s Options: answer, ask back, or ignore it."),
}
# What could be done next.
ACTIONS = {
    "read_as_text": _("Read it as text only"),
    "delete_and_block": _("Delete and block %(sender)s"),
    "leave_links_alone": _("Don't open its links or attachments"),
    "ask_by_known_way": _("Check with %(sender)s the way you usually reach them"),
    "report_phishing": _("Report it as phishing"),
    "open_by_own_address": _("Open the service by its own address, not through the link"),
    "delete": _("Delete"),
    "block": _("Block %(sender)s"),
    "check_address": _("Check the address that could not be reached"),
    "send_to_another_address": _("Send it again to another address"),
    "keep_for_reference": _("Keep it for reference"),
    "answer_on_list": _("Answer on the list"),
    "archive": _("Archive"),
    "read_later": _("Read it when there is time"),
    "unsubscribe": _("Unsubscribe from %(sender)s"),
    "unsubscribe_or_block": _("Unsubscribe or block %(sender)s"),
    "translate": _("Have it translated"),
    "ask_whether_true": _("Check with %(sender)s another way whether it is true"),
    "hold_payments": _("Hold payments to %(sender)s until then"),
    "keep_with_thread": _("Keep it with its thread"),
    "tell_looked_at": _("Tell %(sender)s that it is being looked at"),
    "pass_to_operator": _("Pass it to someone who runs the service"),
    "call": _("Call %(sender)s"),
    "answer": _("Answer %(sender)s"),
    "pass_to_legal": _("Pass it to someone who handles legal matters"),
    "draft_holding_answer": _("Draft a holding reply to %(sender)s"),
    "draft_complaint_answer": _("Draft an answer to %(sender)s that addresses the complaint"),
    "look_up": _("Look up what happened"),
    "compare_with_calendar": _("Compare it with the calendar"),
    "accept": _("Accept"),
    "decline": _("Decline"),
    "propose_another_time": _("Propose another time"),
    "file_receipt": _("File it with the receipts"),
    "check_order": _("Check the order"),
    "draft_refund_answer": _("Draft an answer to %(sender)s about the refund"),
    "check_invoice": _("Check the invoice against the order"),
    "ask_before_paying": _("Check with %(sender)s another way before paying"),
    "plan_payment": _("Plan the payment"),
    "check_whether_us": _("Check whether it was one of us"),
    "answer_now": _("Answer %(sender)s now"),
    "draft_answer": _("Draft an answer to %(sender)s"),
    "find_free_time": _("Find a free time"),
    "draft_answer_with_time": _("Draft an answer to %(sender)s that proposes a time"),
    "note_date": _("Note the date: %(when)s"),
    "open": _("Open the message"),
    "note_promise": _("Note what %(sender)s promised"),
}
