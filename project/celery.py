"""The Celery application; used where `CELERY_BROKER_URL` names a broker."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")

app = Celery("chancery")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
