"""Why a call waits, why nothing can be decided, and what became of something: by code."""

# Marks what `make messages` collects; it is translated where it is told.
_ = str

# Why a person is asked, or nobody is.
CALLS = {
    "leaves": _("Anything sent needs approval."),
    "writes_own": _("%(person)s is writing it and will review it before it is sent."),
    "brake": _("%(count)s deletions within %(minutes)s minutes; further ones need approval."),
    "flow_held": _("The policy %(policy)s requires approval: %(rule)s."),
    "flow_held_unless": _("Needs approval unless a policy says otherwise: %(rule)s."),
    "flow_flagged": _("It was done right away and flagged: %(flags)s."),
    "does_otherwise": _("it would now do something other than what was proposed"),
    "over_deletions": _("%(count)s deletions within %(span)s; further ones need approval."),
    "over_reads": _(
        "%(count)s texts were read within %(span)s; the agent needs approval to keep reading."
    ),
    "over_of_agent": _(
        "Held by a quota: %(count)s proposals from this agent within %(span)s. Someone has to "
        "decide."
    ),
    "over_of_account": _(
        "Held by a quota: %(count)s proposals from this account within %(span)s. Someone has to "
        "decide."
    ),
    "over_of_recipient": _(
        "Held by a quota: %(count)s proposals to one recipient within %(span)s. Someone has to "
        "decide."
    ),
    "over_behind": _(
        "Held by a quota, like earlier proposals from this agent. Someone has to decide on all "
        "of them."
    ),
    "span_seconds": _("%(count)s seconds"),
    "span_minutes": _("%(count)s minutes"),
    "span_hours": _("%(count)s hours"),
    "span_days": _("%(count)s days"),
    "reaches": _("It reaches %(people)s"),
    "reaches_more": _("It reaches %(people)s and %(count)s more"),
    "agents_propose": _("Agents propose this; people decide."),
    "lowers_attention": _("It lowers attention: %(how)s."),
    "leaves_quarantine": _("leaves quarantine for %(status)s"),
    "moves": _("moves from %(before)s to %(status)s"),
    "lowers_tier": _("lowers the tier from %(before)s to %(tier)s"),
    "lowers_urgency": _("lowers the urgency from %(before)s to %(urgency)s"),
    "lifts_confidence": _(
        "raises the confidence from %(before)s to %(after)s, above the quarantine limit"
    ),
    "lacks_scope": _("The token lacks the scope %(scope)s."),
    "lacks_tool": _("The token is only for other tools, not for %(tool)s."),
    "is_paused": _("The agent %(agent)s is paused."),
    "inbox_paused": _("The inbox %(address)s is paused: nothing is sent from it."),
    "scope": _("scope %(scope)s"),
    "needs_no_scope": _("needs no scope"),
    "approved_by": _("approved by %(person)s"),
    "same_call": _("the same call as %(receipt)s"),
    "same_proposal": _("the same proposal as %(approval)s, which still needs approval"),
}
# What changed since something was sealed.
DRIFT = {
    "draft_is": _("the draft is %(status)s"),
    "draft_deleted": _("the draft was deleted"),
    "draft_changed": _("changed in the draft: %(parts)s"),
    "draft_version": _("the draft is now at version %(now)s, not %(sealed)s"),
    "sender_changed": _("the sender is now %(now)s; it was sealed with %(sealed)s"),
    "other_policy": _("another reply policy applies"),
    "policy_version": _("the policy %(name)s is now at version %(now)s, not %(sealed)s"),
    "newer_message": _("the thread has a newer message, from %(who)s"),
    "newer_proposal": _("a newer proposal replaced it"),
    "newer_of_draft": _("A newer proposal of the same draft replaced it."),
    "newer_of_same": _("a newer proposal of the same replaced it"),
    "event_gone": _("the event is no longer in the calendar"),
    "event_changed": _("the event has been changed: it is now at revision %(now)s"),
    "event_called_off": _("the event has been canceled"),
    "agent_withdrew": _("the agent withdrew it"),
}
# Why nothing is decided, put off or taken back, and what ended it.
REFUSALS = {
    "decided_meanwhile": _("Someone else has already decided"),
    "already": _("It is already %(status)s"),
    "cannot_be_undone": _("It is %(status)s and cannot be undone"),
    "expired": _("It has expired without a decision"),
    "nobody_decided": _("It expired without a decision."),
    "not_as_shown": _("This has changed since you opened it"),
    "no_mail": _("This call would not send any mail"),
    "edit_flagged": _("The edited message raises flags"),
    "changes": _("%(changes)s"),
    "void": _("No longer valid: %(changes)s"),
    "no_tool": _("The tool %(tool)s no longer exists"),
    "no_grant": _("%(agent)s no longer has access to %(account)s."),
    "not_a_decider": _("Only owners and reviewers of the workspace can decide"),
    "own_proposal": _("You cannot decide your own proposal"),
    "back_to_draft": _("It is a draft again."),
    "planted_missed": _(
        "It was planted, to see whether a reviewer notices what is wrong with it, and was approved "
        "with it: missed. Nothing was sent. Wrong was: %(wrong)s"
    ),
    "planted_caught": _(
        "It was planted, to see whether a reviewer notices what is wrong with it, and one did: "
        "caught. Nothing was sent. Wrong was: %(wrong)s"
    ),
    "planted_undecided": _(
        "It was planted, to see whether a reviewer notices what is wrong with it. Nobody decided, "
        "so it counts as neither caught nor missed."
    ),
    "planted_no_undo": _("It was planted: nothing was sent, so there is nothing to undo"),
    "planting_on": _(
        "%(person)s has planted items mixed into the queue: at most %(count)s a day, and "
        "%(percent)s in a hundred decisions."
    ),
    "planting_off": _("%(person)s has no planted items mixed into the queue any more."),
    "anothers_own": _("Its author has not sent it yet"),
    "never_in_batch": _("The policy %(policy)s does not allow approving it in a batch"),
    "wants_another": _("You already approved it; it needs a second person's approval"),
    "wants_fresh": _("The policy %(policy)s requires you to confirm your password first"),
    "time_past": _("That time has passed."),
    "time_too_far": _("That is more than a year away."),
    "expires_before": _(
        "It expires before that, on %(at)s. Decide now, or choose an earlier time."
    ),
    "nothing_to_put_off": _("It is %(status)s and cannot be snoozed."),
    "not_putting_off": _("Only owners and reviewers of the workspace can snooze."),
    "put_off": _("snoozed until %(at)s"),
    "woken_early": _("brought back early"),
    "submission_already": _("The submission is already %(status)s."),
    "submission_expired": _("The submission has expired."),
    "other_bytes": _("The approved message is not the sealed one."),
    "damaged": _("The sealed message was changed in the database."),
    "undo_over": _("The time to undo has passed."),
    "undone": _("Undone before it was sent."),
    "undone_by": _("undone by %(person)s"),
    "rejected_held": _("rejected by %(person)s together with everything held by a quota"),
    "stopped_by": _("stopped by %(person)s"),
    "edited_by": _("edited by %(person)s"),
    "not_waiting_again": _("undone by %(person)s; it does not need approval again: %(why)s"),
    "origin_is": _("It is already trusted as “%(status)s”."),
    "say_reason": _("Enter the reason"),
    "say_feedback": _("Enter the feedback"),
}
# What became of what was to be sent.
SENDING = {
    "not_as_approved": _("the sealed message is not the approved one"),
    "nobody_approved": _("no approver is named"),
    "given_up": _("Gave up after %(count)s attempts. The last error: %(why)s"),
    "found": _("It was sent: Chancery found it on the server."),
    "found_after_crash": _("The worker stopped, but it was sent: Chancery found it on the server."),
    "ended_before": _("The worker stopped before the server accepted the message."),
    "ended_after": _("The worker stopped after handing it over, before the answer came."),
    "submission_is": _("The submission is %(status)s."),
    "said_sent": _("%(person)s says it was sent."),
    "said_not_sent": _("%(person)s says it was not sent."),
    "awaits_login": _("Waiting for a working password: %(why)s"),
    "awaited_login": _("It waited for a working password until it expired."),
    "said_arrived": _("%(person)s says it arrived"),
    "said_lost": _("%(person)s says it did not arrive"),
    "person_approved": _("%(person)s approved %(tool)s"),
    "approved_first": _(
        "%(person)s approved %(tool)s; the policy %(policy)s requires a second person"
    ),
    "approved_second": _("%(person)s approved %(tool)s, after %(first)s"),
    "extended": _("everyone else who can decide is away: it waits a day longer for %(names)s"),
    "answer_approved": _("its answer, %(approval)s, was approved"),
    "answer_taken_back": _("its answer, %(approval)s, was undone"),
    "answer_not_sent": _("its answer, %(approval)s, was not sent"),
    "sent_back": _("sent back: %(why)s"),
    "rejected": _("rejected: %(why)s"),
    "copy_field_added": _("Fields added to the header: %(names)s."),
    "copy_field_changed": _("Fields changed in the header: %(names)s."),
    "copy_field_missing": _("Fields missing from the header: %(names)s."),
    "copy_text": _("The text differs."),
    "copy_html": _("The HTML differs."),
    "copy_attachment": _("An attachment differs."),
    "copy_parts": _("It is made of other parts."),
    "copy_order": _("Its parts stand in another order."),
    "copy_layout": _("Only the layout differs: line breaks, order or encoding."),
}
# What is said of an activity beside what the rules saw.
NOTES = {
    "saw": _("%(kind)s: %(signs)s."),
    "bounced": _("It says that mail sent from here did not arrive."),
    "not_from_organizer": _(
        "The invitation in it is not from the event's organizer and changed nothing."
    ),
    "not_from_attendee": _("It answers for someone who did not send it, and changed nothing."),
    "proposes_time": _(
        "It proposes another time for one of our events; the event stays unchanged."
    ),
    "asks_for_event": _("It asks for one of our events to be sent again."),
    "called_off": _("The organizer canceled it."),
    "told_on_time": _("%(agent)s asked for you to be told on %(at)s."),
    "corrected_sender": _(
        "Because of a correction by %(person)s on %(at)s: mail from %(name)s is %(parts)s."
    ),
    "corrected_domain": _(
        "Because of a correction by %(person)s on %(at)s: all mail from %(name)s is %(parts)s."
    ),
    "corrected_list": _(
        "Because of a correction by %(person)s on %(at)s: mail from the list %(name)s is %(parts)s."
    ),
    "route_surface": _("always surfaced"),
    "route_review": _("put up for review"),
    "route_note": _("noted, never needs attention"),
    "route_dismiss": _("dismissed"),
    "of_kind": _("of kind %(kind)s"),
    "of_urgency": _("of %(urgency)s urgency"),
    "of_tier": _("of tier %(tier)s"),
    "read_note": _("Read the note"),
    "note_options": _("You could act on the note, or dismiss it."),
    "learned_unwanted": _(
        "Learned from decisions (version %(version)s): people put mail like this away as unwanted. "
        "What spoke for it: %(words)s."
    ),
    "learned_aside": _(
        "Learned from decisions (version %(version)s): people dismiss mail like this. What spoke "
        "for it: %(words)s."
    ),
    "learned_wanted": _(
        "Learned from decisions (version %(version)s): people look at mail like this. What spoke "
        "for it: %(words)s."
    ),
    "learned_off": _("What was learned from decisions turned itself off. %(why)s"),
    "learned_worse": _(
        "Of %(count)s items that it moved and people decided, they decided %(wrong)s otherwise."
    ),
    "learned_intents_worse": _(
        "Of %(count)s messages that were filed since, it named %(right)s as they were filed, the "
        "rules alone %(rules)s."
    ),
    "learned_replaced": _("Replaced by version %(version)s."),
    "look_at_learned": _("Open what was learned"),
    "learned_options": _("You could look at where it differed, and turn on another version."),
    "webhook_off": _("A webhook set up by an owner was turned off. %(why)s"),
    "look_at_webhook": _("Open the webhook"),
    "webhook_options": _("You could fix the webhook and turn it on again, or remove it."),
}
# What people do in settings, and what comes due: why a receipt was written.
RECEIPTS = {
    "released": _("%(person)s moved it to the queue despite its quota"),
    "set_up_by": _("%(person)s set it up"),
    "set_up_agent": _("%(person)s set up %(agent)s"),
    "client_left": _("%(client)s signed out of %(agent)s"),
    "client_used_twice": _(
        "what %(client)s may use once was used twice; its token for %(agent)s is revoked"
    ),
    "paused_agent": _("%(person)s paused %(agent)s"),
    "resumed_agent": _("%(person)s resumed %(agent)s"),
    "stopped_agent": _("stopped by %(person)s: %(agent)s"),
    "decided_request": _("%(person)s decided on a request of %(agent)s"),
    "brought_back_by": _("%(person)s restored it"),
    "done_by": _("%(person)s did it"),
    "origin_raised": _("%(person)s vouches for it: trust raised from “%(before)s” to “%(status)s”"),
    "made_workspace": _("%(person)s created it for %(owner)s"),
    "saved_version": _("%(person)s saved version %(version)s"),
    "silence_right": _("%(person)s says it was right not to ask"),
    "silence_wrong": _("%(person)s says someone should have been asked"),
    "batch_taken_back": _("%(back)s of %(count)s items approved together were undone"),
    "snooze_ended": _("its snooze ended at %(at)s"),
    "incoming_says": _("according to an incoming message"),
    "came_due": _("It was due."),
    "due_waits": _("It was due, and its call needs approval."),
    "due_failed": _("It was due but failed: %(why)s"),
    "late_by": _("It ran %(late)s late: it was due at %(at)s."),
    "job_given_up": _("internal: The job that does it was given up"),
    "approval_was": _("conflict: The approval was %(status)s."),
    "approval_was_for": _("conflict: The approval was %(status)s. %(why)s"),
    "call_failed": _("%(error)s: %(why)s"),
    "uses_model_for": _("%(person)s lets the language model be used for: %(tasks)s"),
    "uses_no_model": _("%(person)s lets the language model be used for nothing"),
    "read_by_model": _("%(model)s read it; marks kept: %(used)s, dropped: %(dropped)s"),
}
# Why a language model gave nothing that can be used.
MODELS = {
    "model_unset": _("CHANCERY_MODEL names no model such as openai:NAME or anthropic:NAME."),
    "model_not_installed": _("chancery[model] is not installed."),
    "model_not_allowed": _(
        "Its address is not public, or not https, and CHANCERY_MODEL_ALLOW does not name its host."
    ),
    "model_unreachable": _("Its server could not be reached, or broke off."),
    "model_slow": _("Its server did not answer in time."),
    "model_busy": _("Its server was asked too much."),
    "model_refused_key": _("Its server refused the key."),
    "model_refused": _("Its server refused the question."),
    "model_server_error": _("Its server failed."),
    "model_too_long": _("Its answer was too long."),
    "model_garbled": _("Its answer could not be read."),
    "model_unfinished": _("Its answer was cut off."),
    "model_over_tokens": _("Today's tokens for this account are used up."),
    "model_over_seconds": _("Today's time for this account is used up."),
}
# What may stand in another.
TERMS = {
    "quoted": _("“%(words)s”."),
    "something": _("something."),
    "the_sender": _("the sender"),
    "the_date_named": _("the date named"),
    "nobody_named": _("no one named"),
}
