#!/bin/bash
# images/local-bases.sh: makes the bases of the images where no registry can be reached, from Debian's packages and npm's,
# as localhost/currawong-base:{build,service,worker} in buildah's store. They are kept and made anew after a week
# (LOCAL_BASE_MAX_AGE_DAYS). DEBIAN_MIRROR, DEBIAN_SECURITY_MIRROR and DEBIAN_SUITE say where Debian comes from.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
bases=$root/.currawong/images/bases
suite=${DEBIAN_SUITE:-trixie}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
security=${DEBIAN_SECURITY_MIRROR:-http://deb.debian.org/debian-security}
npm_version=11.19.1
export SOURCE_DATE_EPOCH=0
mkdir -p "$bases"

is_fresh() { [ -n "$(find "$1" -maxdepth 0 -mtime "-${LOCAL_BASE_MAX_AGE_DAYS:-7}" 2> /dev/null)" ]; }

# A Debian with apt and little else: for the worker and for the stand-ins of third-party servers.
worker_base() {
  echo "Debian $suite …"
  mmdebstrap --quiet --variant=minbase --include=ca-certificates,netbase,tzdata --skip=output/dev \
    --aptopt='Acquire::Languages "none"' --dpkgopt='path-exclude=/usr/share/man/*' \
    --customize-hook='rm -rf "$1"/var/log/* "$1"/var/cache/ldconfig/aux-cache "$1"/etc/hostname "$1"/etc/resolv.conf' \
    "$suite" "$bases/part.tar" \
    "deb $mirror $suite main" "deb $mirror $suite-updates main" "deb $security $suite-security main"
  mv "$bases/part.tar" "$bases/worker.tar"
}

# What distroless images hold, taken from the one above: runtime libraries, certificates, time zones and a user, but no
# shell and no package manager. The list of packages is kept the way distroless keeps it, where scanners look for it.
service_base() {
  local tree package
  local -a packages=(base-files ca-certificates libc6 libgcc-s1 libstdc++6 netbase tzdata)
  tree=$(mktemp -d "$bases/tree.XXXXXX")
  mkdir "$tree/all" "$tree/service"
  tar -C "$tree/all" -xf "$bases/worker.tar"
  mkdir -p "$tree/service"/{etc/ssl/certs,var/lib/dpkg/status.d,tmp,proc,sys,dev}
  for package in "${packages[@]}"; do
    (cd "$tree/all" && for list in var/lib/dpkg/info/"$package".list var/lib/dpkg/info/"$package":*.list; do
      if [ -f "$list" ]; then sed 's|^/||; /^\.\{0,1\}$/d' "$list"; fi
    done | while read -r path; do if [ ! -d "$path" ] || [ -L "$path" ]; then echo "$path"; fi; done |
      tar -cf - --ignore-failed-read -T - 2> /dev/null) | tar -C "$tree/service" -xf -
    awk -v RS= -v package="$package" '$2 == package' "$tree/all/var/lib/dpkg/status" \
      > "$tree/service/var/lib/dpkg/status.d/$package"
  done
  rm -rf "$tree/service/usr/sbin" "$tree/service/usr/bin" "$tree/service/usr/share/ca-certificates"
  cp "$tree/all/etc/ssl/certs/ca-certificates.crt" "$tree/service/etc/ssl/certs/"
  printf '%s\n' 'root:x:0:0:root:/root:/sbin/nologin' \
    'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin' > "$tree/service/etc/passwd"
  printf '%s\n' 'root:x:0:' 'nonroot:x:65532:' > "$tree/service/etc/group"
  chmod 1777 "$tree/service/tmp"
  tar -C "$tree/service" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf "$bases/service.tar" .
  rm -rf "$tree"
}

# Node and npm for the build stage, both from npm.
build_tools() {
  local version
  version=$(sed -n 's/^ *"node": "\([0-9][0-9.]*\)",*$/\1/p' "$root/package.json")
  echo "Node $version and npm $npm_version for the build stage …"
  npm install --prefix "$bases/tools" --no-audit --no-fund --loglevel=error --ignore-scripts=false \
    "node@$version" "npm@$npm_version" > /dev/null
}

container=
trap 'if [ -n "$container" ]; then buildah rm "$container" > /dev/null; fi' EXIT
commit() {
  buildah commit --quiet --rm --timestamp 0 --identity-label=false "$container" "localhost/currawong-base:$1" > /dev/null
  container=
}

is_fresh "$bases/worker.tar" || { worker_base && service_base; }
[ -x "$bases/tools/node_modules/node/bin/node" ] || build_tools
for base in worker service; do
  digest=$(sha256sum "$bases/$base.tar" | cut -d' ' -f1)
  label='{{index .OCIv1.Config.Labels "contents"}}'
  known=$(buildah inspect --type image --format "$label" "localhost/currawong-base:$base" 2> /dev/null || true)
  if [ "$known" = "$digest" ]; then continue; fi
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$bases/$base.tar" / > /dev/null
  buildah config --label "contents=$digest" \
    --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
  commit "$base"
  if [ "$base" = worker ]; then buildah rmi localhost/currawong-base:build > /dev/null 2>&1 || true; fi
done
if ! buildah inspect --type image localhost/currawong-base:build > /dev/null 2>&1; then
  container=$(buildah from localhost/currawong-base:worker)
  buildah copy --quiet "$container" "$bases/tools/node_modules/node/bin/node" /usr/local/bin/node > /dev/null
  buildah copy --quiet "$container" "$bases/tools/node_modules/npm" /usr/local/lib/node_modules/npm > /dev/null
  buildah run --isolation chroot "$container" ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
  buildah run --isolation chroot "$container" ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx
  commit build
fi
