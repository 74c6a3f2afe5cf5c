# Daybook in a container: the package of this checkout on Node 24, with a user that is not root and one volume.
#
#   docker build --tag daybook .
#   docker run --read-only --tmpfs /tmp --volume daybook:/data --publish 127.0.0.1:7878:7878 daybook
#
# The token for the clients: docker exec <container> cat /data/daybook/daemon.token

FROM node:24.21.0-bookworm-slim AS package
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN mkdir /package && npm pack --pack-destination /package

FROM node:24.21.0-bookworm-slim AS install
COPY --from=package /package /package
# The image has the required Node, so the package's own Node is left out.
RUN npm install --prefix /opt/daybook --omit=optional --cache /tmp/npm /package/daybook-*.tgz

FROM node:24.21.0-bookworm-slim
# git for the agents; tini as process 1, to reap the processes that agents leave behind.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git tini \
  && rm -rf /var/lib/apt/lists/* \
  && groupadd --gid 10001 daybook \
  && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin daybook \
  && install --directory --owner=daybook --group=daybook --mode=0700 /data /data/workspace
COPY --from=install /opt/daybook /opt/daybook
ENV NODE_ENV=production \
  HOME=/data \
  XDG_CACHE_HOME=/tmp/cache \
  PATH=/opt/daybook/node_modules/.bin:/usr/local/bin:/usr/bin:/bin \
  DAYBOOK_HOME=/data/daybook \
  DAYBOOK_WORKSPACE=/data/workspace \
  DAYBOOK_HOST=0.0.0.0 \
  DAYBOOK_ALLOW_REMOTE=true
USER 10001:10001
WORKDIR /data/workspace
VOLUME /data
EXPOSE 7878
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=10s --retries=3 \
  CMD ["node", "/opt/daybook/node_modules/daybook/ops/health.js"]
# `daybook` with the flags of `npm start`: docs/memory.md says what they save.
ENTRYPOINT ["tini", "--", "node", "--min-semi-space-size=8", "--max-semi-space-size=8", "--heap-growing-percent=100", "--v8-pool-size=1", \
  "/opt/daybook/node_modules/daybook/bin/daybook.js"]
CMD ["serve"]
