#!/usr/bin/env bash
# What students get of an assignment, made of the checkout's files in a scratch repository: its list of
# files, and that it configures, builds and checks an exercise without what it leaves out.
# Usage: bundle_test.sh LEARN_CLASSROOM LEARN_CLI CHECKOUT BUILD_FOLDER CXX
set -euo pipefail

classroom=$1
learn_cli=$2
checkout=$3
build=$4
cxx=$5
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
course=$scratch/course
failures=0
gemm=exercises/01_naive_matmul/gemm.cpp
padded=05_shared_memory_tiling/matmul_padded.cu
# In two pieces: this file is a part of the bundle, too.
secret='a secret that nobody'' may know'
export GIT_CONFIG_GLOBAL=$scratch/gitconfig GIT_CONFIG_NOSYSTEM=1

git -C "$checkout" ls-files -z >"$scratch/files" 2>/dev/null || { echo 'skipped: no git checkout'; exit 77; }

fail() {
  printf 'FAILED: %s\n%s\n\n' "$1" "${output:-}"
  failures=$((failures + 1))
}

bundle() {
  status=0
  output=$(cd "$scratch" && LEARN_ROOT="$course" LEARN_BUILD="$build" "$classroom" bundle "$@" 2>&1) ||
    status=$?
}

# refused WHAT TEXT
refused() {
  [[ $status == 2 && $output == *"$2"* && $(wc -l <<<"$output") == 1 ]] || fail "$1 ('$2' expected)"
}

make_course() {
  mkdir "$course"
  # Files that are deleted and not committed yet are no part of it.
  (cd "$checkout" && while IFS= read -r -d '' file; do [[ ! -e $file ]] || printf '%s\0' "$file"; done \
    <"$scratch/files" | tar --null -T - -cf -) | tar -xf - -C "$course"
  git config --global user.name teacher
  git config --global user.email teacher@example.org
  git -C "$course" init -q
  git -C "$course" add -A
  git -C "$course" commit -qm course
  cat >"$scratch/hw1.toml" <<ASSIGNMENT
# The secret is: $secret
title = "Homework 1"
due = 2999-02-12T23:59:00+01:00
secret = "$secret"
[late]
percent_per_day = 10
days = 3
[[exercise]]
name = "gemm"
points = 4
[[exercise]]
name = "matmul_padded"
values = 50
safety = 30
budget = 20
ASSIGNMENT
}

test_list() {
  echo '// the teacher tries it' >>"$course/$gemm"
  echo 'notes' >"$course/untracked.txt"
  bundle --assignment hw1.toml --out hw1.tar.gz
  [[ $status == 0 && $output == *'Homework 1, 2 exercises'* ]] || { fail 'a bundle'; exit 1; }
  tar -tzf "$scratch/hw1.tar.gz" >"$scratch/list"
  local file
  for file in solutions/01_naive_matmul/gemm.cpp "solutions/$padded" tests/wrong/ tests/right/ untracked.txt .git/; do
    output=$(grep -F "hw1/$file" "$scratch/list" || true)
    [[ -z $output ]] || fail "$file is in the bundle"
  done
  output=''
  for file in learn CMakeLists.txt "$gemm" "exercises/$padded" "exercises/given/$padded" \
    "exercises/given/${padded%.cu}.calls" solutions/01_naive_matmul/dot_compensated.cpp \
    tests/01_naive_matmul/gemm_test.cpp assignment.toml ASSIGNMENT.md; do
    grep -qFx "hw1/$file" "$scratch/list" || fail "$file is not in the bundle"
  done
  tar -xzf "$scratch/hw1.tar.gz" -C "$scratch"
  output=$(grep -rlF "$secret" "$scratch/hw1" || true)
  [[ -z $output ]] || fail 'the secret is in the bundle'
  output=$(git -C "$course" diff --no-index --stat "$course/$gemm" "$scratch/hw1/$gemm" || true)
  [[ $(git -C "$course" show "HEAD:$gemm") == "$(<"$scratch/hw1/$gemm")" ]] || fail 'the exercise is a stub'
  [[ -x $scratch/hw1/learn ]] || fail 'the launcher can be run'
  output=$(<"$scratch/hw1/assignment.toml")
  [[ $output == *'2999-02-12'*'+01:00'* && $output == *"'gemm'"* ]] || fail 'the public assignment'
  output=$(<"$scratch/hw1/ASSIGNMENT.md")
  # shellcheck disable=SC2016 # the page has these signs
  [[ $output == *'`gemm`, 4 points (values 4)'* && $output == *'(values 5, safety 3, budget 2)'* &&
    $output == *'costs 10 % of the points, and work that comes after 3 days counts 0'* ]] ||
    fail 'the page says what counts, and what late work costs'
  output=$(head -n 5 "$scratch/hw1/README.md")
  [[ $output == *'](ASSIGNMENT.md)'* ]] || fail 'the first page leads to the assignment'
  mv "$scratch/hw1.tar.gz" "$scratch/first.tar.gz"
  touch "$course/README.md"
  bundle --assignment hw1.toml --out hw1.tar.gz
  cmp "$scratch/hw1.tar.gz" "$scratch/first.tar.gz" || fail 'the same bytes once more'
  git -C "$course" checkout -q "$gemm"
}

test_refusals() {
  bundle --out hw1.tar.gz
  refused 'nothing assigned' 'either --assignment FILE.toml or --exercises'
  bundle --exercises gem --out hw1.tar.gz
  refused 'a misspelt exercise' 'did you mean gemm?'
  bundle --exercises gemm --out hw1.rar
  refused 'no archive' 'expected a name that ends in .tar.gz'
  echo "// $secret" >>"$course/README.md"
  bundle --assignment hw1.toml --out hw1.tar.gz
  refused 'a change that is not committed' 'not committed: README.md'
  git -C "$course" commit -qam 'a secret'
  bundle --assignment hw1.toml --out hw1.tar.gz
  refused 'a secret in a file' "the assignment's secret stands in README.md"
  git -C "$course" reset -q --hard HEAD~
  # An assignment that is kept in the course stays there.
  mkdir "$course/homework"
  cp "$scratch/hw1.toml" "$course/homework/hw1.toml"
  git -C "$course" add -A
  git -C "$course" commit -qm homework
  bundle --assignment "$course/homework/hw1.toml" --out kept.tar.gz
  [[ $status == 0 ]] || fail 'an assignment in the course'
  output=$(tar -tzf "$scratch/kept.tar.gz" | grep 'homework/' || true)
  [[ -z $output ]] || fail 'it is in the bundle'
}

learn() {
  status=0
  output=$(cd "$scratch" && LEARN_ROOT="$scratch/hw1" LEARN_BUILD="$scratch/hw1/build/cpu" \
    "$learn_cli" "$@" 2>&1 </dev/null) || status=$?
}

# expect WHAT STATUS TEXT
expect() { [[ $status == "$2" && $output == *"$3"* ]] || fail "$1 (exit code $2 and '$3' expected)"; }

test_build() {
  # Objects of the course are the same wherever it lies, for a cache of compilers: those of a maintainer's
  # build are found, which has warnings as errors.
  export CCACHE_BASEDIR=$scratch/hw1 CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
  (cd "$scratch/hw1" && CXX=$cxx cmake --preset cpu -DTUT_WERROR=ON) >"$scratch/log" 2>&1 ||
    { output=$(tail -n 20 "$scratch/log"); fail 'the bundle configures'; return; }
  # A target that is not there would be taken for a library of that name.
  ninja -C "$scratch/hw1/build/cpu" -t commands tested learn_cli ch16_train ch16_mine >"$scratch/log" 2>&1 ||
    { output=$(tail -n 20 "$scratch/log"); fail 'what ./learn test and ./learn tour build is there'; }
  output=$(grep -oE -- ' -lch[0-9][0-9a-z_]*' "$scratch/log" || true)
  [[ -z $output ]] || fail 'something is built with a solution that is not there'
  output=$(grep -cE 'solutions/(01_naive_matmul/gemm|05_shared_memory_tiling/matmul_padded)' "$scratch/log" || true)
  [[ $output == 0 ]] || fail 'no solution that is not there is built'
  # What it tries are the chapters assigned, and of these it builds nothing else.
  ninja -C "$scratch/hw1/build/cpu" -t commands tested_01 tested_05 >"$scratch/log"
  output=$(grep -oE 'chapters/(0[6-9]|1[0-9])_[a-z_]*/[a-z_]*_test|simt_[a-z_]*_checked' "$scratch/log" | sort -u || true)
  [[ -z $output ]] || fail "./learn test builds other chapters' tests"
  (($(wc -l <"$scratch/log") < 200)) || fail "./learn test builds $(wc -l <"$scratch/log") files"
  learn grade --assignment ../hw1.toml .
  expect 'a copy for students grades nothing' 2 'this copy came with an assignment'
  learn check gemm
  expect 'the stub' 1 'TODO'
  cp "$checkout/solutions/01_naive_matmul/gemm.cpp" "$scratch/hw1/$gemm"
  learn check gemm
  expect 'a right answer' 0 'gemm: passed'
  learn solution gemm
  expect 'no solution' 2 'this copy has no solution of gemm'
  learn reset gemm
  expect 'the stub is back' 0 'gemm.cpp is as the course provides it again'
  learn submit
  expect 'the bundle knows its assignment' 1 'gemm: is still as it was given'
}

make_course
test_list
test_refusals
test_build
((failures == 0)) || exit 1
echo 'all bundle checks passed'
