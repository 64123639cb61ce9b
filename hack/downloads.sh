#!/usr/bin/env bash
# downloads.sh FOLDER: whether the Go modules that a module of interop/ needs can be downloaded. Those of node agents, and of a
# Kubernetes that is not released yet, may not be: whoever asks leaves them out. All others must be there.
set -euo pipefail
case ${1%/} in
interop/kwok | interop/virtualkubelet | interop/storagerecord | interop/istio | interop/cilium)
  cd "$1"
  why=$(GOWORK=off go list -deps -test ./... tool 2>&1 >/dev/null) || { echo "${1%/} skipped: its Go modules cannot be downloaded: $(tail -n 1 <<<"$why")"; exit 1; } ;;
esac
