"""Where feeds are read, below the root of the server."""

from django.urls import path

from calendar_app.feeds.views import serve_feed

urlpatterns = [path("calendars/<str:secret>.ics", serve_feed, name="calendar-feed")]
