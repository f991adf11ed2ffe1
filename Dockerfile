# syntax=docker/dockerfile:1
# Every image of Currawong: --build-arg APP=gateway|jobs|billing|admin (target service), or --target worker.
# images/build.sh calls this, also where no registry can be reached; images/README.md explains the arguments.
#
# The build stage needs npm, the bases of the services only the C and C++ runtime libraries: Node comes from package.json.
ARG BUILD_IMAGE=docker.io/library/node:24-trixie-slim
ARG BASE_IMAGE=gcr.io/distroless/cc-debian13:nonroot
ARG WORKER_BASE_IMAGE=docker.io/library/debian:13-slim

FROM ${BASE_IMAGE} AS service-base
FROM ${WORKER_BASE_IMAGE} AS worker-base

# ---- The manifests alone, so that packages are installed again only when one of them changes.
FROM ${BUILD_IMAGE} AS manifests
COPY . /source
WORKDIR /source
RUN mkdir /manifests \
  && find . -name package.json -o -name package-lock.json | xargs cp --parents -t /manifests

# ---- Everything is installed and built once, for all apps. Nothing of this stage but the result reaches an image.
FROM ${BUILD_IMAGE} AS build
ENV NX_DAEMON=false NX_TUI=false CI=true NODE_EXTRA_CA_CERTS=/run/secrets/ca
WORKDIR /source
COPY --from=manifests /manifests ./
# `npm ci` refuses a lock file that lacks the binaries of other platforms. `npm install` takes what the lock file has at
# exactly its version and digest; that nothing else came in is checked below, in production-tree.mjs.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc --mount=type=secret,id=ca --mount=type=cache,target=/root/.npm \
  npm install --include=dev --no-audit --no-fund --no-save --loglevel=error
COPY .swcrc nx.json tsconfig.json tsconfig.base.json ./
COPY apps apps
COPY libs libs
RUN PATH=/source/node_modules/node/bin:$PATH node_modules/.bin/nx run-many -t build --skipNxCache --outputStyle=static \
  --projects='apps/*,libs/*' --exclude='@currawong/testing,@currawong/local-platform'
COPY LICENSE package.json package-lock.json ./
COPY engines engines
COPY samples samples
COPY helm helm
COPY images/*.mjs images/node.sha256 images/

# ---- What a service's image adds to its base: Node, the app, the packages that it needs when it runs, and the list of all.
FROM build AS service-files
ARG APP=gateway
ARG VERSION=0.1.0
RUN --mount=type=bind,from=service-base,target=/base \
  export PATH=/source/node_modules/node/bin:$PATH \
  && node images/production-tree.mjs "$APP" /files \
  && node images/sbom.mjs "$APP" "currawong-$APP" "$VERSION" /base /files > /sbom.cdx.json \
  && mv /sbom.cdx.json /files/app/sbom.cdx.json

# ---- The worker's programs: ffmpeg and Python without what they never load, and the recognition engine.
FROM worker-base AS programs
ARG ENGINE=moonshine
ENV DEBIAN_FRONTEND=noninteractive PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
RUN dpkg-query --show --showformat '${Package}\n' > /base-packages \
  && apt-get update -qq \
  && apt-get install -qq --no-install-recommends ffmpeg python3 python3-pip > /dev/null
COPY images/debian-programs.py engines/requirements-*.txt /
RUN python3 /debian-programs.py /files /base-packages \
  "$(dpkg-query --show --showformat '${db:Status-Abbrev}${Package}\n' 'python3*' 'libpython3*' \
    | sed -nE 's/^ii +((lib)?python3(\.[0-9]+)?(-minimal|-stdlib)?)$/\1/p' | paste -sd,)" \
  /usr/bin/ffmpeg
# Of moonshine-voice only the weights are used: its library and sound samples are 70 MB.
# Compiled files carry no times, so that two builds are the same and nothing is compiled when the engine starts.
RUN --mount=type=secret,id=pipconf,target=/etc/pip.conf --mount=type=secret,id=ca \
  if [ -s /run/secrets/ca ]; then export PIP_CERT=/run/secrets/ca; fi; \
  for one in speakers $(echo "$ENGINE" | tr , ' '); do set -- "$@" -r "/requirements-$one.txt"; done; \
  python3 -m pip install --quiet --no-compile --no-deps --require-hashes --target /files/app/python/lib "$@" \
  && cd /files/app/python/lib \
  && rm -rf bin moonshine_voice.libs moonshine_voice/libmoonshine.so moonshine_voice/assets/*.* \
  && find /files -name __pycache__ -prune -exec rm -rf {} + \
  && mkdir -p /files/etc && cp /etc/passwd /files/etc/passwd \
  && echo 'nonroot:x:65532:65532:nonroot:/nonexistent:/usr/sbin/nologin' >> /files/etc/passwd \
  && python3 -m compileall -q -s /files -p / --invalidation-mode unchecked-hash /files/usr/lib/python3* /files/app/python
# The models that tell speakers apart.
COPY tools/models/speakers /speaker-models
RUN --mount=type=secret,id=pipconf,target=/etc/pip.conf --mount=type=secret,id=ca \
  if [ -s /run/secrets/ca ]; then export PIP_CERT=/run/secrets/ca; fi; \
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=/files/app/python/lib python3 /speaker-models/make.py /files/app/models/speakers

FROM build AS worker-files
ARG VERSION=0.1.0
ARG WORKER_NAME=currawong-worker
RUN --mount=type=bind,from=worker-base,target=/base --mount=type=bind,from=programs,source=/files,target=/programs \
  export PATH=/source/node_modules/node/bin:$PATH \
  && node images/production-tree.mjs worker /files \
  && node images/sbom.mjs worker "$WORKER_NAME" "$VERSION" /base /programs /files > /sbom.cdx.json \
  && mv /sbom.cdx.json /files/app/sbom.cdx.json

# ---- The worker's image.
FROM worker-base AS worker
COPY --from=programs /files /
COPY --from=worker-files /files /
ARG VERSION=0.1.0
ARG REVISION=unknown
ARG WORKER_NAME=currawong-worker
# What the container toolkit mounts of the driver, where there is one.
ENV NODE_ENV=production PYTHONPATH=/app/python/lib PYTHONDONTWRITEBYTECODE=1 NVIDIA_DRIVER_CAPABILITIES=compute,utility \
  CURRAWONG_VERSION=${VERSION} CURRAWONG_REVISION=${REVISION}
LABEL org.opencontainers.image.title="${WORKER_NAME}" \
  org.opencontainers.image.description="Currawong, speech to text with speaker labels: the worker" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/node", "--enable-source-maps", "--require", "@currawong/telemetry/register", "/app/main.js"]
CMD []

# ---- The image of a service.
FROM service-base AS service
COPY --from=service-files /files /
ARG APP=gateway
ARG VERSION=0.1.0
ARG REVISION=unknown
ENV NODE_ENV=production CURRAWONG_VERSION=${VERSION} CURRAWONG_REVISION=${REVISION}
LABEL org.opencontainers.image.title="currawong-${APP}" \
  org.opencontainers.image.description="Currawong, speech to text with speaker labels: ${APP}" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/node", "--enable-source-maps", "--require", "@currawong/telemetry/register", "/app/main.js"]
CMD []
