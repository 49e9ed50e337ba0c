#!/usr/bin/env bash
# A learner's session from start to end, in a small course of its own: a checkout in a scratch
# folder with two exercises and a build folder that holds a build.ninja written here.
# Usage: session_test.sh LEARN_CLI CHECKOUT CXX
# shellcheck disable=SC2016 # the stand-ins' scripts are quoted on purpose
set -euo pipefail

learn_cli=$1
fixture=$2/tests/learn/fixture
cxx=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
course="$scratch/my course"
build=$course/build/cpu
failures=0
unset LEARN_COURSE_PATH
# A CUDA compiler takes everything: the exercises' headers are not where the course's are.
export CUDACXX=$scratch/path/nvcc

make_course() {
  cp -r "$fixture" "$course"
  mkdir "$course/docs" && cp "$fixture/../../../docs/gpus.toml" "$course/docs"
  mkdir -p "$build/bin" "$scratch/path"
  {
    echo 'CMAKE_HOME_DIRECTORY:INTERNAL=/none'
    echo 'TUT_BACKEND:STRING=cpu'
    echo "CMAKE_MAKE_PROGRAM:FILEPATH=$(type -P ninja)"
    echo "CMAKE_COMMAND:INTERNAL=$(type -P true)"
    echo "CMAKE_CTEST_COMMAND:INTERNAL=$scratch/path/ctest"
  } >"$build/CMakeCache.txt"
  sed "s|@CXX@|$cxx|" "$fixture/build.ninja.in" >"$build/build.ninja"
  local tool
  for tool in curl wget; do program "$scratch/path/$tool" 'exit 7'; done
  program "$CUDACXX" 'exit 0'
  program "$scratch/path/ctest" '
    [ "$1" != --help ] || { printf "  -L <regex>, --label-regex <regex>\n  -V,--verbose  = More.\n"; exit; }
    echo "ctest $*"; exit ${FAKE_CTEST:-0}'
}

program() {
  printf '#!/bin/sh\n%s\n' "$2" >"$1"
  chmod +x "$1"
}

# Runs the command line from another folder; sets status and output (both streams).
learn() {
  status=0
  output=$(cd "$scratch" && env -u TUT_DATA_DIR LEARN_ROOT="$course" LEARN_BUILD="$build" \
    PATH="$scratch/path:$PATH" "$learn_cli" "$@" 2>&1 </dev/null) || status=$?
}

fail() {
  printf 'FAILED: %s\n  exit code %s, output:\n%s\n\n' "$1" "$status" "$output"
  failures=$((failures + 1))
}

# expect WHAT STATUS TEXT...: the exit code, and texts that the output has (or, after !, has not).
expect() {
  local what=$1 text
  [[ $status == "$2" ]] || { fail "$what (exit code $2 expected)"; return; }
  shift 2
  for text in "$@"; do
    if [[ $text == !* ]]; then
      [[ $output != *"${text#!}"* ]] || fail "$what (without '${text#!}')"
    else
      [[ $output == *"$text"* ]] || fail "$what (with '$text')"
    fi
  done
}

# expect_file WHAT FILE TEXT
expect_file() {
  grep -qF -- "$3" "$2" 2>/dev/null || { output=$(cat "$2" 2>&1 || true); fail "$1"; }
}

write_add() { printf '%s\n' "$@" >"$course/exercises/01_start/add.cu"; }

# solve CHAPTER/EXERCISE: the learner's file is right: the solution, without the marks that it has.
solve() { grep -vE '^ *//(!|>)' "$course/solutions/$1.cu" >"$course/exercises/$1.cu"; }

test_standing() {
  learn
  expect 'standing at the start' 0 '0 of 2 exercises solved' 'Next: 01 add  Add two numbers' \
    'read   chapters/01_start/README.md' 'edit   exercises/01_start/add.cu' '!\x1b'
  learn list
  expect 'list' 0 '01  First steps' '[ ] add' '10 pts  ' '02  More' '[ ] twice' '0 of 2'
}

test_wrong_answers() {
  learn check
  expect 'a stub fails' 1 '1 of 1 TODO is still empty: exercises/01_start/add.cu, line 2' \
    'add: failed on the CPU backend' './learn hint add shows hint 1 of 2' '!add(2, 3)' '!passed' \
    '![doctest]' '!kind:'
  learn check --full
  expect 'all that the test says' 1 'add(2, 3) is 0, expected 5' 'The whole report:' '!kind:'
  write_add 'int add(int a, int b) { return a - b; }'
  learn check add
  expect 'a wrong answer' 1 'add(2, 3) is -1, expected 5' '!TODO' '!kind:'
  write_add 'int add(int a, int b) {' '  return a + c;' '}'
  learn check add
  expect 'compiler errors as they are' 1 'add.cu:2:14: error:' 'add: does not compile' '!FAILED' \
    '!ninja' '!build stopped'
  write_add '#include <cstdlib>' 'int add(int a, int b) { std::abort(); }'
  learn check add
  expect 'a crash' 1 'add: crashed' 'signal 6'
  write_add '#include <cstdlib>' 'int add(int a, int b) { std::exit(0); }'
  learn check add
  expect 'an early exit is no pass' 1 'exit code 0 before its test had finished' '!passed'
  write_add 'int add(int a, int b) { volatile int i = 0; while (i == 0) {} return 0; }'
  learn check add
  expect 'an endless loop' 1 'Stopped after 3 s' 'add: took too long'
  write_add '#include <cstdlib>' 'int add(int a, int b) { std::exit(77); }'
  learn check add
  expect 'an exit as if nothing could be checked' 1 'exit code 77 before its test had finished' '!passed'
  output=$(grep -v '^#' "$course/.learn/progress")
  [[ $output == "add failed=$(sha256sum "$course/exercises/01_start/add.cu" | cut -c1-16)" ]] ||
    fail 'nothing passed yet, and what failed is noted'
}

test_help() {
  learn hint
  expect 'first hint' 0 'Hint 1 of 2' 'There is an operator for it.' '!Hint 2'
  learn hint add
  expect 'second hint' 0 'Hint 2 of 2' 'Return a + b.' '!Hint 1' 'solution add --give-up'
  learn hint 01/add
  expect 'all hints' 0 'Hint 1 of 2' 'Hint 2 of 2'
  expect_file 'hints are counted' "$course/.learn/progress" 'add hints=2'
  learn solution add
  expect 'a locked solution' 1 'opens once its check passes' '!return a + b;'
  learn solution twice --give-up
  expect 'giving up' 0 'return 2 * a;' '// Double it.' '!//!' '![hole'
  expect_file 'giving up is recorded' "$course/.learn/progress" 'twice gave-up'
}

test_right_answer() {
  cp "$course/solutions/01_start/add.cu" "$course/exercises/01_start/add.cu"
  learn check add
  expect "the course's solution" 0 'add: passed' "add.cu is the course's solution, with its marks: add is not noted as solved"
  ! grep -q '^add .*passed' "$course/.learn/progress" || fail "the course's solution solves nothing"
  learn check add --json
  expect "the course's solution, for programs" 0 '"verdict": "passed"' '!noted'
  solve 01_start/add
  learn check --json
  expect 'a pass for programs' 0 '"verdict": "passed"' '"verified_on_gpu": false' '"points": 10'
  learn check add
  expect 'a pass' 0 'add: passed on the CPU backend; not verified on a GPU' 'Next: 02 twice'
  expect_file 'a pass is recorded' "$course/.learn/progress" \
    "add hints=2 passed=cpu file=$(sha256sum "$course/exercises/01_start/add.cu" | cut -c1-16) since=20"
  learn solution add
  expect 'an open solution' 0 'return a + b;'
  learn solution add --diff
  expect 'two files of host code, as a whole' 0 '- exercises/01_start/add.cu' '  return a + b;'
  learn
  expect 'the bar after one pass of two' 0 '[####################....................]'
  COLUMNS=30 learn hint add
  expect 'no line beyond the terminal' 0 'Hint 1 of 2'
  ! grep -qE '^  .{29}' <<<"$output" || fail 'hints are wrapped'
  status=0
  output=$(LEARN_ROOT="$course" LEARN_BUILD="$build" "$learn_cli" list 2>&1 >/dev/full) || status=$?
  expect 'an output that cannot be written' 2 'learn: cannot write the output: No space left on device'
  learn list --json
  expect 'list for programs' 0 '"solved": 1' '"next": "twice"'
  learn check --all
  expect 'all exercises' 1 '1 of 2 passed'
}

test_reset() {
  learn reset add
  expect 'reset' 0 'kept as exercises/01_start/add.cu.' '.bak'
  expect_file 'the stub is back' "$course/exercises/01_start/add.cu" '// TODO: Add them.'
  expect_file 'the old file is aside' "$(echo "$course"/exercises/01_start/add.cu.*.bak)" 'return a + b;'
  learn reset add
  expect 'reset again' 0 'nothing to do'
  learn list
  expect 'reset is unsolved' 0 '[ ] add' '0 of 2'
  rm "$course/exercises/01_start/add.cu"
  learn check add
  expect 'a missing file' 2 "'./learn reset add' brings it back"
  learn reset add
  expect 'reset brings it back' 0 'is as the course provides it again'
}

test_worked_on() {
  echo '// mine' >>"$course/exercises/02_more/twice.cu"
  learn
  expect 'the exercise that was edited' 0 'Next: 02 twice'
  learn reset twice
  learn
  expect 'the first unsolved one' 0 'Next: 01 add'
}

# After a solved exercise comes the next one of its chapter, though an earlier chapter has an open one.
test_next() {
  local manifest=$course/exercises/course.toml
  cp "$manifest" "$scratch/course.toml"
  sed -n '/^chapter = 2/,$p' "$manifest" | sed '1i [[exercise]]' | sed 's/twice/thrice/' >"$scratch/third"
  { echo; cat "$scratch/third"; } >>"$manifest"
  solve 02_more/twice
  learn check twice
  expect 'the next one after a solved one' 0 'twice: passed' 'Next: 02 thrice' \
    '(still open before it: chapter 01)' '!01 add' $'./learn check\n'
  learn
  expect 'and so says the standing' 0 'Next: 02 thrice'
  cp "$scratch/course.toml" "$manifest"
  learn check twice
  expect 'after the last one the first that is open' 0 'twice: passed' 'Next: 01 add'
  sleep 0.02
  solve 01_start/add
  sed -i 's/return a + b/return a - b/' "$course/exercises/01_start/add.cu"
  { echo; cat "$scratch/third"; } >>"$manifest"
  learn check twice
  expect 'commands name what they would not mean alone' 0 'Next: 02 thrice' \
    './learn check thrice' './learn hint thrice'
  cp "$scratch/course.toml" "$manifest"
  learn reset twice
  learn reset add
}

# The last open exercise of a part says how all of it is checked.
test_part() {
  local manifest=$course/exercises/course.toml
  cp "$manifest" "$scratch/course.toml"
  printf '\n[[part]]\nname = "%s"\ntitle = "%s"\nchapters = [%s]\n' \
    I 'The start' '1, 1' II More '2, 9' >>"$manifest"
  grep -v '//!' "$course/solutions/01_start/add.cu" >"$course/exercises/01_start/add.cu"
  learn check add
  expect 'a part is done' 0 'That was the last open exercise of part I, The start.' './learn check --part I'
  learn check --part I
  expect 'all of a part' 0 'add: passed' '!twice:' '!That was the last open'
  learn check --part II
  expect 'another part' 1 'twice: failed' '!add:'
  learn check --part V
  expect 'no such part' 2 "no part 'V'; expected I, II"
  learn status
  expect 'the part has passed' 0 'Part I, The start: 1 of 1 passed since 20'
  cp "$scratch/course.toml" "$manifest"
  learn reset add
}

# What cannot run is said before it is built.
test_built_only() {
  local manifest=$course/exercises/course.toml cuda=$course/build/cuda
  cp "$manifest" "$scratch/course.toml"
  sed -i 's/^name = "add"$/&\nneeds = "gpus_99"/' "$manifest"
  mkdir -p "$cuda/bin"
  sed 's/=cpu$/=cuda/' "$build/CMakeCache.txt" >"$cuda/CMakeCache.txt"
  cp "$build/build.ninja" "$cuda/build.ninja"
  write_add 'int add(int a, int b) {' '  return a + c;' '}'
  learn --backend cuda check add
  expect 'said before the build fails' 1 'add will only be built, not run: it needs ' \
    'add: does not compile'
  learn reset add
  learn --backend cuda check add
  expect 'built, not run' 2 'add will only be built' 'Built, not run: it needs ' 'add: not run'
  cp "$scratch/course.toml" "$manifest"
  rm -r "$cuda"
}

# Off a terminal a long build says so in one line.
test_announcements() {
  cp "$build/build.ninja" "$scratch/build.ninja"
  sed -i "s|command = $cxx|command = sleep 1.5 \&\& $cxx|" "$build/build.ninja"
  write_add 'int add(int, int) { return 1; }'
  learn check add
  expect 'a build that takes its time' 1 'building add ...' 'add: failed'
  rm "$build"/bin/*_exercise*
  learn check add
  expect 'the first build says that it can take long' 1 \
    'building add (the first build can take some minutes) ...' 'add: failed'
  cp "$scratch/build.ninja" "$build/build.ninja"
  learn reset add
  learn test -L 05
  expect 'tests begin with a line about the build' 0 'building everything (some minutes'
  [[ $output == building* ]] || fail 'the line comes first'
}

# A right answer is not enough for an exercise whose bug only a watched build shows.
test_watched() {
  local manifest=$course/exercises/course.toml
  cp "$manifest" "$scratch/course.toml"
  sed -i 's/^name = "twice"$/&\nwatched = true/' "$manifest"
  solve 02_more/twice
  learn check twice
  expect 'nothing passes unwatched' 2 'twice: not run' "'./learn --backend cpu check twice'" '!passed'
  cp "$fixture/exercises/02_more/twice.cu" "$course/exercises/02_more/twice.cu"
  learn check twice
  expect 'a wrong answer fails unwatched' 1 'twice: failed'
  cp "$scratch/course.toml" "$manifest"
}

test_damage_and_mistakes() {
  echo 'add passed=gpu' >>"$course/.learn/progress"
  learn
  expect 'a damaged progress line' 0 ".learn/progress line" "skipped: 'add passed=gpu'" '0 of 2'
  learn hint twice
  expect_file 'a damaged line is kept' "$course/.learn/progress" '# skipped: add passed=gpu'
  : >"$course/.learn/progress"
  learn
  expect 'progress that is empty' 0 'learn: .learn/progress was cut short'
  learn hint twice
  expect 'is said before it is written again' 0 'learn: .learn/progress was cut short' 'Hint 1'
  learn
  expect 'and then it is whole' 0 '!cut short'
  learn check ad
  expect 'an unknown exercise' 2 "no exercise 'ad'; did you mean add?"
  learn check 02
  expect 'a chapter for an exercise' 2 "'02' is a chapter; name one of its exercises: twice"
  learn check ''
  expect 'no name at all' 2 'exercise' 'empty'
  mkdir "$scratch/folder.cu"
  local command
  for command in check count run; do
    learn "$command" folder.cu
    expect "a folder to $command" 2 'folder.cu is a folder; expected a .cu file'
  done
  learn count twice
  expect 'an exercise to count' 2 "count needs a FILE.cu of your own; 'twice' is an exercise" \
    'nothing of it is counted'
  echo 'build ch02_twice_exercise_counted: phony' >>"$build/build.ninja"
  for command in twice ch02_twice_exercise "$course/exercises/02_more/twice.cu"; do
    learn count "$command"
    expect "how to see an exercise's counts" 2 "'./learn --backend cpu check twice'" \
      "'SIMT_ANNOTATE=1 build/cpu/bin/ch02_twice_exercise_counted --test-case=budget'"
  done
  sed -i '/twice_exercise_counted/d' "$build/build.ninja"
  learn count nothing
  expect 'a word to count' 2 "count needs a FILE.cu of your own; 'nothing' is none"
  learn run 9
  expect 'an unknown chapter' 2 "no chapter '9'"
  learn run 2
  expect 'a chapter without a program' 2 'chapter 02_more has no program to run here'
  learn --backend cuda check
  expect 'a backend that is not set up' 2 'is not set up'
}

test_programs() {
  local command
  learn run 01 -- --size 7
  expect 'a demo and its exit code' 5 'demo of chapter 1: --size 7'
  printf '#include <cstdio>\nint main(int n, char** a) { for (int i = 1; i < n; ++i) std::printf("[%%s]", a[i]); return 3; }\n' \
    >"$scratch/own file.cu"
  learn run 'own file.cu' one -- -n 'two words' --flag
  expect 'a file of my own, its arguments in order' 3 '[one][-n][two words][--flag]'
  learn check 'own file.cu' one
  expect 'a file of my own, checked' 3 'cucc --check' '[one]' '!nothing found'
  learn check 'own file.cu' -- one -n
  expect 'a file of my own, checked with a flag' 3 'cucc --check' '[one][-n]'
  learn count 'own file.cu' -- -n
  expect 'a file of my own, counted' 3 'cucc --count' '[-n]'
  learn run 01 --frob
  expect 'a flag in front of --' 2 'run does not know --frob' "./learn run 01 -- --frob" '!demo'
  learn check 'none.cu'
  expect 'a file to check that is not there' 2 'cannot read none.cu: no such file'
  learn run 'none.cu'
  expect 'a file that is not there' 2 'cannot read none.cu: no such file'
  printf 'int main() { return x; }\n' >"$scratch/bad.cu"
  learn run bad.cu
  expect 'a file with an error' 2 'bad.cu:1:21: error:' 'bad.cu does not compile'
  printf '// Its main() is elsewhere.\n/* int main( */ int f() { return 0; }\n' >"$scratch/no main.cu"
  for command in run check count; do
    learn "$command" 'no main.cu'
    expect "a file without a main to $command" 2 \
      'learn: no main.cu has no main function: there is no program to run' '!ld:' '!does not compile'
  done
  printf 'int f() { return x; }\n' >"$scratch/no main.cu"
  learn run 'no main.cu'
  expect 'a file without a main and with an error' 2 'no main.cu:1:18: error:' 'does not compile'
  printf '#define PROGRAM int main() { return 4; }\n' >"$scratch/program.hpp"
  printf '#include "program.hpp"\nPROGRAM\n' >"$scratch/no main.cu"
  learn run 'no main.cu'
  expect 'a main that a header makes' 4 '!no main function'
  printf 'int f();\nint main() { return f(); }\n' >"$scratch/no main.cu"
  learn run 'no main.cu'
  expect 'another function that is not there' 2 'undefined reference to `f()' 'does not compile'
  learn run "$course/exercises/01_start/add.cu"
  expect 'an exercise to run' 2 "add.cu has no main function: './learn check add' tests it"
  learn cucc -h 'a b'
  expect 'cucc gets its arguments untouched' 0 'cucc: [-h] [a b]'
  learn test --frob
  expect 'a flag that CTest does not have' 2 "ctest has no option '--frob'" '!building' '!ctest --test-dir'
  learn test -L 05 -V
  expect 'tests' 0 'ctest --test-dir' '-L 05 -V'
  FAKE_CTEST=8 learn test
  expect 'failing tests' 1
  learn tour
  expect 'a tour without stops' 2 'not in this copy yet' '!faster'
}

# Without a GPU kernels are counted; --times measures them all the same.
test_bench() {
  local kept=$course/docs/results/box
  learn bench 2
  expect 'a chapter without a benchmark' 2 '!building' \
    'learn: chapter 02_more has no benchmark; these have one: 01'
  touch -d '1 minute' "$course/chapters/02_more/CMakeLists.txt"
  learn bench 2
  expect 'a chapter that may have one since' 2 'chapter 02_more has no program to run here'
  rm "$course/chapters/02_more/CMakeLists.txt"
  learn bench 01 --benchmark_filter=x
  expect 'counts' 0 'counts of chapter 1: --json' '--filter x' 'Counted on the CPU backend' \
    'm, 8: bytes moved' '64.0 B' 'Results: ' 'build/cpu/bench/01.part.json'
  rm -f "$course/.learn/progress"
  cp "$course/exercises/01_start/add.cu" "$scratch/add.before"
  # Exercises that have passed stand beside the course's.
  local version
  for version in exercise solution; do
    printf 'build bin/ch01_add_%s_counted: program ../../tests/counted.cpp\nbuild ch01_add_%s_counted: phony bin/ch01_add_%s_counted\n' \
      $version $version $version >>"$build/build.ninja"
  done
  FAKE_MOVED=128 learn bench 01
  expect 'no exercise before it has passed' 0 'm, 8: bytes moved' '!add: bytes moved'
  write_add 'int add(int a, int b) { return a + b; }'
  FAKE_MOVED=128 learn check add
  FAKE_MOVED=128 learn bench 01
  expect "the learner's kernels" 0 'm, 8: bytes moved' 'add: bytes moved' 'your kernels' \
    "the course's" '128 B'
  learn bench 01
  expect 'kernels that no longer pass' 0 'your kernels' 'does not pass: ./learn check add'
  FAKE_MOVED=128 learn bench 01 --benchmark_filter=x
  expect 'some rows only' 0 '!your kernels'
  sed -i '/_counted/d' "$build/build.ninja"
  cp "$scratch/add.before" "$course/exercises/01_start/add.cu"
  learn bench 01 --benchmark_repetitions=3
  expect 'counts know no repetitions' 2 '--benchmark_repetitions=3 is for times' '!counts of'
  learn bench 01 --counts --times
  expect 'counts or times' 2 '--counts and --times cannot be given together'
  learn bench 02 --counts
  expect 'nothing to count' 2 'chapter 02_more has no benchmark'
  sed -i 's/^build ch01_counts:/build no_counts:/' "$build/build.ninja"
  learn bench 01 --counts
  expect 'nothing to count with' 2 'chapter 01_start cannot be counted by cpu'
  sed -i 's/^build no_counts:/build ch01_counts:/' "$build/build.ninja"
  learn bench 01 --times --json "$scratch/out/t.json" -- --benchmark_min_time=1
  expect 'times' 0 'bench of chapter 1: --benchmark_min_time=1 --progress' 'm, 8' '0.5 x' 'rival' \
    'FLOPs: 50 % of 1.00 GFLOP/s' 'Results: out/t.json'
  learn bench 01 --times --benchmark_list_tests
  expect "Google Benchmark's own output" 0 'm/8/step' '!Results'
  FAKE_STATUS=3 learn bench 01 --times
  expect 'a benchmark that fails' 3 '!Results'
  learn bench 01 --times --guard
  expect 'nothing kept of this device' 2 'docs/results has no 01.json of this device'
  mkdir -p "$kept"
  cp "$scratch/out/t.json" "$kept/01.json"
  learn bench 01 --times --guard
  expect 'as it was' 0 'Beside docs/results/box/01.json: 1 as before or better, 0 worse'
  FAKE_TIME=2.3 learn bench 01 --times --guard
  expect 'a slower step' 1 'worse: m, 8: step: was 0.500 of library' 'is 0.435, allowed 0.4'
  FAKE_DEVICE=Other learn bench 01 --times --guard
  expect 'another device' 2 'no 01.json of this device'
  learn bench 01 --json "$kept/01.json"
  FAKE_BYTES=96 learn bench 01 --guard
  expect 'more bytes than were kept' 1 'worse: m, 8: step: bytes moved 96, was 64, allowed: no more'
  learn bench 01 --read "$scratch/out/t.json"
  expect 'results of another run' 0 'm, 8' '0.5 x' '!counts of' '!bench of'
  learn bench 01 --read "$scratch/out/t.json" --counts
  expect 'results as they are, and counted' 2 '--read shows results as they are' '!m, 8'
  echo precious >"$scratch/precious.cu"
  learn bench 01 --json "$scratch/precious.cu"
  expect 'a file that holds something else' 2 'precious.cu holds no results of a benchmark' '!counts of'
  expect_file 'which stays' "$scratch/precious.cu" 'precious'
  : >"$scratch/empty.json"
  learn bench 01 --json "$scratch/empty.json"
  expect 'results into an empty file' 0 'Results: empty.json'
  learn bench 01 --json /dev/null
  expect 'results into a device' 2 '--json /dev/null is not a file' '!counts of'
  learn bench 01 --read "$scratch/none.json"
  expect 'results that are not there' 2 'cannot read' 'none.json'
  # What a GPU allows by its data sheet: 64 bytes at 3.35 TB/s, or 128 FLOPs at 67 TFLOP/s.
  learn bench 01 --gpu h100
  expect 'bounds' 0 'counts of chapter 1: --json' 'Bounds, not measured' 'NVIDIA H100 SXM' \
    'm, 8: bound, not measured' '6.70 TFLOP/s' '2 FLOP/B' 'bytes: 3.35 TB/s' 'the least bytes' \
    '13.4 TFLOP/s' 'Results: '
  learn bench 01 --gpu T4 --read "$build/bench/01.json"
  expect 'bounds of kept counts' 0 'NVIDIA T4' '600 GFLOP/s' '!counts of'
  learn bench 01 --gpu h101
  expect 'an unknown GPU' 2 \
    "no data sheet of a GPU 'h101'; --gpu takes h200, h100, a100, rtx4090, t4" '!counts of'
  learn bench 01 --gpu h100 --times
  expect 'bounds or times' 2 '--gpu bounds what is counted, and --times measures' '!bench of'
  learn bench 01 --gpu h100 --read "$scratch/out/t.json"
  expect 'bounds of times' 2 '--gpu bounds what was counted' 't.json holds times' '!Bounds'
  learn bench 02 --gpu h100
  expect 'bounds of nothing' 2 'chapter 02_more has no benchmark'
  learn plot 01
  expect 'plots of the last run' 0 'plots/01_ladder.svg' 'plots/01_roofline_h100.svg'
  expect_file 'a bound says so' "$build/plots/01_roofline_h100.svg" \
    '>Chapter 01, First steps: bounds by the data sheet of NVIDIA H100 SXM, not measured<'
  learn plot 01 --gpu t4
  expect 'plots of a GPU' 0 'plots/01_roofline_t4.svg'
  learn plot 01 --gpu h101
  expect 'plots of an unknown GPU' 2 "no data sheet of a GPU 'h101'" 'rtx4090' '!.svg'
  learn plot 01 --gpu h100 --json "$scratch/out/t.json"
  expect 'plots of bounds of times' 2 't.json holds times' '!.svg'
  learn plot 02 --gpu h100
  expect 'plots of bounds without counts' 2 "chapter 02_more has no counts yet" \
    "'./learn bench 2 --counts'" '!.svg'
  expect_file 'a plot is a picture' "$build/plots/01_ladder.svg" '</svg>'
  learn plot 01 --json "$scratch/out/t.json" --out "$scratch/pictures"
  expect 'plots of other results' 0 'pictures/01_ladder.svg' \
    'Times of the CPU backend: they say nothing about a GPU.'
  expect_file 'a picture that says so' "$scratch/pictures/01_ladder.svg" \
    '>Chapter 01, First steps: times of the CPU backend, which say nothing about a GPU<'
  sed 's/"roof_fp32"/"roof_memory": "1e9", "roof_fp32"/' "$scratch/out/t.json" >"$scratch/host.json"
  learn plot 01 --json "$scratch/host.json" --out "$scratch/pictures"
  expect 'plots of times of a processor' 0 'pictures/01_ladder.svg' '!GPU'
  expect_file 'a picture that names it' "$scratch/pictures/01_ladder.svg" \
    '>Chapter 01, First steps: measured on Box<'
  mkdir -p "$course/docs/results/gpu"
  sed 's/"backend": "[a-z]*"/"backend": "cuda"/' "$scratch/out/t.json" >"$course/docs/results/gpu/01.json"
  mv "$build/bench/01.json" "$scratch/last.json"
  learn plot 01
  expect "plots of a GPU's kept results" 0 '01_ladder.svg'
  expect_file 'times of a GPU before counts' "$build/plots/01_ladder.svg" 'measured on'
  mv "$scratch/last.json" "$build/bench/01.json"
  learn plot
  expect 'plots of all that has results' 0 '01_ladder.svg'
  learn plot 02
  expect 'plots without results' 2 "has no results yet; './learn bench 2' makes them"
  # Of another chapter, where the results say of which they are.
  local other="$scratch/other.json" before
  sed 's/"backend"/"chapter": "02_more", "backend"/' "$scratch/out/t.json" >"$other"
  learn bench 01 --read "$other"
  expect 'results of another chapter' 2 'other.json holds results of chapter 02_more; expected 01_start' '!m, 8'
  learn plot 01 --json "$other"
  expect 'plots of another chapter' 2 'other.json holds results of chapter 02_more; expected 01_start' '!.svg'
  before=$(<"$other")
  learn bench 01 --times --json "$other"
  expect 'results in place of those of another chapter' 2 'of chapter 02_more; expected 01_start' '!bench of'
  [[ $(<"$other") == "$before" ]] || fail 'results of another chapter stay'
  learn bench 02 --read "$other"
  expect 'results of this chapter' 0 'm, 8' '0.5 x'
  learn plot 02 --json "$other" --out "$scratch/pictures"
  expect 'plots of this chapter' 0 'pictures/02_ladder.svg'
  mkdir -p "$kept" && cp "$other" "$kept/01.json"
  learn bench 01 --read "$scratch/out/t.json" --guard
  expect 'beside kept results of another chapter' 2 'box/01.json holds results of chapter 02_more' '!worse'
  echo '{"benchmarks": []}' >"$scratch/empty.json"
  learn plot 01 --json "$scratch/empty.json"
  expect 'plots of nothing' 2 'empty.json has no row of a ladder to plot'
  echo '{' >"$kept/01.json"
  learn bench 01 --guard
  expect 'kept results that are none' 2 'box/01.json holds no results of a benchmark'
  rm -r "$course/docs/results"
}

# A program may have a twin with the learner's own kernels.
test_own_kernels() {
  learn run 01 -- --kernels mine --size 7
  expect "one's own kernels" 6 'own kernels of chapter 1, 2 + 3 = 0: --kernels mine --size 7' '!demo'
  write_add 'int add(int a, int b) { return a + b; }'
  learn run 01 -- --size 7 --kernels=mine
  expect "one's own kernels after an edit" 6 'own kernels of chapter 1, 2 + 3 = 5: --size 7'
  learn run 01 -- --kernels=mine --kernels reference
  expect 'the last value counts' 5 'demo of chapter 1' '!own kernels'
  learn run 01 -- --kernels
  expect 'a flag without a value is for the program to refuse' 5 'demo of chapter 1: --kernels'
  write_add 'int add(int a, int b) {' '  return a + c;' '}'
  learn run 01 -- --kernels mine
  expect 'a kernel that does not compile' 2 'chapter 01_start does not build:' \
    'add.cu:2:14: error:' 'add: does not compile' '!twice' '!ninja'
  learn run 01
  expect 'which the other program does without' 5 'demo of chapter 1'
  rm "$course/exercises/01_start/add.cu"
  learn run 01 -- --kernels mine
  expect 'a kernel that is not there' 2 "exercises/01_start/add.cu is not there" \
    "'./learn reset add' brings it back"
  learn reset add
}

test_data() {
  mkdir "$scratch/mirror"
  echo 'not MNIST' | gzip >"$scratch/mirror/train-images-idx3-ubyte.gz"
  learn data
  expect 'data' 0 'not downloaded'
  learn data mnist --mirror "$scratch/mirror"
  expect 'a wrong file and no network' 2 "has other content than MNIST's" 'train-images-idx3-ubyte.gz'
  learn data mnist
  expect 'no network' 2 'cannot be downloaded; is there a network?'
  [[ ! -e $course/data/mnist && ! -e $course/data/mnist.part ]] ||
    fail 'half a data set is no data set'
  learn data imagenet
  expect 'an unknown data set' 2 "no data set 'imagenet'"
}

# The watcher checks at once, again when the file is saved, and goes on to the next exercise.
test_watch() {
  local poll watcher i
  for poll in '' 1; do
    cp "$fixture/exercises/01_start/add.cu" "$course/exercises/01_start/add.cu"
    rm -f "$course/.learn/progress" "$scratch/watched"
    env ${poll:+LEARN_POLL=1} LEARN_ROOT="$course" LEARN_BUILD="$build" "$learn_cli" watch \
      >"$scratch/watched" 2>&1 </dev/null &
    watcher=$!
    for ((i = 0; i < 6000; i++)); do
      grep -q 'watching exercises/01_start/add.cu' "$scratch/watched" 2>/dev/null && break
      sleep 0.1
    done
    solve 01_start/add
    for ((i = 0; i < 6000; i++)); do
      grep -q 'watching exercises/02_more/twice.cu' "$scratch/watched" 2>/dev/null && break
      sleep 0.1
    done
    kill "$watcher"
    wait "$watcher" || true
    status=0
    output=$(<"$scratch/watched")
    expect "watch ${poll:+by polling}" 0 'add: failed' 'add: passed' 'Next: 02 twice' \
      'watching exercises/02_more/twice.cu'
  done
}

# wait_for WORDS FILE: until a program has written them.
wait_for() {
  local i
  for ((i = 0; i < 6000; i++)); do
    grep -q "$1" "$2" 2>/dev/null && return
    sleep 0.1
  done
}

# On a terminal a pass waits for a key: one goes on to the next exercise.
test_watch_keys() {
  type -P script >/dev/null || { echo 'no program script: keys are not tried'; return; }
  solve 01_start/add
  rm -f "$course/.learn/progress" "$scratch/watched" "$scratch/keys"
  mkfifo "$scratch/keys"
  exec 3<>"$scratch/keys"
  LEARN_ROOT="$course" LEARN_BUILD="$build" script -qfec "'$learn_cli' watch add" /dev/null \
    <"$scratch/keys" >"$scratch/watched" 2>&1 &
  local watcher=$!
  wait_for 'n for the next exercise' "$scratch/watched"
  printf n >&3
  wait_for 'watching exercises/02_more/twice.cu' "$scratch/watched"
  printf q >&3
  status=0
  wait "$watcher" || status=$?
  exec 3>&-
  output=$(<"$scratch/watched")
  expect 'a key goes on to the next exercise' 0 'passed' 'Next: ' 'Double a number' \
    'watching exercises/02_more/twice.cu'
}

# Exercises in a folder of an instructor's, beside the course's.
test_own_course() {
  local own="$scratch/own course" rules=$build/build.ninja
  learn reset add
  mkdir -p "$own"/{exercises,solutions,chapters}/{01_start,03_extra}
  printf '[[exercise]]\nchapter = %s\nname = "%s"\ntitle = "%s"\nfile = "exercises/%s/%s.cu"\npoints = 3\nhints = ["Where?", "There."]\n' \
    3 last 'The last one' 03_extra last 1 again 'Add again' 01_start again >"$own/exercises/course.toml"
  printf 'int add(int a, int b) {\n  //! [hole-add]\n  // Add them.\n  return a + b;\n  //! [hole-add]\n  return 0;\n}\n' \
    | tee "$own/solutions/01_start/again.cu" >"$own/solutions/03_extra/last.cu"
  cp "$course/exercises/01_start/add.cu" "$own/exercises/01_start/again.cu"
  printf '# Extra things\n' >"$own/chapters/03_extra/README.md"
  cp "$rules" "$scratch/build.ninja"
  # As CMake names the object of a source that lies elsewhere.
  local object="again.dir$own/exercises/01_start/again.cu.o"
  object=${object// /_}
  printf 'build %s: object %s\nbuild bin/ch01_again_exercise: link %s tests/add_test.o\nbuild ch01_again_exercise: phony bin/ch01_again_exercise\n' \
    "$object" "${own// /\$ }/exercises/01_start/again.cu" "$object" >>"$rules"
  export LEARN_COURSE_PATH=$own
  learn list
  expect 'the own course is listed' 0 'First steps' '[ ] add' '[ ] again' 'More' '[ ] twice' \
    '03  Extra things' '[ ] last' ' pts  The last one' '0 of 4'
  learn check again
  expect 'an own exercise fails' 1 "$own/exercises/01_start/again.cu" '1 of 1 TODO is still empty' 'again: failed'
  learn hint again
  expect 'its hints' 0 'Where?'
  sed -i 's/return 0/return a + b/' "$own/exercises/01_start/again.cu"
  # nvcc finds the own course's contracts.
  cp "$CUDACXX" "$scratch/nvcc"
  printf '#!/bin/sh\ncase "$*" in *"-I%s/chapters"*) exit 0 ;; esac\necho "%s(1): error: no such header"\nexit 1\n' \
    "$own" "$own/exercises/01_start/again.cu" >"$CUDACXX"
  learn check "$own/exercises/01_start/again.cu"
  expect 'an own exercise by its path' 0 'again: passed' 'Next: '
  cp "$scratch/nvcc" "$CUDACXX"
  learn list
  expect 'it is noted' 0 '[x] again' '1 of 4'
  learn reset again
  expect 'reset' 0 'is as the course provides it again'
  expect_file 'its stub' "$own/exercises/01_start/again.cu" '// TODO: Add them.'
  sed -i 's/again/twice/' "$own/exercises/course.toml"
  learn list
  expect 'a name that the course has' 2 "course.toml: the course has an exercise 'twice', too; expected another name"
  sed -i 's/^chapter = 1/chaptr = 1/' "$own/exercises/course.toml"
  learn list
  expect 'a mistake in its manifest' 2 "$own/exercises/course.toml:9: unknown field 'chaptr'; did you mean chapter?"
  export LEARN_COURSE_PATH=$scratch/nowhere
  learn list
  expect 'a folder that is not there' 2 "LEARN_COURSE_PATH is '$scratch/nowhere', which is no folder"
  export LEARN_COURSE_PATH=''
  learn list
  expect 'no folder at all' 0 '!again' '0 of 2'
  unset LEARN_COURSE_PATH
  cp "$scratch/build.ninja" "$rules"
}

make_course
test_standing
test_wrong_answers
test_help
test_right_answer
test_reset
test_worked_on
test_next
test_part
test_built_only
test_announcements
test_watched
test_damage_and_mistakes
test_programs
test_bench
test_own_kernels
test_data
test_own_course
test_watch
test_watch_keys
if ((failures > 0)); then
  echo "$failures session checks failed"
  exit 1
fi
echo 'all session checks passed'
