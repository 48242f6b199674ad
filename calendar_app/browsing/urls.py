"""The addresses of the calendar's pages, below /admin/."""

from django.contrib import admin
from django.urls import path

from calendar_app.browsing import views

urlpatterns = [
    path("calendar/", admin.site.admin_view(views.calendar), name="calendar"),
    path("calendar/<str:public_id>/", admin.site.admin_view(views.event), name="event"),
]
