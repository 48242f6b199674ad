"""Settings. With an empty environment Chancery runs on SQLite, with no broker, under `var/`."""

import os
from pathlib import Path
from typing import Any

import dj_database_url
import django_stubs_ext
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from project import __version__
from project.data_folders import data_folder
from project.model_settings import *  # noqa: F403
from project.oauth.settings import *  # noqa: F403
from project.provider_settings import *  # noqa: F403
from project.secret_files import read_or_make_secret
from project.sign_in.settings import *  # noqa: F403
from project.sqlite3 import SQLITE_OPTIONS

# Lets Django's classes take the type parameters that the annotations give them.
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
# A wheel makes a package of this folder, and a program of its own of our commands.
IS_INSTALLED = (BASE_DIR / "__init__.py").exists()
COMMAND = "chancery" if IS_INSTALLED else "manage.py"
# The folder for everything that is kept: the database, stored bytes, secrets, delivered mail.
# By default `var/` in the source tree; of a wheel, a folder such as `~/.local/share/chancery`.
VAR_DIR = Path(os.environ.get("CHANCERY_VAR") or data_folder(BASE_DIR, is_installed=IS_INSTALLED))

# -- secrets ---------------------------------------------------------------------------------------
# Signs sessions; made at random in the data folder unless given.
SECRET_KEY = os.environ.get("CHANCERY_SECRET_KEY") or read_or_make_secret(
    VAR_DIR / "secret.key", size=48
)
# Fernet keys for credentials at rest, newest first, separated by commas; made unless given.
CREDENTIAL_KEYS = (
    os.environ.get("CHANCERY_CREDENTIAL_KEYS") or read_or_make_secret(VAR_DIR / "credentials.key")
).split(",")
# Where they stand unless they are given.
CREDENTIAL_KEYS_FILE = (
    None if os.environ.get("CHANCERY_CREDENTIAL_KEYS") else VAR_DIR / "credentials.key"
)

# `1` shows details of errors to whoever meets them: for development only.
DEBUG = os.environ.get("CHANCERY_DEBUG", "") == "1"
# Host names under which it may be reached, separated by commas.
ALLOWED_HOSTS = os.environ.get("CHANCERY_HOSTS", "127.0.0.1,localhost,[::1]").split(",")
# Origins of web pages that may speak MCP to `/mcp`, such as https://client.example, separated by
# commas; its own pages may, and what is no web page sends no Origin.
MCP_ORIGINS = [name for name in os.environ.get("CHANCERY_MCP_ORIGINS", "").split(",") if name]
# Where people reach it; links such as `review_url` begin so. `manage.py up` sets it by its port.
BASE_URL = os.environ.get("CHANCERY_BASE_URL", "http://127.0.0.1:8000")
CSRF_TRUSTED_ORIGINS = [BASE_URL]

# -- the parts -------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "project.apps.ChanceryAdminConfig",
    "project.apps.ProjectConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    # Leaves static files to our own middleware with `runserver` too.
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "oauth2_provider",
    "inbox.apps.InboxConfig",
    "calendar_app.apps.CalendarConfig",
    "agents.apps.AgentsConfig",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "project.middleware.static_files.StaticFilesMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "project.middleware.languages.PageLanguage",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "project.sign_in.sessions.SessionsMiddleware",
    "project.middleware.time_zones.ReaderTimeZone",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "project.sign_in.required_steps.RequiredStepsMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
# Those of them that a call of the API goes through: it has a token, and no session or language.
API_MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "project.middleware.content_policy.KeptPolicyMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
# How many calls of the API are under way at once in a process; each has a database connection. Work
# in Python has one turn at a time: more threads only make every call wait for all others.
API_THREADS = int(os.environ.get("CHANCERY_API_THREADS", "2"))
# How many processes of `manage.py up` answer requests, beside one with the jobs; 1: all is in one
# process; 0: one a processor, four at most.
WEB_PROCESSES = int(os.environ.get("CHANCERY_WEB_PROCESSES", "0"))
LOGIN_REDIRECT_URL = "/admin/"
LOGIN_URL = LOGOUT_REDIRECT_URL = "account_login"
ROOT_URLCONF = "project.urls"
ASGI_APPLICATION = "project.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            # These do what Django's of the same names do, with less work at each look.
            "builtins": ["inbox.templatetags.page_addresses"],
            "libraries": {"i18n": "inbox.templatetags.i18n"},
        },
    }
]

# -- data ------------------------------------------------------------------------------------------
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# Which database: SQLite in the data folder, or postgres://user:password@host:port/name.
DATABASES: dict[str, Any] = {
    "default": dj_database_url.config(
        env="DATABASE_URL",
        default=f"sqlite:///{VAR_DIR / 'chancery.sqlite3'}",
        conn_max_age=60,
        # A server that was started anew meanwhile fails no call.
        conn_health_checks=True,
    )
}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"] |= {"ENGINE": "project.sqlite3", "OPTIONS": SQLITE_OPTIONS}
MEDIA_ROOT = VAR_DIR / "media"
# A bucket for stored bytes, in the place of the folder `media`, where machines share no folder; its
# keys are read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, as by any program for S3.
S3_BUCKET = os.environ.get("CHANCERY_S3_BUCKET", "")
# Where the bucket's service answers, such as https://minio.example.org:9000; empty: at Amazon.
S3_ENDPOINT = os.environ.get("CHANCERY_S3_ENDPOINT", "")
# The region of the bucket, where its service wants one, such as eu-central-1.
S3_REGION = os.environ.get("CHANCERY_S3_REGION", "")
# What the names of all objects begin with, where the bucket holds other things too.
S3_PREFIX = os.environ.get("CHANCERY_S3_PREFIX", "")
_FOLDER: dict[str, Any] = {"BACKEND": "inbox.files.storage.AtomicFileSystemStorage"}
_BUCKET: dict[str, Any] = {
    "BACKEND": "inbox.files.bucket_storage.BucketStorage",
    "OPTIONS": {
        "bucket": S3_BUCKET, "endpoint": S3_ENDPOINT, "region": S3_REGION, "prefix": S3_PREFIX
    },
}  # fmt: skip
STORAGES = {
    "default": _BUCKET if S3_BUCKET else _FOLDER,
    "staticfiles": {"BACKEND": "project.assets.storage.HashedNames"},
}
FILE_UPLOAD_PERMISSIONS = 0o600
# The largest request body of the API, in bytes; a larger one is refused with 413.
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024

# The exchange folders, one for each agent: how large a file may be, how much and how many in all.
EXCHANGE_DIR = VAR_DIR / "exchange"
# The largest file that an agent may put into its exchange folder, in bytes.
EXCHANGE_FILE_BYTES = int(os.environ.get("CHANCERY_EXCHANGE_FILE_BYTES", str(25 * 2**20)))
# How many bytes an agent's exchange folder may hold.
EXCHANGE_BYTES = int(os.environ.get("CHANCERY_EXCHANGE_BYTES", str(512 * 2**20)))
# How many files an agent's exchange folder may hold.
EXCHANGE_FILES = int(os.environ.get("CHANCERY_EXCHANGE_FILES", "1000"))

# -- the web ---------------------------------------------------------------------------------------
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "project" / "static"]
WHITENOISE_USE_FINDERS = True
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
FORMAT_MODULE_PATH = ["project.formats"]
# The pages speak that of these languages which the browser asks for first; agents, receipts and the
# API speak English.
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "project" / "locale"]
# A link in an email opens the page it leads to; what changes anything is a POST with a token of
# ours, and no browser sends these cookies with another site's POST.
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "agents.surfaces.refusals.form_refused"
# With an https:// address everything goes over TLS, which a proxy speaks for us. It is believed in
# `X-Forwarded-Proto` where it asks from an address in FORWARDED_ALLOW_IPS, which uvicorn reads.
IS_TLS = BASE_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = IS_TLS
# `0` sends nobody on from http:// to https://, where the proxy does that itself.
SECURE_SSL_REDIRECT = IS_TLS and os.environ.get("CHANCERY_HTTPS_REDIRECT", "1") == "1"
# For how many seconds browsers come by https:// only (Strict-Transport-Security); 0: as they like.
SECURE_HSTS_SECONDS = IS_TLS * int(os.environ.get("CHANCERY_HSTS_SECONDS", "31536000"))
# Subdomains and browsers' own lists are the domain owner's; at 07:00 a default of 07:00 is no slip;
# programs on a person's own machine take their answer there by http (`project.oauth.redirects`).
# templates.W003: our `i18n` stands in the place of Django's on purpose (see TEMPLATES).
SILENCED_SYSTEM_CHECKS = [
    "security.W005", "security.W021", "fields.W161", "oauth2_provider.W008", "templates.W003",
]  # fmt: skip
# But for the frame in which mail is shown.
X_FRAME_OPTIONS = "DENY"
# Nothing is told to other hosts. With `no-referrer` browsers would post forms with `Origin: null`,
# which the CSRF check refuses.
SECURE_REFERRER_POLICY = "same-origin"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "frame-src": [SELF],
        "manifest-src": [SELF],
        "worker-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}

REST_FRAMEWORK = {
    "UNAUTHENTICATED_USER": None,
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Chancery",
    "DESCRIPTION": "Inbox and shared context for agents, where a person approves every send.",
    "VERSION": __version__,
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": [],
    "APPEND_COMPONENTS": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
}

# -- mailboxes -------------------------------------------------------------------------------------
# Hosts that accounts may be connected to, separated by commas, such as imap.example.org or
# *.example.org; empty: any host that this machine reaches, its own and its network's included.
MAIL_HOSTS = frozenset(
    host.strip().lower()
    for host in os.environ.get("CHANCERY_MAIL_HOSTS", "").split(",")
    if host.strip()
)

# How many accounts a process watches at most for mail that comes, each with a connection to its
# server, all of them from one thread; 0: none, and mail is found by the rounds, every few minutes.
MOST_WATCHED = int(os.environ.get("CHANCERY_MOST_WATCHED", "1000"))

# -- understanding mail ----------------------------------------------------------------------------
# Who is asked what a message is, separated by commas, those first that are asked first; the rules
# answer what all others decline, and of those named after `rules` none is asked.
UNDERSTANDING = tuple(
    name.strip()
    for name in os.environ.get("CHANCERY_UNDERSTANDING", "learned,rules").split(",")
    if name.strip()
)

# -- sending ---------------------------------------------------------------------------------------
# How long an approval may wait for its person, in hours.
APPROVAL_HOURS = int(os.environ.get("CHANCERY_APPROVAL_HOURS", "72"))
# How many proposals of one agent may wait for a person at once; more of them are refused.
APPROVALS_PER_AGENT = int(os.environ.get("CHANCERY_APPROVALS_PER_AGENT", "1000"))
# How many things an agent may delete within ten minutes before the next waits for a person; 0: any.
# A policy may say otherwise.
DELETIONS_BEFORE_A_PERSON = int(os.environ.get("CHANCERY_DELETIONS_BEFORE_A_PERSON", "5"))
# Where the built-in `local` provider delivers, as one Maildir per account.
LOCAL_MAIL_DIR = VAR_DIR / "mail"

# -- telling clients -------------------------------------------------------------------------------
# How many days the log of events is kept, from which a client that was away catches up.
EVENT_LOG_DAYS = int(os.environ.get("CHANCERY_EVENT_LOG_DAYS", "7"))
# How many streams of events a token may have open at once in a process.
STREAMS_PER_TOKEN = int(os.environ.get("CHANCERY_STREAMS_PER_TOKEN", "5"))
# Hosts, separated by commas, to which webhooks may lead by http and at private addresses; programs
# that sign in may say who they are there.
WEBHOOK_ALLOW = frozenset(
    host.strip().lower()
    for host in os.environ.get("CHANCERY_WEBHOOK_ALLOW", "").split(",")
    if host.strip()
)
# Hosts, separated by commas, such as hooks.example.org or *.example.org, to which agents may have
# the states of their A2A tasks pushed; empty: to none.
A2A_PUSH_HOSTS = frozenset(
    host.strip().lower()
    for host in os.environ.get("CHANCERY_A2A_PUSH_HOSTS", "").split(",")
    if host.strip()
)
# The mail server for notices to the people who review, and for nothing else: smtps://user:password@
# host, or smtp://… with STARTTLS, smtp+plain://… without; empty: an account sends them where an
# owner allows it.
NOTIFY_SMTP = os.environ.get("CHANCERY_NOTIFY_SMTP", "")
# The address that notices come from; empty: chancery@ the host of CHANCERY_BASE_URL.
NOTIFY_FROM = os.environ.get("CHANCERY_NOTIFY_FROM", "")
# How many calls a minute a token may make of a process, a sixth of them at once; 0: any number.
CALLS_PER_MINUTE = int(os.environ.get("CHANCERY_CALLS_PER_MINUTE", "60000"))

# -- work in the background ------------------------------------------------------------------------
# A broker (redis://… or amqp://…) for Celery workers; without one, workers look for jobs.
CELERY_BROKER_URL = os.environ.get("CELERY_BROKER_URL", "")
# What the names of the queues begin with: two installations on one broker need different ones.
QUEUES = os.environ.get("CHANCERY_QUEUES", "chancery")
CELERY_TASK_QUEUES: dict[str, dict[str, str]] = {
    f"{QUEUES}.{pace}": {} for pace in ("urgent", "quick", "slow")
}
CELERY_TASK_DEFAULT_QUEUE = f"{QUEUES}.quick"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
# Its processes write the log as all others do.
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# A message that was fetched waits behind the one at work, though another worker is free.
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "inbox.sweep", "schedule": 15.0, "options": {"expires": 60}}
}

# What all web processes must know alike: failed sign-ins, and codes that were used. Redis keeps it
# where it is the broker, else a table.
_IN_REDIS: dict[str, Any] = {
    "BACKEND": "django.core.cache.backends.redis.RedisCache",
    "LOCATION": CELERY_BROKER_URL,
    "KEY_PREFIX": QUEUES,
}
_IN_TABLE: dict[str, Any] = {
    "BACKEND": "django.core.cache.backends.db.DatabaseCache",
    "LOCATION": "inbox_cacheentry",
    # More rows than that make room for new ones: so many wrong names cannot be tried in time.
    "OPTIONS": {"MAX_ENTRIES": 100_000},
}
CACHES = {
    "default": _IN_REDIS if CELERY_BROKER_URL.startswith(("redis:", "rediss:")) else _IN_TABLE
}

# -- operating -------------------------------------------------------------------------------------
# Whoever sends it as bearer may read `/metrics`; without one, only who asks from this machine.
METRICS_TOKEN = os.environ.get("CHANCERY_METRICS_TOKEN", "")
# Where spans of tool calls, decisions and sends go by OTLP over HTTP, such as
# http://collector:4318; empty: nowhere. Needs `chancery[otel]`.
OTLP_ENDPOINT = os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", "")
# 1: mail is found by what it means as well as by its words, with a small model on this machine; a
# worker works out what each message means. Needs `chancery[semantic]`.
SEMANTIC_SEARCH = os.environ.get("CHANCERY_SEMANTIC_SEARCH", "") == "1"
# How the log is written: `line` for people, `json` for programs, one object a line.
LOG_FORMAT = os.environ.get("CHANCERY_LOG_FORMAT", "line")
if LOG_FORMAT not in {"line", "json"}:
    raise ImproperlyConfigured(f"CHANCERY_LOG_FORMAT is {LOG_FORMAT!r}; it may be line or json")
# From which level on the log is written (DEBUG, INFO, WARNING, ERROR).
LOG_LEVEL = os.environ.get("CHANCERY_LOG_LEVEL", "WARNING")
# uvicorn's own loggers write through ours; its lines for requests would be there twice.
_THROUGH_OURS: dict[str, Any] = {"handlers": [], "propagate": True}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
        "json": {"()": "project.monitoring.logs.JsonLines"},
    },
    "filters": {
        "request_ids": {"()": "project.monitoring.logs.RequestIds"},
        "secret_addresses": {"()": "project.monitoring.logs.SecretAddresses"},
        "no_trouble_elsewhere": {"()": "project.monitoring.logs.BadGatewayFilter"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": LOG_FORMAT,
            "filters": ["request_ids", "secret_addresses"],
        }
    },
    "loggers": {
        # A refused call of the API is an answer, not trouble.
        "django.request": {"level": "ERROR", "filters": ["no_trouble_elsewhere"]},
        "uvicorn": _THROUGH_OURS,
        "uvicorn.error": _THROUGH_OURS,
        "uvicorn.access": {"handlers": [], "propagate": False},
    },
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
}
