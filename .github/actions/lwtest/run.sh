#!/usr/bin/env bash
# What the action does: builds lwtest from the action's own tree, installs the programs of envtest if they are wanted, runs the suites on
# the targets, and fuzzes them. The runner sets INPUT_* to the action's inputs, and RUNNER_TEMP, GITHUB_ACTION_PATH, GITHUB_ENV,
# GITHUB_OUTPUT and GITHUB_STEP_SUMMARY.
set -euo pipefail
work=$(mktemp -d "$RUNNER_TEMP/lwtest-XXXXXX") # a job may use the action more than once
lwtest=$work/lwtest report=$work/out/report.html
mkdir "$work/out"
(cd "$GITHUB_ACTION_PATH/../../.." && go build -o "$lwtest" ./cmd/lwtest)
if [ "${INPUT_ENVTEST:-}" = true ]; then
	assets=$("$lwtest" envtest "$work/assets")
	echo "KUBEBUILDER_ASSETS=$assets" >>"$GITHUB_ENV"
	grep -q '[^[:space:]]' <<<"${INPUT_TARGET:-}" || exit 0 # nothing else is wanted
fi
# lines NAME TEXT: sets the array NAME to the lines of a text that are not blank
lines() { mapfile -t "$1" < <(sed 's/^[[:space:]]*//; s/[[:space:]]*$//; /^$/d' <<<"$2"); }
lines targets "$INPUT_TARGET"
lines more "${INPUT_ARGS:-}"
lines morefuzz "${INPUT_FUZZ_ARGS:-}"
[ "${#targets[@]}" -gt 0 ] || { echo "::error title=lwtest::the input target is empty"; exit 3; }
args=()
for t in "${targets[@]}"; do args+=(--target "$t"); done
known=()
[ -z "${INPUT_KNOWN:-}" ] || known=(--known "$INPUT_KNOWN")
[ -z "${INPUT_SUITE:-}" ] || args+=(--suite "$INPUT_SUITE")
{ echo "report=$report"; echo "artifact=$work/out"; echo "name=${work##*/lwtest-}"; } >>"$GITHUB_OUTPUT"
status=0
"$lwtest" run "${args[@]}" "${known[@]}" "${more[@]}" --format github --out "$work/run" --html "$report" || status=$?
[ "$status" != 3 ] || echo "::error title=lwtest::the run could not be made, or not to its end: see the log of this step"
[ -n "${INPUT_FUZZ:-}" ] && [ "$status" != 3 ] || exit "$status"
n=0
for t in "${targets[@]}"; do
	n=$((n + 1)) fuzzed=0 token=$RANDOM$RANDOM$RANDOM
	# what a target says is no command to the runner
	echo "::group::random stories on $t"
	echo "::stop-commands::$token"
	"$lwtest" fuzz ${INPUT_SUITE:+"$INPUT_SUITE"} --target "$t" "${known[@]}" "${morefuzz[@]}" --for "$INPUT_FUZZ" --out "$work/out/fuzz-$n" | tee "$work/fuzz.txt" || fuzzed=$?
	echo "::$token::"
	echo "::endgroup::"
	[ "$fuzzed" != 0 ] || continue
	[ "$status" != 0 ] || status=$fuzzed
	echo "::error title=lwtest fuzz::random stories on $t: exit status $fuzzed, see the summary of this step"
	{
		printf '### lwtest fuzz: random stories on `%s` ended with status %s\n\nThe stories are in the artifact, in fuzz-%s.\n\n~~~~~~\n' "$t" "$fuzzed" "$n"
		tail -c 50000 "$work/fuzz.txt"
		printf '\n~~~~~~\n'
	} >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
done
exit "$status"
