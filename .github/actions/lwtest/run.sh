#!/usr/bin/env bash
# What the action does: builds lwtest from the action's own tree, runs the suites on the targets, and fuzzes them.
# The runner sets INPUT_* to the action's inputs, and RUNNER_TEMP, GITHUB_ACTION_PATH and GITHUB_OUTPUT.
set -euo pipefail
lwtest=$RUNNER_TEMP/lwtest report=$RUNNER_TEMP/lwtest-report.html run=$RUNNER_TEMP/lwtest-run
(cd "$GITHUB_ACTION_PATH/../../.." && go build -o "$lwtest" ./cmd/lwtest)
# lines NAME TEXT: sets the array NAME to the lines of a text that are not blank
lines() { mapfile -t "$1" < <(sed 's/^[[:space:]]*//; s/[[:space:]]*$//; /^$/d' <<<"$2"); }
lines targets "$INPUT_TARGET"
lines more "${INPUT_ARGS:-}"
[ "${#targets[@]}" -gt 0 ] || { echo "::error title=lwtest::the input target is empty"; exit 3; }
args=()
for t in "${targets[@]}"; do args+=(--target "$t"); done
known=()
[ -z "${INPUT_KNOWN:-}" ] || known=(--known "$INPUT_KNOWN")
[ -z "${INPUT_SUITE:-}" ] || args+=(--suite "$INPUT_SUITE")
echo "report=$report" >>"$GITHUB_OUTPUT"
status=0
"$lwtest" run "${args[@]}" "${known[@]}" "${more[@]}" --format github --out "$run" --html "$report" || status=$?
[ "$status" != 3 ] || echo "::error title=lwtest::the run could not be made, or not to its end: see the log of this step"
[ -n "${INPUT_FUZZ:-}" ] && [ "$status" != 3 ] || exit "$status"
for t in "${targets[@]}"; do
	echo "::group::random stories on $t"
	fuzzed=0
	"$lwtest" fuzz ${INPUT_SUITE:+"$INPUT_SUITE"} --target "$t" "${known[@]}" --for "$INPUT_FUZZ" --out "$RUNNER_TEMP/lwtest-fuzz" || fuzzed=$?
	echo "::endgroup::"
	[ "$fuzzed" = 0 ] || { echo "::error title=lwtest fuzz::random stories on $t: exit status $fuzzed, see the log of this step"; [ "$status" != 0 ] || status=$fuzzed; }
done
exit "$status"
