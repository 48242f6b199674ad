"""The addresses of activities and of corrections, below /admin/."""

from django.contrib import admin
from django.urls import path

from agents.admin.activities import actions, corrections, learned, reclassify, views

_page = admin.site.admin_view
_activity = "activities/<str:public_id>/"
_correction = "corrections/<str:public_id>/"

urlpatterns = [
    path(_activity, _page(views.activity), name="activity"),
    path(f"{_activity}move/", _page(actions.move), name="activity-move"),
    path(f"{_activity}undo/", _page(actions.undo), name="activity-undo"),
    path(f"{_activity}snooze/", _page(actions.snooze), name="activity-snooze"),
    path(f"{_activity}wake/", _page(actions.wake), name="activity-wake"),
    path(f"{_activity}ask/", _page(actions.ask), name="activity-ask"),
    path(f"{_activity}reclassify/", _page(reclassify.reclassify), name="activity-reclassify"),
    path("corrections/", _page(corrections.corrections), name="corrections"),
    path(_correction, _page(corrections.correction), name="correction"),
    path(f"{_correction}revoke/", _page(corrections.revoke), name="correction-revoke"),
    path(f"{_correction}restore/", _page(corrections.restore), name="correction-restore"),
    path(f"{_correction}apply/", _page(corrections.apply), name="correction-apply"),
    path(f"{_correction}again/", _page(corrections.again), name="correction-again"),
    path("learned/", _page(learned.learned), name="learned"),
    path("learned/train/", _page(learned.train), name="learned-train"),
    path("learned/offers/<str:public_id>/", _page(learned.offer), name="learned-offer"),
    path("learned/<str:public_id>/", _page(learned.learned_version), name="learned-version"),
    path("learned/<str:public_id>/switch/", _page(learned.switch), name="learned-switch"),
]
