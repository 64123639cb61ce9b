#!/usr/bin/env bash
# Runs the suites on a real kube-apiserver in each of its configurations, one after the other: the reports are
# in runs/results, a folder for each. Then prints the table of all that are there: docs/kube-apiserver.md is that
# of v1.37.1 and of v1.35.4. Four minutes for each configuration; half an hour for a version.
#
#	results.sh VERSION [CONFIGURATION...]     on nocache events things deployments pods
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$1
shift
out=$PWD/runs/results
mkdir -p "$out"

# measure NAME RESOURCE "SERVER FLAGS"
measure() {
	local to=$out/$1
	rm -rf "$to"
	# shellcheck disable=SC2086 # flags are words
	hack/kube/kube.sh with --version "$version" $3 -- sh -c \
		"bin/lwtest run --target kubeconfig:\$KUBECONFIG --resource $2 --etcd \$ETCD --restart-cmd \"\$RESTART\" --span 5m --parallel 8 --feature sole-writer --out $to" >"$to.txt" ||
		{ echo "$1: see $to.txt" >&2; cat "$to.txt" >&2; exit 1; }
	tail -n 3 "$to.txt" >&2
}

for c in "${@:-on nocache events things deployments pods}"; do
	for c in $c; do
		case $c in
		on) measure "$version" configmaps "" ;;
		nocache) measure "$version-nocache" configmaps --watch-cache=false ;;
		events | things | deployments | pods | leases) measure "$version-$c" "$c" "" ;;
		*)
			echo "there is no configuration $c: on, nocache, events, things, deployments, pods, leases" >&2
			exit 3
			;;
		esac
	done
done

reports=()
for r in "$out"/*/report.json; do
	name=${r%/report.json}
	reports+=("${name##*/}=$r")
done
go run ./hack/results -exempt cache/lag,cache/starting "${reports[@]}"
