"""What lets browsers install these pages as an application, and wake them for a push."""

from pathlib import Path

from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

_WORKER = "chancery/service_worker.js"


@require_safe
def manifest(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Return the name, the icons and where it begins (W3C Web Application Manifest)."""
    home = reverse("queue")
    icons = [
        {"src": static(f"chancery/icons/seal-{size}.png"), "sizes": f"{size}x{size}",
         "type": "image/png", "purpose": purpose}
        for size in (192, 512)
        for purpose in ("any", "maskable")
    ]  # fmt: skip
    told = {
        "id": home, "name": "Chancery", "short_name": "Chancery", "start_url": home, "scope": home,
        "description": _("Seal messages before sending."), "display": "standalone",
        "background_color": "#f5f4ef", "theme_color": "#9b2c24", "icons": icons,
    }  # fmt: skip
    return JsonResponse(told, content_type="application/manifest+json")


@require_safe
def service_worker(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Return the script that takes pushes; it may act below its own address alone."""
    found = finders.find(_WORKER)
    script = Path(str(found)).read_bytes()
    return HttpResponse(
        script, content_type="text/javascript", headers={"Cache-Control": "no-cache"}
    )
