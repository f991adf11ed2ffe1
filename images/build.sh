#!/bin/bash
# images/build.sh [--tag TAG] [--registry NAME] [--no-cache] [image…]: builds images from this checkout into
# .currawong/images/NAME.tar (OCI archives) and prints the name, size and digest of each; images/load.sh takes those of the
# last build into a cluster. Without a name: gateway jobs billing admin worker. Also: worker-whisper, worker-gpu, and stand-ins of third-party servers for the
# evaluation where their images cannot be fetched: postgres nats seaweedfs; `all` means all but those two workers.
# With a Docker engine and buildx it builds on the public bases, in a builder named currawong that it makes once, else (or
# with CURRAWONG_IMAGE_BUILDER=buildah) with buildah on bases of its own; BUILD_IMAGE, BASE_IMAGE and WORKER_BASE_IMAGE name others. images/README.md says more.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
out=$root/.currawong/images
services=(gateway jobs billing admin)
third_party=(postgres nats seaweedfs)
tag=dev registry=localhost
cache=(--layers)
images=()

fail() { echo "$*" >&2; exit 1; }

while [ $# -gt 0 ]; do
  case $1 in
    --tag) tag=${2:?--tag needs a value}; shift ;;
    --registry) registry=${2:?--registry needs a value}; shift ;;
    --no-cache) cache=(--layers --no-cache) ;;
    all) images+=("${services[@]}" worker "${third_party[@]}") ;;
    gateway | jobs | billing | admin | worker | worker-whisper | worker-gpu | postgres | nats | seaweedfs) images+=("$1") ;;
    *) fail "Unknown word $1: images/build.sh [--tag TAG] [--registry NAME] [--no-cache] [gateway|jobs|billing|admin|worker|worker-whisper|worker-gpu|postgres|nats|seaweedfs|all]…" ;;
  esac
  shift
done
[ ${#images[@]} -gt 0 ] || images=("${services[@]}" worker)

# Docker's own builder cannot write OCI archives unless the engine keeps images in containerd; one in a container always can.
docker_builder() {
  if [ -n "${BUILDX_BUILDER:-}" ]; then return; fi
  export BUILDX_BUILDER=currawong
  docker buildx inspect currawong > /dev/null 2>&1 ||
    docker buildx create --name currawong --driver docker-container > /dev/null ||
    fail 'docker buildx could not make the builder named currawong; what it said stands above.'
}

builder=${CURRAWONG_IMAGE_BUILDER:-}
case $builder in '' | docker | buildah) ;; *) fail "CURRAWONG_IMAGE_BUILDER is $builder: docker or buildah." ;; esac
if [ "$builder" != buildah ]; then
  missing=
  if ! docker info > /dev/null 2>&1; then
    missing='No Docker engine answers.'
  elif ! docker buildx version > /dev/null 2>&1; then
    missing='Docker answers, but it has no buildx (https://docs.docker.com/go/buildx/).'
  fi
  if [ -z "$missing" ]; then
    builder=docker
  elif [ "$builder" = docker ]; then
    fail "$missing CURRAWONG_IMAGE_BUILDER=docker needs both; without it buildah builds."
  else
    builder=buildah
    echo "$missing Building with buildah."
  fi
fi

version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$root/package.json")
revision=${REVISION:-$(git -C "$root" rev-parse HEAD 2> /dev/null || echo unknown)}
# The commit's time, so that the same commit gives the same image.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2> /dev/null || echo 0)}
export SOURCE_DATE_EPOCH

mkdir -p "$out"
scratch=$(mktemp -d "$out/build.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# How this machine reaches npm and PyPI, handed to the build alone: it is in no layer.
machine_settings() {
  local ca
  ca=$(npm config get cafile 2> /dev/null || true)
  if [ ! -f "$ca" ]; then ca=${NODE_EXTRA_CA_CERTS:-${SSL_CERT_FILE:-}}; fi
  (umask 077 && touch "$scratch/ca" "$scratch/npmrc" "$scratch/pipconf")
  if [ -f "$HOME/.npmrc" ]; then grep -v '^cafile' "$HOME/.npmrc" >> "$scratch/npmrc" || true; fi
  echo "registry=$(npm config get registry 2> /dev/null || echo https://registry.npmjs.org/)" >> "$scratch/npmrc"
  if [ -f "$ca" ]; then
    cp "$ca" "$scratch/ca"
    echo 'cafile=/run/secrets/ca' >> "$scratch/npmrc"
  fi
  for file in "${PIP_CONFIG_FILE:-}" "$HOME/.config/pip/pip.conf" /etc/pip.conf; do
    if [ -f "$file" ]; then grep -v '^ *cert *=' "$file" > "$scratch/pipconf" || true; break; fi
  done
}

install_buildah() {
  command -v buildah > /dev/null && command -v mmdebstrap > /dev/null && return
  if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
    fail 'buildah and mmdebstrap are missing: install these two packages, or start a Docker engine that has buildx.'
  fi
  echo 'Installing buildah and mmdebstrap …'
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends buildah mmdebstrap ca-certificates > /dev/null
}

build() { # build IMAGE
  local image=$1 file=$root/Dockerfile target=service name engine=${ENGINE:-}
  local -a arguments=()
  case $image in
    worker) target=worker name=currawong-worker ;;
    worker-whisper) target=worker name=currawong-worker-whisper engine=faster-whisper arguments+=(--build-arg "WORKER_NAME=$name") ;;
    worker-gpu) target=worker name=currawong-worker-gpu engine=faster-whisper,faster-whisper-cuda arguments+=(--build-arg "WORKER_NAME=$name") ;;
    postgres | nats | seaweedfs) target=$image name=$image file=$root/images/third-party/Dockerfile ;;
    *) name=currawong-$image arguments+=(--build-arg "APP=$image") ;;
  esac
  case $name in currawong-*) arguments+=(--build-arg "VERSION=$version" --build-arg "REVISION=$revision") ;; esac
  if [ -n "$engine" ] && [ "$target" = worker ]; then arguments+=(--build-arg "ENGINE=$engine"); fi
  case $target in worker | postgres | nats | seaweedfs) ;; *) arguments+=(--build-arg "BASE_IMAGE=$BASE_IMAGE") ;; esac
  case $file in "$root/Dockerfile") arguments+=(--build-arg "BUILD_IMAGE=$BUILD_IMAGE") ;; esac
  arguments+=(--build-arg "WORKER_BASE_IMAGE=$WORKER_BASE_IMAGE" --target "$target" -f "$file"
    --secret "id=npmrc,src=$scratch/npmrc" --secret "id=pipconf,src=$scratch/pipconf" --secret "id=ca,src=$scratch/ca")
  "build_with_$builder" "$registry/$name:$tag" "$out/$name" "${arguments[@]}"
}

build_with_docker() { # build_with_docker REFERENCE PATH ARGUMENT…
  local reference=$1 path=$2
  shift 2
  local -a fresh=()
  if [ ${#cache[@]} = 2 ]; then fresh=(--no-cache); fi
  docker buildx build "${fresh[@]}" "$@" --build-arg "SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH" --provenance=false \
    --output "type=oci,dest=$path.part.tar,name=$reference,rewrite-timestamp=true,compression=uncompressed,force-compression=true" \
    "$root" > "$path.log" 2>&1 || log_and_fail "$path.log" "$reference"
  rm -rf "$path"
  mkdir "$path"
  tar -C "$path" -xf "$path.part.tar"
  rm "$path.part.tar"
  finish "$reference" "$path"
}

build_with_buildah() { # build_with_buildah REFERENCE PATH ARGUMENT…
  local reference=$1 path=$2
  shift 2
  # Without namespaces of its own, so that it also works inside a container and on machines that forbid them.
  buildah bud "${cache[@]}" --isolation chroot --pull-never --identity-label=false --timestamp "$SOURCE_DATE_EPOCH" \
    --ignorefile "$root/.dockerignore" "$@" --tag "$reference" "$root" > "$path.log" 2>&1 || log_and_fail "$path.log" "$reference"
  rm -rf "$path"
  buildah push --quiet --disable-compression "$reference" "dir:$path" >> "$path.log" 2>&1
  finish "$reference" "$path"
}

log_and_fail() {
  tail -n 40 "$1" >&2
  fail "$2 could not be built; the whole log is in $1."
}

# The layout becomes an archive that carries the image's full name; the same layout gives the same archive.
finish() { # finish REFERENCE FOLDER
  node "$root/images/describe.mjs" "$1" "$2"
  tar -C "$2" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf "$2.tar" .
  rm -rf "$2"
  built+=("$(basename "$2.tar")")
}

# The names of the archives of this build, for images/load.sh; there is none while one is under way, or when it failed.
built=()
rm -f "$out/last-build"
machine_settings
if [ "$builder" = buildah ]; then
  install_buildah
  if [ -z "${BASE_IMAGE:-}" ] || [ -z "${WORKER_BASE_IMAGE:-}" ] || [ -z "${BUILD_IMAGE:-}" ]; then "$root/images/local-bases.sh"; fi
  BASE_IMAGE=${BASE_IMAGE:-localhost/currawong-base:service}
  WORKER_BASE_IMAGE=${WORKER_BASE_IMAGE:-localhost/currawong-base:worker}
  BUILD_IMAGE=${BUILD_IMAGE:-localhost/currawong-base:build}
else
  docker_builder
  public() { sed -n "s/^ARG $1=//p" "$root/Dockerfile"; }
  BASE_IMAGE=${BASE_IMAGE:-$(public BASE_IMAGE)}
  WORKER_BASE_IMAGE=${WORKER_BASE_IMAGE:-$(public WORKER_BASE_IMAGE)}
  BUILD_IMAGE=${BUILD_IMAGE:-$(public BUILD_IMAGE)}
fi
for image in "${images[@]}"; do build "$image"; done
printf '%s\n' "${built[@]}" > "$out/last-build"
