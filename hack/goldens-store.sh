#!/bin/sh
# Records the checks of client-go's stores and queues anew, into
# conformance/store/golden/testdata. Takes seconds. CHECKS='store/basic/x …'
# records only these checks and leaves all other files alone.
set -eu
for s in store indexer thread-safe-store delta-fifo real-fifo real-fifo-atomic undelta-store expiration-cache; do
	[ -n "${CHECKS:-}" ] || rm -rf "conformance/store/golden/testdata/$s"
	bin/lwtest record --suite store ${CHECKS:-} --target "go:client-go/$s" --out "conformance/store/golden/testdata/$s" >/dev/null 2>&1 || [ $? = 2 ] # 2: each of CHECKS was skipped
done
