#!/usr/bin/env bash
# Makes the pictures of docs/images: pages of the report of a failing informer, server and runtime, in a headless Chromium
# (Debian's chromium-headless-shell).
set -euo pipefail
cd "$(dirname "$0")/.."
go build -o bin/lwtest ./cmd/lwtest
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shot NAME ADDRESS WIDTHxHEIGHT: of the page of the last run
shot() {
	chromium-headless-shell --no-sandbox --disable-gpu --hide-scrollbars --virtual-time-budget=3000 --user-data-dir="$work/profile" --window-size="${3/x/,}" \
		--screenshot="docs/images/$1.png" "file://$work/page.html#$2" 2>/dev/null
}
# run TARGET: its page; a failure is what is wanted
run() {
	(cd "$work" && "$root/bin/lwtest" run --target "$1" --html page.html) >/dev/null 2>&1 || [ $? = 1 ]
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
shot overview / 1000x560
shot informer "$(first)" 1000x760
run fake:mutant/lost-deleted
shot server "$(first)" 1000x760
run cri:mutant/image-stays
shot runtime "$(first)" 1000x760
(cd "$work" && "$root/bin/lwtest" run --suite informer --html page.html) >/dev/null 2>&1
shot matrix /matrix/informer/broken 1000x600
