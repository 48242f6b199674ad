"""The addresses of the reading pages, below /admin/."""

from django.contrib import admin
from django.urls import path

from inbox.admin import files, pages

_page = admin.site.admin_view

urlpatterns = [
    path("threads/<str:public_id>/", _page(pages.thread), name="thread"),
    path("messages/<str:public_id>/", _page(pages.message), name="message"),
    path("messages/<str:public_id>/html/", _page(pages.message_html), name="message-html"),
    path("messages/<str:public_id>/source/", _page(pages.message_source), name="message-source"),
    path("files/<str:public_id>/<int:number>/", _page(files.file_version), name="file-version"),
    path("attachments/<str:public_id>/", _page(pages.attachment), name="attachment"),
]
