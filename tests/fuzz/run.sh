#!/usr/bin/env bash
# Fuzzes the readers of files, each for SECONDS (120): tests/fuzz/run.sh [SECONDS]
# Needs clang with its compiler-rt (Debian: clang, libclang-rt-dev). An input that breaks a reader is
# left in build/fuzz/broken/TARGET: mend the reader and add the input to tests/fuzz/corpus/TARGET.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-120}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { echo "usage: tests/fuzz/run.sh [SECONDS]" >&2; exit 2; }

cmake -S . -B build/fuzz -G Ninja -DCMAKE_CXX_COMPILER="${CXX:-clang++}" \
  -DTUT_SANITIZE=fuzzer-no-link,address,undefined >build/fuzz-configure.log ||
  { cat build/fuzz-configure.log; exit 1; }
cmake --build build/fuzz --target fuzz_idx fuzz_checkpoint fuzz_network

status=0
for target in idx checkpoint network; do
  mkdir -p "build/fuzz/seen/$target" "build/fuzz/broken/$target"
  log=build/fuzz/$target.log
  # An input of 4 KiB has no business to ask for 64 MiB.
  if "build/fuzz/bin/fuzz_$target" -max_total_time="$seconds" -max_len=4096 -malloc_limit_mb=64 \
    -artifact_prefix="build/fuzz/broken/$target/" -print_final_stats=1 \
    "build/fuzz/seen/$target" "tests/fuzz/corpus/$target" >"$log" 2>&1; then
    echo "$target: nothing found by $(awk '/number_of_executed_units/ { print $2 }' "$log") inputs"
  else
    tail -n 40 "$log"
    echo "$target: broken, see build/fuzz/broken/$target" >&2
    status=1
  fi
done
exit $status
