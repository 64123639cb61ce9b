#!/usr/bin/env bash
# Makes the pictures of docs/images: pages of the report of a failing informer, server and runtime, in a headless Chromium
# (Debian's chromium-headless-shell).
set -euo pipefail
cd "$(dirname "$0")/.."
go build -o bin/lwtest ./cmd/lwtest
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shot NAME ADDRESS HEIGHT: of the page of the last run, 1280 wide as NAME.png, and as wide as a telephone as NAME-400.png
shot() {
	local size
	for size in "$1 1280,$3" "$1-400 400,900"; do
		chromium-headless-shell --no-sandbox --disable-gpu --hide-scrollbars --virtual-time-budget=3000 --user-data-dir="$work/profile" --window-size="${size#* }" \
			--screenshot="docs/images/${size% *}.png" "file://$work/page.html#$2" 2>/dev/null
	done
}
# run TARGET...: their page; a failure is what is wanted
run() {
	local target targets=()
	for target in "$@"; do targets+=(--target "$target"); done
	(cd "$work" && "$root/bin/lwtest" run "${targets[@]}" --html page.html) >/dev/null 2>&1 || [ $? = 1 ]
}
# first prints the address of the first result that failed.
first() {
	python3 - "$work/page.html" <<-'E'
		import json, re, sys
		data = json.loads(re.search(r'id="data">(.*?)</script>', open(sys.argv[1]).read(), re.S).group(1))
		print('/result/%d' % next(i for i, r in enumerate(data['results']) if r['v'] == 'failed'))
	E
}
mkdir -p docs/images
run informer:mutant/emptied-kept
shot overview / 960
shot informer "$(first)" 760
run fake:mutant/lost-deleted
shot server "$(first)" 760
run cri:mutant/image-stays
shot runtime "$(first)" 760
run informer:mutant/emptied-kept go:client-go/shared-informer go:client-go/reflector-store fake:mutant/lost-deleted fake
shot matrix /matrix 760
