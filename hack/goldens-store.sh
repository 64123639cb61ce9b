#!/bin/sh
# Records the checks of client-go's stores and queues anew, into
# conformance/store/golden/testdata. Takes a second.
set -eu
for s in store indexer thread-safe-store delta-fifo real-fifo real-fifo-atomic undelta-store expiration-cache; do
	rm -rf "conformance/store/golden/testdata/$s"
	bin/lwtest record --suite store --target "go:client-go/$s" --out "conformance/store/golden/testdata/$s" >/dev/null 2>&1
done
