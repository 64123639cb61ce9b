#!/usr/bin/env bash
# Runs interop/clientnode/journey.mjs on the programs in a folder, which envtest starts, and compares its answers with those of a real
# kube-apiserver. RECORD=1 writes the answers of the programs instead.
set -euo pipefail
cd "$(dirname "$0")/../interop"
export KUBEBUILDER_ASSETS=${1:?which folder of programs} GOWORK=off
want=clientnode/journey.real-1.37.1.txt
[ -d clientnode/node_modules ] || (cd clientnode && npm install --no-package-lock --no-audit --no-fund --silent)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
(cd ctrlruntime && go build -o "$out/envtestrun" ./envtestrun)
SECONDS=0
"$out/envtestrun" clientnode/node_modules/.bin/node clientnode/journey.mjs > "$out/got"
if [ -n "${RECORD:-}" ]; then cp "$out/got" "$want"; fi
diff "$want" "$out/got"
echo "client-node: $(wc -l < "$want") answers are those of kube-apiserver, $SECONDS s"
