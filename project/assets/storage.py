"""What `{% static %}` writes into a page."""

from django.contrib.staticfiles.storage import StaticFilesStorage

from project.assets.naming import with_hash


class HashedNames(StaticFilesStorage):
    """Names each static file with the hash of its content; there is no folder of copies."""

    def url(self, name: str | None) -> str:
        """Return the address of a static file."""
        return super().url(with_hash(name) if name else name)
