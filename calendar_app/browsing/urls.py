"""The addresses of the calendar's pages, below /admin/."""

from django.contrib import admin
from django.urls import path

from calendar_app.browsing import feeds, views

_page = admin.site.admin_view
_feed = "calendar/feeds/<str:public_id>/"

urlpatterns = [
    path("calendar/", _page(views.calendar), name="calendar"),
    path("calendar/feeds/", _page(feeds.feeds), name="calendar-feeds"),
    path("calendar/feeds/create/", _page(feeds.create), name="calendar-feed-create"),
    path(f"{_feed}revoke/", _page(feeds.revoke), name="calendar-feed-revoke"),
    path("calendar/<str:public_id>/", _page(views.event), name="event"),
]
