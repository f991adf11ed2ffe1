#!/bin/bash
# images/check.sh [archive…]: checks built images (all of .currawong/images unless some are named) against what is promised
# of them: size, user, no development dependencies, no sources or tests, a list of packages that is exact, and that they
# start on a read-only root file system as their user. Needs root for the last (chroot in a namespace of mounts).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
archives=("$@")
if [ ${#archives[@]} -eq 0 ]; then archives=("$root"/.currawong/images/currawong-*.tar); fi
[ -f "${archives[0]}" ] || { echo 'There is no image in .currawong/images: run images/build.sh first.' >&2; exit 1; }
work=$(mktemp -d "$root/.currawong/images/check.XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0
for archive in "${archives[@]}"; do
  rm -rf "${work:?}"/*
  mkdir "$work/layout" "$work/root"
  tar -C "$work/layout" -xf "$archive"
  node "$root/images/check.mjs" "$work/layout" "$work/root" || failed=1
done
exit "$failed"
