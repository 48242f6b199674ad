"""Where everything is served."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from agents.surfaces.a2a import endpoint as a2a
from agents.surfaces.a2a.card import serve_card
from project.assets import installable

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("admin/all/", admin.site.admin_view(admin.site.index), name="everything"),
    path("admin/manifest.webmanifest", installable.manifest, name="manifest"),
    path("admin/service-worker.js", installable.service_worker, name="service-worker"),
    path("admin/", include("project.sign_in.urls")),
    path("", include("project.oauth.urls")),
    path("admin/start/", include("project.first_run.urls")),
    path("admin/", include("agents.admin.urls")),
    path("admin/", include("calendar_app.browsing.urls")),
    path("admin/", include("inbox.admin.urls")),
    path("admin/", admin.site.urls),
    path("api/", include("agents.surfaces.urls")),
    path("", include("calendar_app.feeds.urls")),
    path("a2a", a2a.serve, name="a2a"),
    path(".well-known/agent-card.json", serve_card, name="agent-card"),
]
handler400 = "agents.surfaces.refusals.bad_request"
handler403 = "agents.surfaces.refusals.forbidden"
handler404 = "agents.surfaces.refusals.not_found"
handler500 = "agents.surfaces.refusals.server_error"
