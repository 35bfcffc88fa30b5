# The gateway in a container: docs/running.md says how to build and run it.
FROM denoland/deno:debian-2.9.6

# Commands of the assistant run in bubblewrap where the container's host allows it.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap ca-certificates \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 1000 --create-home troupe \
  && install --directory --owner troupe --group troupe --mode 0700 /home/troupe/.troupe \
  && install --directory --owner troupe --group troupe /deno-dir

# MALLOC_ARENA_MAX: threads share one store of freed memory, which saves 30 MB once they have worked.
ENV MALLOC_ARENA_MAX=1 DENO_DIR=/deno-dir DENO_NO_UPDATE_CHECK=1 TROUPE_HOME=/home/troupe/.troupe NO_COLOR=1
WORKDIR /app
COPY deno.json deno.lock mod.ts LICENSE ./
COPY actors actors
COPY channels channels
COPY providers providers
COPY workspace-template workspace-template

USER troupe
# All packages, as the lock file has them: nothing is fetched while the gateway runs.
RUN deno install --frozen

VOLUME ["/home/troupe/.troupe"]
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["deno", "eval", "const { status } = await (await fetch('http://127.0.0.1:18790/health')).json(); Deno.exit(status === 'ok' ? 0 : 1)"]
STOPSIGNAL SIGTERM
CMD ["deno", "run", "-A", "--no-prompt", "--cached-only", "--unstable-npm-lazy-caching", "mod.ts", "gateway", "--port", "18790"]
