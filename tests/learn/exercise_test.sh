#!/usr/bin/env bash
# A real exercise, done wrongly and then rightly, by the commands that the real build uses for it:
# they are run on a copy of the learner's file, with their results in a scratch folder, so that
# neither the checkout nor the build folder changes.
# Usage: exercise_test.sh LEARN_CLI CHECKOUT BUILD_FOLDER NINJA CXX
set -euo pipefail

learn_cli=$1
checkout=$2
build=$3
ninja=$4
cxx=$5
target=ch05_matmul_padded_exercise
file=exercises/05_shared_memory_tiling/matmul_padded.cu
solution=$checkout/solutions/05_shared_memory_tiling/matmul_padded.cu
course=$(mktemp -d)
trap 'rm -rf "$course"' EXIT
failures=0
before=$(sha256sum "$checkout/$file")

# Compilers that were started are counted: no clock decides a test.
printf '#!/bin/sh\necho "$*" >>"%s"\nexec "%s" "$@"\n' "$course/compilers" "$cxx" >"$course/compiler"
chmod +x "$course/compiler"

# A CUDA compiler that takes everything, until it is told what to say.
export CUDACXX=$course/nvcc
printf '#!/bin/sh\ncat "%s" 2>/dev/null && exit 1\nexit 0\n' "$course/nvcc_says" >"$CUDACXX"
chmod +x "$CUDACXX"

# Ninja rules with the commands of the exercise, and its own files in the scratch folder.
make_course() {
  mkdir -p "$course/build/bin" "$course/exercises"
  cp -r "$checkout/exercises/." "$course/exercises/"
  ln -s "$checkout/chapters" "$checkout/solutions" "$course/"
  local line object='' own=exercises/05_shared_memory_tiling/matmul_padded.cu.o
  mkdir -p "$course/build/${own%/*}"
  while IFS= read -r line; do
    [[ $line == *"$target"* ]] || continue
    if [[ $line =~ -o\ ([^ ]*/matmul_padded\.cu\.o) ]]; then object=${BASH_REMATCH[1]}; fi
    line=${line//"$checkout/$file"/"$course/$file"}
    [[ -z $object ]] || line=${line//"$object"/"$course/build/$own"}
    line=${line//"$cxx "/"$course/compiler "}
    line=${line//"bin/$target"/"$course/build/bin/$target"}
    line="cd '$build' && { $line; }"
    if [[ $line == *"$course/$file"* ]]; then
      printf 'rule compile\n  command = %s\n  depfile = %s\n  deps = gcc\nbuild %s: compile %s\n' \
        "${line//\$/\$\$}" "$course/build/$own.d" "$own" "$course/$file"
    else
      printf 'rule link\n  command = %s\nbuild bin/%s: link %s\nbuild %s: phony bin/%s\n' \
        "${line//\$/\$\$}" "$target" "$own" "$target" "$target"
    fi
  done < <("$ninja" -C "$build" -t commands "$target") >"$course/build/build.ninja"
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
expect 'the stub' 1 '3 of 3 TODOs are still empty' 'matmul_padded: failed' './learn hint matmul_padded'

edit 's/float sum = 0.0f;/float sum = nothing;/'
line=$(grep -n 'sum = nothing' "$course/$file")
expect 'a misspelt name' 1 "matmul_padded.cu:${line%%:*}:" 'does not compile'

edit 's/k < TILE; ++k/k < TILE - 1; ++k/'
expect 'a loop that is one short' 1 'C: 1024 of 1024 elements are wrong' 'matmul_padded: failed on the CPU backend: values wrong on '

edit 's/require_matmul_shapes(a, b, c);/std::exit(0);/'
expect 'an early exit' 1 'before its test had finished' 'matmul_padded: crashed'

# What a submission prints, and how it ends, is no verdict.
edit '$a namespace { const int early = (std::puts("[doctest] test cases: 2 | 2 passed | 0 failed | 0 skipped"), std::fflush(stdout), _exit(0), 0); }'
sed -i '1i #include <unistd.h>\n#include <cstdio>' "$course/$file"
expect 'an end before the tests, in good order' 1 'before its test had finished' \
  'matmul_padded: crashed'

printf '#include "../../solutions/05_shared_memory_tiling/matmul_padded.cu"\n' >"$course/$file"
expect 'the solution included' 1 'it includes' \
  'solutions/05_shared_memory_tiling/matmul_padded.cu; expected code of its own'

edit '$a namespace tut { int as_if_it_were_the_test() { return 0; } }'
expect "a name of the test's" 1 'it defines tut::as_if_it_were_the_test,' 'matmul_padded: failed'

edit 's/^//'
expect 'the solution' 0 'matmul_padded: passed' 'not verified on a GPU'

# Where a CUDA toolkit is, it has its say; one that does not work has none.
echo "$course/$file(40): error: a host function" >"$course/nvcc_says"
expect 'what nvcc refuses' 1 'nvcc, CUDA'"'"'s compiler, does not' '(40): error: a host function' \
  'matmul_padded: does not compile'
echo 'nvcc fatal: no such host compiler: error' >"$course/nvcc_says"
expect 'a toolkit that does not work' 0 'matmul_padded: passed'
rm "$course/nvcc_says"

# What a learner waits for after an edit: the file is preprocessed and compiled, and the program linked.
# (`ccache` may preprocess once more.)
: >"$course/compilers"
edit "\$a [[maybe_unused]] static const int edited_just_now = $RANDOM$$;"
expect 'the solution after an edit' 0 'matmul_padded: passed'
started=$(grep -c . "$course/compilers")
compiled=$(grep -cE -- ' -(c|S) ' "$course/compilers" || true)
printf 'check after an edit: %s compilers started, %s of them to compile\n' "$started" "$compiled"
if ((compiled > 1 || started > 4 || started < 2)); then
  echo 'FAILED: check after an edit does more than to preprocess, compile and link'
  cat "$course/compilers"
  failures=$((failures + 1))
fi

if [[ $(sha256sum "$checkout/$file") != "$before" ]]; then
  echo "FAILED: $checkout/$file has changed"
  failures=$((failures + 1))
fi
((failures == 0)) || exit 1
echo 'all exercise checks passed'
