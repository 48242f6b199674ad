# One image for all processes: the web, the workers, the beat, the watcher and every command.
FROM python:3.11-slim-bookworm AS packages
COPY requirements/run.txt /tmp/run.txt
RUN python -m venv /opt/venv \
    && /opt/venv/bin/pip install --no-cache-dir --require-hashes -r /tmp/run.txt

FROM python:3.11-slim-bookworm
RUN useradd --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin chancery \
    && install -d -o chancery -g chancery -m 0700 /data
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    DJANGO_SETTINGS_MODULE=project.settings \
    CHANCERY_VAR=/data \
    CHANCERY_LOG_FORMAT=json
COPY --from=packages /opt/venv /opt/venv
WORKDIR /srv/chancery
COPY manage.py ./
COPY templates ./templates
COPY inbox ./inbox
COPY calendar_app ./calendar_app
COPY agents ./agents
COPY project ./project
# Compiled here: a container cannot write what it would compile at each start.
RUN python -m compileall -q .
USER chancery
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=6s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/health/live', timeout=5)"]
CMD ["uvicorn", "project.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--loop", "uvloop", "--ws", "none", "--no-server-header", "--timeout-graceful-shutdown", "5"]
