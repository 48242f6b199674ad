"""The addresses of the reading pages, below /admin/."""

from django.contrib import admin
from django.urls import path

from inbox.admin import files, search_help
from inbox.admin.messages import views
from inbox.admin.people import person_page
from inbox.admin.sources import connecting, health, source_page

_page = admin.site.admin_view

urlpatterns = [
    path("search-help/", _page(search_help.search_help), name="search-help"),
    path("accounts/health/", _page(health.health), name="account-health"),
    path("accounts/<int:pk>/servers/add/", _page(connecting.connect_server), name="source-add"),
    path("sources/<str:public_id>/", _page(source_page.source_page), name="source"),
    path("sources/<str:public_id>/state/", _page(source_page.source_state), name="source-state"),
    path("threads/<str:public_id>/", _page(views.thread), name="thread"),
    path("messages/<str:public_id>/", _page(views.message), name="message"),
    path("messages/<str:public_id>/html/", _page(views.message_html), name="message-html"),
    path("messages/<str:public_id>/source/", _page(views.message_source), name="message-source"),
    path("people/<str:public_id>/", _page(person_page.person), name="person"),
    path("people/<str:public_id>/card/", _page(person_page.person_card), name="person-card"),
    path("people/<str:public_id>/merge/", _page(person_page.merge_person), name="person-merge"),
    path("files/<str:public_id>/<int:number>/", _page(files.file_version), name="file-version"),
    path(
        "files/<str:public_id>/<int:number>/picture/",
        _page(files.file_picture),
        name="file-picture",
    ),
    path("attachments/<str:public_id>/", _page(views.attachment), name="attachment"),
    path(
        "attachments/<str:public_id>/picture/",
        _page(views.attachment_picture),
        name="attachment-picture",
    ),
]
