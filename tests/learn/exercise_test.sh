#!/usr/bin/env bash
# A real exercise, done wrongly and then rightly, by the commands that the real build uses for it:
# they are run on a copy of the learner's file, with their results in a scratch folder, so that
# neither the checkout nor the build folder changes.
# Usage: exercise_test.sh LEARN_CLI CHECKOUT BUILD_FOLDER NINJA
set -euo pipefail

learn_cli=$1
checkout=$2
build=$3
ninja=$4
target=ch05_matmul_padded_exercise
file=exercises/05_shared_memory_tiling/matmul_padded.cu
solution=$checkout/solutions/05_shared_memory_tiling/matmul_padded.cu
course=$(mktemp -d)
trap 'rm -rf "$course"' EXIT
failures=0
before=$(sha256sum "$checkout/$file")

# One ninja rule that runs all commands of the exercise, with its own files in the scratch folder.
make_course() {
  mkdir -p "$course/build/bin" "$course/exercises"
  cp -r "$checkout/exercises/." "$course/exercises/"
  ln -s "$checkout/chapters" "$checkout/solutions" "$course/"
  local commands='' line object
  while IFS= read -r line; do
    [[ $line == *"$target"* ]] || continue
    if [[ $line =~ -o\ ([^ ]*/matmul_padded\.cu\.o) ]]; then object=${BASH_REMATCH[1]}; fi
    line=${line//"$checkout/$file"/"$course/$file"}
    [[ -z ${object:-} ]] || line=${line//"$object"/"$course/build/exercise.o"}
    line=${line//"bin/$target"/"$course/build/bin/$target"}
    commands+=" && { $line; }"
  done < <("$ninja" -C "$build" -t commands "$target")
  cat >"$course/build/build.ninja" <<END
rule exercise
  command = cd '$build'${commands//\$/\$\$}
build bin/$target: exercise $course/$file
build $target: phony bin/$target
END
  printf 'TUT_BACKEND:STRING=cpu\nCMAKE_MAKE_PROGRAM:FILEPATH=%s\n' "$ninja" \
    >"$course/build/CMakeCache.txt"
}

# expect WHAT STATUS TEXT...: checks the exercise, and what comes out.
expect() {
  local what=$1 wanted=$2 status=0 output text
  shift 2
  output=$(LEARN_ROOT="$course" LEARN_BUILD="$course/build" "$learn_cli" check matmul_padded 2>&1) ||
    status=$?
  for text in "$@"; do
    if [[ $status != "$wanted" || $output != *"$text"* ]]; then
      printf 'FAILED: %s: exit code %s, expected %s, with "%s":\n%s\n' "$what" "$status" "$wanted" \
        "$text" "$output"
      failures=$((failures + 1))
      return
    fi
  done
}

# edit SED_SCRIPT: the learner's file becomes the solution with an edit.
edit() { sed -e "$1" "$solution" >"$course/$file"; }

make_course
LEARN_ROOT="$course" LEARN_BUILD="$course/build" "$learn_cli" reset matmul_padded >/dev/null
expect 'the stub' 1 'C is wrong' 'kind: values' 'matmul_padded: failed' './learn hint matmul_padded'

edit 's/float sum = 0.0f;/float sum = nothing;/'
line=$(grep -n 'sum = nothing' "$course/$file")
expect 'a misspelt name' 1 "matmul_padded.cu:${line%%:*}:" 'does not compile'

edit 's/k < TILE; ++k/k < TILE - 1; ++k/'
expect 'a loop that is one short' 1 'C is wrong' 'kind: values' 'matmul_padded: failed'

edit 's/require_matmul_shapes(a, b, c);/std::exit(0);/'
expect 'an early exit' 1 'before its test was through' 'matmul_padded: crashed'

edit 's/^//'
expect 'the solution' 0 'matmul_padded: passed' 'not verified on a GPU'

# Two cores to itself answer sooner: compiling and running is counted, not waiting. A sanitizer's
# build is another matter.
edit "\$a [[maybe_unused]] static const int edited_just_now = $RANDOM$$;"
TIMEFORMAT='%U %S'
{ time expect 'the solution after an edit' 0 'matmul_padded: passed'; } 2>"$course/time"
limit=3000
if grep -q '^TUT_SANITIZE:STRING=.' "$build/CMakeCache.txt"; then limit=60000; fi
spent=$(awk '{ print int(1000 * ($1 + $2)) }' "$course/time")
printf 'check after an edit: %s ms of processor time, limit %s ms\n' "$spent" "$limit"
if ((spent > limit)); then
  echo 'FAILED: check after an edit is too slow'
  failures=$((failures + 1))
fi

if [[ $(sha256sum "$checkout/$file") != "$before" ]]; then
  echo "FAILED: $checkout/$file has changed"
  failures=$((failures + 1))
fi
((failures == 0)) || exit 1
echo 'all exercise checks passed'
