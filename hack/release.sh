#!/usr/bin/env bash
# Makes a release below dist/: static binaries for linux, darwin and windows on amd64 and arm64, their checksums, man pages,
# completions for shells, and proxy/, a folder that serves the module as a GOPROXY (file://). The binaries are installed from
# that folder, so they are what `go install github.com/lwtest/lwtest/cmd/...@VERSION` makes.
# release.sh VERSION [OUT]: of the newest commit; what is not committed is not in it.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
version=${1:?say which version, such as v0.1.0}
out=${2:-dist}
module=$(awk '$1 == "module" {print $2}' go.mod)
[[ $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || { echo "release: $version is not a version: it is like v0.1.0 or v0.1.0-rc.1" >&2; exit 3; }
# Go keeps what it knows of a version for ever: the same one with other content would be a mixture.
[ ! -e "$(go env GOMODCACHE)/cache/download/$module/@v/$version.zip" ] || { echo "release: this machine has a $version already: say another version" >&2; exit 3; }
rm -rf "$out"
mkdir -p "$out/proxy/$module/@v"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

# the module, without those below it
mapfile -t below < <(git ls-files '*/go.mod' | xargs -n1 dirname | sed 's/.*/:(exclude)&/')
at=$out/proxy/$module/@v
git archive --format=zip --prefix="$module@$version/" -o "$at/$version.zip" HEAD . "${below[@]}"
git show HEAD:go.mod >"$at/$version.mod"
printf '{"Version":"%s","Time":"%s"}\n' "$version" "$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ)" >"$at/$version.info"
echo "$version" >"$at/list"

# Into a folder of its own, since go install does not write a program for another machine to GOBIN. The modules that lwtest
# uses come from where they always do.
export GOPROXY=file://$out/proxy,$(go env GOPROXY) GONOSUMDB=$module GOFLAGS=-trimpath GOMODCACHE=${GOMODCACHE:-$(go env GOMODCACHE)} CGO_ENABLED=0
export GOCACHE=${GOCACHE:-$(go env GOCACHE)} GOPATH=$work/path
unset GOBIN
cd "$work"
for os in ${SYSTEMS:-linux darwin windows}; do # SYSTEMS and ARCHES: fewer, for a try
	for arch in ${ARCHES:-amd64 arm64}; do
		for program in lwtest lwtest-apiserver; do
			GOOS=$os GOARCH=$arch go install -ldflags='-s -w' "$module/cmd/$program@$version"
			made=$GOPATH/bin/${os}_$arch/$program
			[ -d "$GOPATH/bin/${os}_$arch" ] || made=$GOPATH/bin/$program # of this machine
			to=$out/${program}_${version}_${os}_$arch
			case $os in windows) mv "$made.exe" "$to.exe" ;; *) mv "$made" "$to" ;; esac
		done
		echo "release: $os/$arch" >&2
	done
done
mine=$out/lwtest_${version}_$(go env GOHOSTOS)_$(go env GOHOSTARCH)
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct) "$mine" man "$out/man"
mkdir -p "$out/completions"
for shell in bash zsh fish powershell; do "$mine" completion "$shell" >"$out/completions/lwtest.$shell"; done
(cd "$out" && sha256sum lwtest_* lwtest-apiserver_* >checksums.txt)
"$mine" version
