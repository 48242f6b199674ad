"""The addresses of what people do by hand, below /admin/."""

from django.contrib import admin
from django.urls import path

from agents.admin.by_hand import views
from agents.admin.files import hands as files
from agents.admin.files import sharing

_page = admin.site.admin_view

urlpatterns = [
    path("files/upload/", _page(files.upload), name="files-upload"),
    path("files/folder/", _page(files.make_folder), name="files-folder"),
    path("files/<str:public_id>/version/", _page(files.new_version), name="file-new-version"),
    path("files/<str:public_id>/move/", _page(files.move), name="file-move"),
    path("files/<str:public_id>/share/", _page(sharing.share), name="file-share"),
    path("files/<str:public_id>/delete/", _page(files.delete), name="file-delete"),
    path("memories/<str:public_id>/edit/", _page(views.mend), name="memory-edit"),
    path("memories/<str:public_id>/forget/", _page(views.forget), name="memory-forget"),
    path("schedules/<str:public_id>/cancel/", _page(views.cancel), name="schedule-cancel"),
    path("contexts/<str:public_id>/remove/", _page(views.remove), name="context-remove"),
    path("jobs/<int:pk>/retry/", _page(views.retry), name="job-retry"),
]
