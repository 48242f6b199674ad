"""Why a call waits, why nothing can be decided, and what became of something: by code."""

# Marks what `make messages` collects; it is translated where it is told.
_ = str

# Why a person is asked, or nobody is.
CALLS = {
    "leaves": _("Anything sent needs approval."),
    "writes_own": _("%(person)s writes it, and looks at it once more before it leaves."),
    "brake": _("%(count)s deletions within %(minutes)s minutes; further ones need approval."),
    "flow_held": _("The policy %(policy)s requires approval: %(rule)s."),
    "flow_held_unless": _("Needs approval unless a policy says otherwise: %(rule)s."),
    "flow_flagged": _("It was done at once, and is flagged: %(flags)s."),
    "does_otherwise": _("it would do something else by now than when it was proposed"),
    "over_deletions": _("%(count)s deletions within %(span)s; further ones need approval."),
    "over_reads": _(
        "%(count)s texts were read within %(span)s; a person decides whether the agent may "
        "go on reading."
    ),
    "over_of_agent": _(
        "Held by a quota: %(count)s proposals of this agent within %(span)s. A person decides."
    ),
    "over_of_account": _(
        "Held by a quota: %(count)s proposals from this account within %(span)s. A person decides."
    ),
    "over_of_recipient": _(
        "Held by a quota: %(count)s proposals to one recipient within %(span)s. A person decides."
    ),
    "over_behind": _(
        "Held by a quota: earlier proposals of this agent are. A person decides on all of them."
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
        "lifts the confidence from %(before)s to %(after)s, over the line of quarantine"
    ),
    "lacks_scope": _("The token lacks the scope %(scope)s."),
    "is_paused": _("The agent %(agent)s is paused."),
    "inbox_paused": _("The inbox %(address)s is paused: nothing leaves from it now."),
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
    "draft_version": _("the draft is at version %(now)s now, not %(sealed)s"),
    "sender_changed": _("the sender is %(now)s now, sealed was %(sealed)s"),
    "other_policy": _("another reply policy applies"),
    "policy_version": _("the policy %(name)s is at version %(now)s now, not %(sealed)s"),
    "newer_message": _("the thread has a newer message, from %(who)s"),
    "newer_proposal": _("a newer proposal took its place"),
    "newer_of_draft": _("A newer proposal of the same draft took its place."),
    "newer_of_same": _("a newer proposal of the same took its place"),
    "event_gone": _("the event is not in the calendar any more"),
    "event_changed": _("the event was changed meanwhile: it is at revision %(now)s"),
    "event_called_off": _("the event was called off meanwhile"),
}
# Why nothing is decided, put off or taken back, and what ended it.
REFUSALS = {
    "decided_meanwhile": _("Someone else has already decided"),
    "already": _("It is %(status)s already"),
    "cannot_be_undone": _("It is %(status)s, so nothing can be undone"),
    "expired": _("Nobody decided in time; it has expired"),
    "nobody_decided": _("Nobody decided in time."),
    "not_as_shown": _("This has changed since you opened it"),
    "no_mail": _("Nothing would leave by this call: there is no mail"),
    "edit_flagged": _("The message as it is edited raises flags"),
    "changes": _("%(changes)s"),
    "void": _("Void: %(changes)s"),
    "no_tool": _("There is no tool %(tool)s any more"),
    "no_grant": _("%(agent)s has no grant on %(account)s any more."),
    "not_a_decider": _("Only owners and reviewers of the workspace can decide"),
    "own_proposal": _("You cannot decide your own proposal"),
    "back_to_draft": _("It is a draft again."),
    "anothers_own": _("Whoever writes it has not sent it yet"),
    "never_in_batch": _("The policy %(policy)s does not allow approving it in a batch"),
    "wants_another": _("You already approved it; a second person has to approve it too"),
    "wants_fresh": _("The policy %(policy)s requires you to confirm your password first"),
    "time_past": _("That time is past."),
    "time_too_far": _("That is more than a year away."),
    "expires_before": _("It expires before that, on %(at)s. Decide now, or snooze it for less."),
    "nothing_to_put_off": _("It is %(status)s, so there is nothing to snooze."),
    "not_putting_off": _("Only owners and reviewers of the workspace can snooze."),
    "put_off": _("snoozed until %(at)s"),
    "woken_early": _("taken back before its time"),
    "submission_already": _("The submission is %(status)s already."),
    "submission_expired": _("The submission has expired."),
    "other_bytes": _("What was approved is not what was sealed."),
    "damaged": _("The sealed bytes have changed in the database."),
    "undo_over": _("The time to undo it is over."),
    "undone": _("Undone before it was sent."),
    "undone_by": _("undone by %(person)s"),
    "rejected_held": _("rejected by %(person)s with all that a quota held"),
    "stopped_by": _("stopped by %(person)s"),
    "edited_by": _("edited by %(person)s"),
    "not_waiting_again": _("undone by %(person)s; it does not wait again: %(why)s"),
    "origin_is": _("Its origin is “%(status)s” already."),
    "say_reason": _("Say the reason"),
    "say_feedback": _("Say the feedback"),
}
# What became of what was to be sent.
SENDING = {
    "not_as_approved": _("the sealed bytes are not those that were approved"),
    "nobody_approved": _("no person is named who approved it"),
    "given_up": _("Given up after %(count)s attempts; the last one: %(why)s"),
    "found": _("It was sent: it was found."),
    "found_after_crash": _("The worker ended, but it was sent: it was found."),
    "ended_before": _("The worker ended before the message was taken."),
    "ended_after": _("The worker ended after handing it over and before the answer came."),
    "submission_is": _("The submission is %(status)s."),
    "said_sent": _("%(person)s says that it was sent."),
    "said_not_sent": _("%(person)s says that it was not sent."),
    "awaits_login": _("Waits for a working password: %(why)s"),
    "awaited_login": _("It waited for a working password until its time was over."),
    "said_arrived": _("%(person)s says that it arrived"),
    "said_lost": _("%(person)s says that it did not arrive"),
    "person_approved": _("%(person)s approved %(tool)s"),
    "approved_first": _(
        "%(person)s approved %(tool)s; the policy %(policy)s requires a second person"
    ),
    "approved_second": _("%(person)s approved %(tool)s, after %(first)s"),
    "extended": _("everybody else who decides is away: it waits a day longer for %(names)s"),
    "answer_approved": _("its answer, %(approval)s, was approved"),
    "answer_taken_back": _("its answer, %(approval)s, was taken back"),
    "answer_not_sent": _("its answer, %(approval)s, was not sent"),
    "sent_back": _("sent back: %(why)s"),
    "rejected": _("rejected: %(why)s"),
}
# What is said of an activity beside what the rules saw.
NOTES = {
    "saw": _("%(kind)s: %(signs)s."),
    "bounced": _("It says that mail which was sent from here did not arrive."),
    "not_from_organizer": _(
        "Its invitation is not from the event's organizer and changed nothing."
    ),
    "not_from_attendee": _("It answers for somebody who did not send it, and changed nothing."),
    "proposes_time": _("It proposes another time for an event of ours; the event stays as it is."),
    "asks_for_event": _("It asks to be sent an event of ours once more."),
    "called_off": _("The organizer has called it off."),
    "told_on_time": _("%(agent)s asked on %(at)s that you be told this."),
    "corrected_sender": _(
        "Because of a correction by %(person)s of %(at)s: mail of %(name)s is %(parts)s."
    ),
    "corrected_domain": _(
        "Because of a correction by %(person)s of %(at)s: mail of everybody at %(name)s is "
        "%(parts)s."
    ),
    "corrected_list": _(
        "Because of a correction by %(person)s of %(at)s: mail of the list %(name)s is %(parts)s."
    ),
    "route_surface": _("always surfaced"),
    "route_review": _("put up for review"),
    "route_note": _("noted, never surfaced"),
    "route_dismiss": _("dismissed"),
    "of_kind": _("of kind %(kind)s"),
    "of_urgency": _("of %(urgency)s urgency"),
    "of_tier": _("of tier %(tier)s"),
    "read_note": _("Read the note"),
    "note_options": _("You could act on the note, or dismiss it."),
    "webhook_off": _("A webhook that owners set up was switched off. %(why)s"),
    "look_at_webhook": _("Look at the webhook"),
    "webhook_options": _("You could mend the endpoint and switch it on again, or remove it."),
}
# What people do in settings, and what comes due: why a receipt was written.
RECEIPTS = {
    "released": _("%(person)s let it into the queue, over its quota"),
    "set_up_by": _("%(person)s set it up"),
    "set_up_agent": _("%(person)s set up %(agent)s"),
    "paused_agent": _("%(person)s paused %(agent)s"),
    "resumed_agent": _("%(person)s let %(agent)s act again"),
    "stopped_agent": _("stopped by %(person)s: %(agent)s"),
    "decided_request": _("%(person)s decided on a request of %(agent)s"),
    "brought_back_by": _("%(person)s brought it back"),
    "done_by": _("%(person)s did"),
    "origin_raised": _("%(person)s vouches for it: raised from “%(before)s” to “%(status)s”"),
    "made_workspace": _("%(person)s made it for %(owner)s to set up"),
    "saved_version": _("%(person)s saved version %(version)s"),
    "silence_right": _("%(person)s says: right to be silent"),
    "silence_wrong": _("%(person)s says: should have been asked"),
    "batch_taken_back": _("%(back)s of %(count)s that were approved together were taken back"),
    "snooze_ended": _("its snooze ended at %(at)s"),
    "incoming_says": _("a message that came in says so"),
    "came_due": _("It came due."),
    "due_waits": _("It came due, and its call needs approval."),
    "due_failed": _("It came due and failed: %(why)s"),
    "late_by": _("It is late by %(late)s: it was due at %(at)s."),
    "job_given_up": _("internal: The job that does it was given up"),
    "approval_was": _("conflict: The approval was %(status)s."),
    "approval_was_for": _("conflict: The approval was %(status)s. %(why)s"),
    "call_failed": _("%(error)s: %(why)s"),
}
# What may stand in another.
TERMS = {
    "quoted": _("“%(words)s”."),
    "something": _("something."),
    "the_sender": _("the sender"),
    "the_date_named": _("the date named"),
    "nobody_named": _("nobody named"),
}
