"""The Celery application; used where `CELERY_BROKER_URL` names a broker."""

import os

from celery import Celery
from kombu.transport import redis

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")


class QoS(redis.QoS):
    """What a Redis channel was given and has not acknowledged, over a server that goes away.

    A message only says that there may be something to do: none is handed back or acknowledged when
    its channel is gone. Kombu 5.7.0 tries both, and the error that it meets ends the worker.
    """

    restore_at_shutdown = False

    def ack(self, delivery_tag: str) -> None:
        """Acknowledge a message where its channel is still open."""
        if self._is_open():
            super().ack(delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Refuse a message where its channel is still open."""
        if self._is_open():
            super().reject(delivery_tag, requeue)

    def _is_open(self) -> bool:
        transport = self.channel.connection
        return not self.channel.closed and transport is not None and transport.client is not None


redis.Channel.QoS = QoS

app = Celery("chancery")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["inbox.background"])
