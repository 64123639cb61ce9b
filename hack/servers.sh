#!/usr/bin/env bash
# servers.sh [NAME…]: runs the suite of servers on servers of others, each in a process of its own, with its known failures. Names are those of the
# table below. Without a name all run but kine: whatever several clients write at once may fail there (interop/kine/README.md).
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export GOWORK=off
(cd interop/apiserver && go build -o "$out/apiserver" .)
for name; do
  case $name in cacher | memory | etcd3 | t4 | kine) ;; *)
    echo "servers.sh: there is no $name: say cacher, memory, etcd3, t4 or kine" >&2
    exit 2 ;;
  esac
done
failed=0
while read -r name folder what; do
  [[ " ${*:-cacher memory etcd3 t4} " == *" $name "* ]] || continue
  target=(--target "exec:$out/apiserver $what")
  [[ $what != *@* ]] || target=(--target exec --module "$what") # a program of any version, below k8s.io/apiserver's storage
  # Six at once: each check has an etcd of its own, and mostly waits.
  bin/lwtest run --suite watchcache "${target[@]}" --known "interop/$folder/known.json" --parallel 6 --timeout 60s --out "$out/run-$name" || failed=1
  # They may take two minutes, and are left out above. Here a compaction is done at once.
  bin/lwtest run 'watchcache/watch/compacted-edge*' "${target[@]}" --known "interop/$folder/known.json" --span 2m --out "$out/compacted-$name" || failed=1
done <<SERVERS
cacher apiserver cacher
memory apiserver memory cacher
etcd3 apiserver etcd3
t4 t4 github.com/t4db/t4@v1.1.17
kine kine github.com/k3s-io/kine@v0.17.5
SERVERS
exit "$failed"
