#!/bin/bash
# images/load.sh [--address SOCKET] [--namespace NAME] [archive…]: takes OCI archives (those of the last images/build.sh
# unless some are named) into the containerd of a cluster's node. The address is that of the node's containerd.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
address=/run/containerd/containerd.sock namespace=k8s.io
archives=()
while [ $# -gt 0 ]; do
  case $1 in
    --address) address=${2:?--address needs a value}; shift ;;
    --namespace) namespace=${2:?--namespace needs a value}; shift ;;
    *) archives+=("$1") ;;
  esac
  shift
done
if [ ${#archives[@]} -eq 0 ]; then
  list=$root/.currawong/images/last-build
  [ -f "$list" ] || { echo 'No build has finished in this checkout: run images/build.sh first, or name archives.' >&2; exit 1; }
  mapfile -t archives < "$list"
  archives=("${archives[@]/#/$root/.currawong/images/}")
fi
for archive in "${archives[@]}"; do
  [ -f "$archive" ] || { echo "$archive is not there: run images/build.sh again, or name archives that are." >&2; exit 1; }
done
[ -S "$address" ] || { echo "No containerd listens at $address: name its socket with --address." >&2; exit 1; }
for archive in "${archives[@]}"; do ctr --address "$address" --namespace "$namespace" images import "$archive"; done
