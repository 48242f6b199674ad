"""The addresses of setting up, below /admin/start/."""

from django.contrib import admin
from django.urls import path

from project.first_run import agent, mail, pages, workspace

_page = admin.site.admin_view

urlpatterns = [
    # Open to everybody while there is nobody: it asks for the code.
    path("", pages.start, name="start"),
    path("workspace/", _page(workspace.workspace), name="start-workspace"),
    path("mail/", _page(mail.mail), name="start-mail"),
    path("agent/", _page(agent.agent), name="start-agent"),
    path("call/", _page(agent.call), name="start-call"),
    path("notices/", _page(pages.notices), name="start-notices"),
    path("second-step/", _page(pages.second), name="start-second"),
]
