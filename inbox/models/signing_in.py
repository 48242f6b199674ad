"""What signing in keeps, beside the persons themselves."""

from django.conf import settings
from django.db import models


class StartPassword(models.Model):
    """Somebody's password is one that was made for them: they choose their own before all else."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="start_password"
    )
    # Whoever has not come by then is refused.
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"the start password of {self.user}"


class CacheEntry(models.Model):
    """A row of Django's cache in the database, which alone reads and writes it."""

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.cache_key
