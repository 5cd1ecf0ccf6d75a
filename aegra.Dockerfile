# Trivium behind Aegra (Apache-2.0): durable threads in PostgreSQL, several workers. See docs/how-to/production.md.
FROM python:3.12-slim
WORKDIR /opt/trivium
COPY . .
RUN pip install --no-cache-dir ".[aegra,mcp]" && useradd --system --create-home trivium && mkdir /srv/cache && chown trivium /srv/cache
USER trivium
WORKDIR /srv
ENV AEGRA_CONFIG=/opt/trivium/aegra.json AUTH_TYPE=custom ENV_MODE=PRODUCTION TRIVIUM_CACHE=/srv/cache LANGSMITH_TRACING=false
EXPOSE 2024
CMD ["python", "-m", "uvicorn", "aegra_api.main:app", "--host", "0.0.0.0", "--port", "2024", "--timeout-graceful-shutdown", "60", "--timeout-keep-alive", "75"]
