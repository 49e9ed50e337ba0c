#!/usr/bin/env bash
# What ch07_tune --json writes, and where it refuses to write before it tunes.
# Usage: tune_json_test.sh CH07_TUNE BACKEND
set -euo pipefail

tune=$1
backend=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

fail() {
  printf 'FAILED: %s\n  exit code %s, output:\n%s\n\n' "$1" "$status" "$output"
  failures=$((failures + 1))
}

run_tuner() {
  status=0
  output=$("$tune" --size 256 --json "$1" 2>&1) || status=$?
}

# refused WHAT FILE TEXT: in one line, and nothing is tuned.
refused() {
  run_tuner "$2"
  [[ $status == 2 && $output == *"$3"* && $output != *tilings* && $output != *$'\n'* ]] || fail "$1"
}

results=$scratch/results.json
run_tuner "$results"
[[ $status == 0 && $output == *tilings* ]] || fail 'a run'
grep -q '"chapter": "07_register_tiling"' "$results" || fail 'results say of which chapter they are'
grep -q '"shared_bytes": [1-9]' "$results" || fail 'shared memory is known'
for field in registers spilled_bytes blocks; do
  if [[ $backend == cpu ]]; then
    ! grep -q "\"$field\"" "$results" || fail "what the CPU backend does not know is left out: $field"
  else
    grep -q "\"$field\": [0-9]" "$results" || fail "what the compiler knows is there: $field"
  fi
done

cp "$results" "$scratch/before.json"
run_tuner "$results"
[[ $status == 0 ]] || fail "the tuner's own results are replaced"
printf '{"benchmarks": [{"name": "m/8/step"}]}\n' >"$scratch/other.json"
refused 'results of another program' "$scratch/other.json" 'holds something other than results of ch07_tune'
grep -q 'm/8/step' "$scratch/other.json" || fail 'which stay'
refused 'no folder' "$scratch/none/x.json" 'cannot be written: No such file or directory'
refused 'a folder' "$scratch" 'cannot be written: it is not a regular file'

if ((failures > 0)); then
  echo "$failures checks of ch07_tune --json failed"
  exit 1
fi
echo 'all checks of ch07_tune --json passed'
