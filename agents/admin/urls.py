"""The addresses of the queue and the review pages, below /admin/."""

from django.contrib import admin
from django.urls import path

from agents.admin import activity_page, device_page, queue_page, review_page

_page = admin.site.admin_view
_review = "review/<str:public_id>/"
_activity = "activities/<str:public_id>/"

urlpatterns = [
    path("", _page(queue_page.queue), name="queue"),
    path("device/", _page(device_page.device), name="device"),
    path("device/look/", _page(device_page.look), name="device-look"),
    path("device/decide/", _page(device_page.decide), name="device-decide"),
    path(_review, _page(review_page.review), name="review"),
    path(f"{_review}approve/", _page(review_page.approve), name="review-approve"),
    path(f"{_review}edit/", _page(review_page.edit_and_approve), name="review-edit"),
    path(f"{_review}reject/", _page(review_page.reject), name="review-reject"),
    path(f"{_review}return/", _page(review_page.send_back), name="review-return"),
    path(f"{_review}undo/", _page(review_page.undo), name="review-undo"),
    path(f"{_review}settle/", _page(review_page.settle), name="review-settle"),
    path(f"{_review}state/", _page(review_page.state), name="review-state"),
    path(f"{_review}source/", _page(review_page.sealed_source), name="review-source"),
    path(f"{_review}files/<int:position>/", _page(review_page.enclosure), name="review-enclosure"),
    path(_activity, _page(activity_page.activity), name="activity"),
    path(f"{_activity}move/", _page(activity_page.move), name="activity-move"),
]
