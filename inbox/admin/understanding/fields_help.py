"""What may stand in a policy, a taxonomy and a schema, told beside the editor."""

from typing import Any

from django.utils.translation import gettext_lazy as _

# The field, what it does, and how it is written.
POLICY: tuple[tuple[str, Any, str], ...] = (
    ("tone", _("How a reply sounds: friendly, formal or brief."), "tone: formal"),
    ("tones", _("The tones a reply can have, the default first."), "tones: [formal, brief]"),
    ("max_length", _("How many characters a reply can have."), "max_length: 2500"),
    (
        "forbidden_phrases",
        _("Phrases that must not appear in a reply; with block, it cannot be sent at all."),
        "forbidden_phrases:\n  - as an AI\n  - phrase: /guarant\\w+/\n"
        "    reason: Nothing is.\n    block: true",
    ),
    (
        "redactions",
        _("What is redacted: iban, card, ssn, secret, phone, email, or a named pattern."),
        "redactions:\n  - iban\n  - name: a case number\n    pattern: 'CN-\\d{6}'",
    ),
    (
        "required_disclosures",
        _("Texts that every reply includes: one for all, or one per language."),
        "required_disclosures:\n  - en: Not legal advice.\n    de: Keine Rechtsberatung.",
    ),
    ("allowed_links", _("Hosts a reply can link to."), "allowed_links: [lantern.example]"),
    (
        "recipients",
        _("Who agents can and cannot write to: addresses, domains, globs."),
        "recipients:\n  block: ['*.example.net']",
    ),
    (
        "approval",
        _("When a draft needs review. Sending always needs approval."),
        "approval:\n  required_when:\n    - new_recipient\n    - amount_over: 500\n"
        "      currency: EUR\n    - confidence_below: 0.7",
    ),
    (
        "flows",
        _(
            "How agents' actions are handled: allow, flag, hold for approval, or block. If left "
            "out: as in the example."
        ),
        "flows:\n  stranger_recipient: flag\n  readers: flag\n  invitation: allow\n"
        "  destroy: allow\n  card_address_change: hold\n  silent_cancel: hold\n"
        "  overwrite_attached_file: hold",
    ),
    (
        "quotas",
        _("How much agents can do in a period; anything beyond needs approval. Any: no limit."),
        "quotas:\n  - what: deletions\n    most: 5\n    within: 10m\n"
        "  - what: proposals\n    per: recipient\n    most: 20\n    within: 24h\n"
        "  - what: reads\n    most: any\n    within: 24h",
    ),
    (
        "decisions",
        _(
            "What approving requires: never in a batch, a second person, a fresh sign-in. Kinds "
            "are message, meeting, share, deletion, change and reading."
        ),
        "decisions:\n  - kinds: [meeting, deletion]\n    second_approver: true\n"
        "  - when: [new_recipient, amount_over: 1000]\n    fresh_sign_in: true\n"
        "  - kinds: [share]\n    batch: never",
    ),
    ("greeting", _("How a reply starts, by tone and language."), "greeting:\n  en: Dear {name},"),
    ("closing", _("How a reply ends, by tone and language."), "closing: Kind regards"),
    ("signature", _("The signature, by language."), "signature: Lantern Ltd"),
)  # fmt: skip
TAXONOMY: tuple[tuple[str, Any, str], ...] = (
    (
        "intents",
        _(
            "What a message can be about. Each intent has a name and a route, and a description, "
            "signs, or both; the one for which signs and words say most wins."
        ),
        "intents:\n  - name: refund\n    route: billing\n"
        "    description: goods that come back\n    urgency: high\n    weight: 1.2\n"
        "    signals: [refund]\n    phrases:\n      en: [money back]\n    patterns: ['RMA-\\d+']",
    ),
    (
        "default",
        _("What a message counts as if it has no sign."),
        "default:\n  intent: other\n  route: office",
    ),
    (
        "urgency",
        _("Signs that make any message urgent, or less urgent."),
        "urgency:\n  high:\n    phrases: [by noon]\n  low:\n    phrases: [no hurry]",
    ),
)
SCHEMA: tuple[tuple[str, Any, str], ...] = (
    ("title", _("The name of the schema."), '"title": "Order"'),
    ("type", _("The top level is always an object."), '"type": "object"'),
    (
        "properties",
        _("The fields to find. Their names, titles and descriptions say what to look for."),
        '"properties": {\n  "order_number": {"type": "string"},\n  "total": {"type": "number"}\n}',
    ),
    ("required", _("Fields that are reported when missing."), '"required": ["order_number"]'),
    (
        "format",
        _("Dates, times, addresses: date, date-time, email, uri."),
        '"due": {"type": "string", "format": "date"}',
    ),
    ("enum", _("The only values a field can have."), '"size": {"enum": ["S", "M", "L"]}'),
)
