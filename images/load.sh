#!/bin/bash
# images/load.sh [--address SOCKET] [--namespace NAME] [archive…]: takes OCI archives (all of .currawong/images unless some
# are named) into the containerd of a cluster's node. The address is that of the node's containerd.
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
if [ ${#archives[@]} -eq 0 ]; then archives=("$root"/.currawong/images/*.tar); fi
[ -f "${archives[0]}" ] || { echo 'There is no image in .currawong/images: run images/build.sh first.' >&2; exit 1; }
[ -S "$address" ] || { echo "No containerd listens at $address: name its socket with --address." >&2; exit 1; }
for archive in "${archives[@]}"; do ctr --address "$address" --namespace "$namespace" images import "$archive"; done
