"""What a person looks at often: a part of the queue under a name."""

from typing import ClassVar

from django.conf import settings
from django.db import models

LONGEST_NAME = 60
LONGEST_QUERY = 2000
MOST_SAVED = 30


class SavedFilter(models.Model):
    """A tab and filters, as they stand in the queue's address, under a name of one's own."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="saved_filters", db_index=False
    )
    name = models.CharField(max_length=LONGEST_NAME)
    query = models.CharField(max_length=LONGEST_QUERY, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "name"], name="saved_filter_name_once")
        ]

    def __str__(self) -> str:
        return self.name
