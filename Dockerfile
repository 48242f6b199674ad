# One image for all processes: the web, the workers, the beat, the watcher and every command.
FROM python:3.11-slim-bookworm AS wheel
COPY requirements/build.txt /tmp/build.txt
RUN python -m venv /opt/build \
    && /opt/build/bin/pip install --no-cache-dir --require-hashes -r /tmp/build.txt
COPY . /src
RUN cd /src && /opt/build/bin/hatchling build -t wheel -d /dist

FROM python:3.11-slim-bookworm AS packages
COPY requirements/run.txt /tmp/run.txt
RUN python -m venv /opt/venv \
    && /opt/venv/bin/pip install --no-cache-dir --require-hashes -r /tmp/run.txt
COPY --from=wheel /dist /dist
# pip compiles what it installs: a container cannot write what it would compile at each start.
RUN /opt/venv/bin/pip install --no-cache-dir --no-index --no-deps /dist/*.whl

FROM python:3.11-slim-bookworm
RUN useradd --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin chancery \
    && install -d -o chancery -g chancery -m 0700 /data
# uvicorn and celery find `project` by PYTHONPATH; `chancery` finds it by itself.
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONPATH=/opt/venv/lib/python3.11/site-packages/chancery \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    DJANGO_SETTINGS_MODULE=project.settings \
    CHANCERY_VAR=/data \
    CHANCERY_LOG_FORMAT=json
COPY --from=packages /opt/venv /opt/venv
USER chancery
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=6s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/health/live', timeout=5)"]
CMD ["uvicorn", "project.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--loop", "uvloop", "--ws", "none", "--no-server-header", "--timeout-graceful-shutdown", "5"]
