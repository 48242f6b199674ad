"""What a French goal tells the writer to do."""

WHOM = r"(?:(?:-|\s)(?:lui|leur|la|le|les)|\s(?:au client|à la cliente|aux clients|à (?-i:\p{Lu}\p{L}+)))"
POLITELY = r"(?:(?:poliment|gentiment|brièvement|aussi|puis|ensuite|d['’]abord|svp|s['’]il te plaît|s['’]il vous plaît)\s+)*"
_MEETING = r"(?:rendez-vous|réunion|rencontre|invitation|entretien|créneau|date|appel)"
_THE = r"(?:(?:le|la|les|un|une|son|sa|ses|notre|ce|cette|du|de la|des|de)\s|l['’]|d['’])"
PATTERNS = [
    ("style", r"(?:sois|soyez|reste[rz]?) (?:très )?(?:bref|brève|poli\w*|aimable|amical\w*|formel\w*|concis\w*)(?: et \p{L}+)?$|poliment$"),
    ("apologise", r"(?:excuse(?:-toi|z-vous)|s['’]excuser|présente[rz]?{w}? (?:nos|des|mes|tes|vos) excuses|demande[rz]? pardon)(?: auprès d['’e]\S*)?(?=\W|$)"),
    ("refund_declined", r"refuse[rz]?{w}? " + _THE + r"remboursement(?=\W|$)"),
    ("refund", r"(?:confirme[rz]?|accepte[rz]?|annonce[rz]?|accorde[rz]?|promet[sz]?){w}? " + _THE + r"remboursement(?=\W|$)|rembourse[rz]?{w}(?=\W|$)"),
    ("receive", r"(?:accuse[rz]? réception|confirme[rz]?{w}? (?:la |bonne )?réception(?: de son (?:message|mail|courriel))?)$"),
    ("accept_meeting", r"(?:accepte[rz]?|confirme[rz]?){w}? " + _THE + _MEETING + r"(?=\W|$)"),
    ("accept_time", r"(?:accepte[rz]?|confirme[rz]?){w}?(?=\s|$)"),
    ("decline_meeting", r"(?:refuse[rz]?|décline[rz]?){w}? " + _THE + _MEETING + r"(?=\W|$)"),
    ("move_meeting", r"(?:déplace[rz]?|reporte[rz]?|décale[rz]?) " + _THE + _MEETING + r"(?: (?:à|au))?(?=\W|$)"),
    ("cancel", r"annule[rz]?(?=\s)"),
    ("decline", r"(?:refuse[rz]?|décline[rz]?)(?: poliment)?(?:{w}? " + _THE + r"(?:offre|proposition|demande|partenariat))?(?=\W|$)"),
    ("accept", r"accepte[rz]?(?=\s|$)"),
    ("propose", r"(?:propose[rz]?|suggère|suggére[rz]){w}?(?=\s)"),
    ("ask_to", r"demande[rz]?{w} (?:de |d['’])(?=\p{L}+(?:er|ir|re)\b)"),
    ("ask_to", r"demande[rz]?{w} de (?=(?:nous|me) \p{L}+(?:er|ir|re)\b)"),
    ("ask_whether", r"demande[rz]?{w}? (?=(?:si|combien|quand|comment|où|pourquoi|quel\w*)\s)"),
    ("wish", r"souhaite[rz]?{w}(?=\s)"),
    ("offer", r"(?:offre|propose)[rz]?{w}? (?=(?:un|une|des|\d)\b)"),
    ("ask", r"demande[rz]?{w}?(?=\s)"),
    ("thank", r"(?:remercie[rz]?)(?:{w}|(?P<whom>\s(?-i:(?:(?:M\.|Mme|Madame|Monsieur)\s)?\p{Lu}\p{L}+)))?(?: (?:pour|de))?(?=\W|$)"),
    ("promise_by", r"(?:promet[sz]?|annonce[rz]?){w}? (?:une réponse|un retour|des nouvelles|de répondre)(?=\s)"),
    ("look_into", r"(?:dis|dites|dire){w}? que nous (?:examinons|vérifions|étudions) (?:cela|sa demande|la question|le dossier)$"),
    ("confirm", r"confirme[rz]?{w}?(?: que\b)?(?=\W|$)"),
    ("answer", r"répond[sez]*{w}?(?: à (?:ses|leurs|toutes les|son|la)(?: \p{L}+){1,2})?$"),
    ("quote", r"(?:dis|dites|écris|écrivez|répond[sez]*){w}?\s?:?(?=\s*[“\"„«])"),
    ("say", r"(?:dis|dites|dire|informe[rz]?(?:\s(?-i:\p{Lu}\p{L}+))?|explique[rz]?|écri[stvez]*|précise[rz]?|mentionne[rz]?|répond[sez]*|promet[sz]?){w}? qu(?:e\s|['’])"),
]  # fmt: skip
