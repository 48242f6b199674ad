"""The addresses of the calendar's pages, below /admin/."""

from django.contrib import admin
from django.urls import path

from calendar_app.browsing import page

urlpatterns = [
    path("calendar/", admin.site.admin_view(page.calendar), name="calendar"),
    path("calendar/<str:public_id>/", admin.site.admin_view(page.event), name="event"),
]
