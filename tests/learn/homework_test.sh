#!/usr/bin/env bash
# What a learner asks before and after the work: the list with its filters, the standing, and the
# archive that is handed in. Nothing is built: a progress file says what has passed.
# Usage: homework_test.sh LEARN_CLI CHECKOUT
set -euo pipefail

learn_cli=$1
fixture=$2/tests/learn/fixture
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
course="$scratch/my course"
failures=0
mkdir -p "$course/build/cpu" "$course/.learn"
cp -r "$fixture/." "$course"
printf 'TUT_BACKEND:STRING=cpu\nCMAKE_HOME_DIRECTORY:INTERNAL=/none\n' >"$course/build/cpu/CMakeCache.txt"
add=exercises/01_start/add.cu
twice=exercises/02_more/twice.cu
cat >>"$course/exercises/course.toml" <<'PARTS'

[[part]]
name = "I"
title = "The start"
chapters = [1, 1]

[[part]]
name = "II"
title = "More"
chapters = [2, 3]
PARTS

learn() {
  status=0
  output=$(cd "$scratch" && LEARN_ROOT="$course" LEARN_BUILD="$course/build/cpu" "$learn_cli" "$@" \
    2>&1 </dev/null) || status=$?
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
      [[ $output != *"${text#!}"* ]] || { fail "$what ('${text#!}' not expected)"; return; }
    else
      [[ $output == *"$text"* ]] || { fail "$what ('$text' expected)"; return; }
    fi
  done
}

mark() { sha256sum "$course/$1" | cut -c1-16; }
solve() { cp "$fixture/solutions/$1" "$course/exercises/$1"; }
progress() { printf '%s\n' "$@" >"$course/.learn/progress"; }

test_list() {
  progress 'add passed=cpu'
  learn list
  expect 'the whole list' 0 'add' 'twice' '1 of 2 exercises solved'
  learn list --chapter 2
  expect 'one chapter' 0 'twice' '!Add two' '1 of 2 exercises shown, 0 of them solved' \
    './learn check'
  learn list --unsolved
  expect 'what is open' 0 'twice' '!Add two'
  learn list --part I
  expect 'one part' 0 'Add two' '!twice'
  learn list --part IV
  expect 'no such part' 2 "no part 'IV'; expected I, II"
  learn list --chapter 7
  expect 'no such chapter' 2 '7'
  learn list NUMBER
  expect 'words of titles, in any case' 0 'Add two' 'twice'
  learn list double number
  expect 'every word' 0 'twice' '!Add two'
  learn list --unsolved --part I
  expect 'nothing is left of a part' 0 '0 of 2 exercises shown' '!Add two'
  learn list twize
  expect 'a misspelt word' 2 'did you mean twice?'
  learn list --chapter 2 --json
  expect 'for programs' 0 '"name": "twice"' '"file_state": "never-checked"' '!"name": "add"'
}

test_status() {
  solve 01_start/add.cu
  progress "add passed=cpu file=$(mark $add) since=2027-02-12"
  learn status
  expect 'a part that has passed as it is' 0 'Part I, The start: 1 of 1 passed since 2027-02-12.' \
    '!Part II'
  learn
  expect 'the same without a word' 0 'Part I, The start: 1 of 1 passed since 2027-02-12.'
  learn status --json
  expect 'for programs' 0 '"solved": 1' '"passed_since": "2027-02-12"' '"next": "twice"' \
    '"points": 10' '"points_possible": 15'
  echo '// one more thought' >>"$course/$add"
  learn status
  expect 'an edit after the pass' 0 'Part I, The start: 1 of 1 solved; edited since: add.' '!since 2027'
  learn list
  expect 'and the list says so' 0 '(edited since)'
  learn status --json
  expect 'and programs are told' 0 '"file_state": "edited"' '!"passed_since": "2027-02-12"'
  progress 'add passed=cpu'
  learn status
  expect 'an older progress file' 0 'Part I, The start: 1 of 1 solved.' '!edited'
}

assignment() { printf '%s\n' 'title = "Homework 1"' "$@" '[[exercise]]' 'name = "add"' '[[exercise]]' 'name = "twice"'; }

test_submit() {
  rm -f "$course/.learn/progress"
  cp "$fixture/$add" "$course/$add"
  cp "$fixture/$twice" "$course/$twice"
  learn submit
  expect 'no assignment' 2 'no assignment.toml' '--assignment FILE.toml'
  assignment >"$course/assignment.toml"
  learn submit
  expect 'stubs' 1 '[ ] add: is still as it was given' '[ ] twice' '2 of 2 exercises are not ready' \
    'nothing was packed'
  [[ ! -e $course/submission.tar.gz ]] || fail 'nothing is packed without --anyway'
  solve 01_start/add.cu
  solve 02_more/twice.cu
  learn submit
  expect 'nothing checked' 1 "add: not checked yet; './learn check add' checks it"
  progress "add passed=cpu file=$(mark $add) since=2027-02-12" "twice failed=$(mark $twice)"
  learn submit
  expect 'a failed check' 1 '[x] add' 'twice: its check failed' '1 of 2 exercises are not ready'
  progress "add passed=cpu file=0123456789abcdef since=2027-02-12" "twice passed=cpu"
  learn submit
  expect 'edited since the check' 1 'add: not checked since the last edit' \
    'twice: not checked since the last edit'
  progress "add passed=cpu file=$(mark $add) since=2027-02-12" \
    "twice passed=cpu file=$(mark $twice) since=2027-02-12"
  mv "$course/$twice" "$scratch/twice.cu"
  learn submit
  expect 'a missing file' 1 "twice: $twice is not there"
  learn submit --anyway --out "$scratch/half.tar.gz"
  expect 'packed anyway' 0 '1 of 2 files'
  mv "$scratch/twice.cu" "$course/$twice"
  learn submit
  expect 'all is there' 0 '[x] add' '[x] twice' '2 of 2 files'
}

test_archives() {
  local list
  list=$(tar -tzf "$course/submission.tar.gz")
  [[ $list == "$add"$'\n'"$twice" ]] || { output=$list; fail 'the learner'"'"'s files and nothing else'; }
  list=$(TZ=UTC tar -tvzf "$course/submission.tar.gz")
  [[ $list != *"$(id -un)"* || $(id -un) == root ]] || { output=$list; fail 'no names of users'; }
  [[ $list == *' 0/0 '* && $list == *1980-01-01* ]] || { output=$list; fail 'no owner and no time'; }
  tar -xzOf "$course/submission.tar.gz" "$add" | cmp - "$course/$add" || fail 'the file itself'
  # Other times, another umask, another day: the same bytes.
  touch -d '2001-01-01' "$course/$add"
  chmod 600 "$course/$twice"
  (umask 077 && cd "$scratch" && LEARN_ROOT="$course" LEARN_BUILD="$course/build/cpu" TZ=Asia/Tokyo \
    "$learn_cli" submit --out "$scratch/again.tar.gz" >/dev/null)
  cmp "$course/submission.tar.gz" "$scratch/again.tar.gz" || fail 'the same files, the same archive'
  learn submit
  expect 'the same as before' 0 'the same as before' '!bak'
  echo '// more' >>"$course/$add"
  progress "add passed=cpu file=$(mark $add) since=2027-02-12" \
    "twice passed=cpu file=$(mark $twice) since=2027-02-12"
  learn submit
  expect 'the earlier archive is kept' 0 'the earlier one is kept as submission.tar.gz.'
  cmp "$scratch/again.tar.gz" "$course"/submission.tar.gz.*.bak || fail 'and is the earlier one'
  learn submit --out "$scratch/work.rar"
  expect 'an archive of no kind' 2 "work.rar'; expected a name that ends in .tar.gz, .tgz or .zip"
  if type -P zip >/dev/null && type -P unzip >/dev/null; then
    learn submit --out "$scratch/work.zip"
    expect 'a zip file' 0 'work.zip: 2 of 2 files'
    list=$(unzip -Z1 "$scratch/work.zip")
    [[ $list == "$add"$'\n'"$twice" ]] || { output=$list; fail 'what is in the zip file'; }
    touch "$course/$add"
    cp "$scratch/work.zip" "$scratch/first.zip"
    learn submit --out "$scratch/work.zip"
    expect 'the same zip file' 0 'the same as before'
  fi
}

test_assignments() {
  assignment 'due = 2001-02-12T23:59:00+01:00' '[late]' 'percent_per_day = 10' 'days = 3' \
    >"$course/assignment.toml"
  learn submit --anyway
  expect 'late' 0 'Due 2001-02-12 22:59 UTC: it is late, and counts 0 % if it is handed in now.'
  assignment 'due = 2999-02-12T23:59:00+01:00' >"$course/assignment.toml"
  learn submit --anyway
  expect 'in time' 0 'Due 2999-02-12 22:59 UTC.'
  progress 'add passed=cpu'
  learn
  expect 'what is assigned' 0 'Homework 1: 1 of 2 exercises solved; ./learn submit packs them.' 'Next: 02 twice'
  assignment | sed 's/name = "add"/name = "twice"/; 0,/twice/! s/twice/add/' >"$course/assignment.toml"
  progress 'none passed=cpu'
  cp "$fixture/$add" "$course/$add"
  cp "$fixture/$twice" "$course/$twice"
  learn
  expect 'in the order of the assignment' 0 'Homework 1: 0 of 2' 'Next: 02 twice'
  echo 'title = 3' >"$course/assignment.toml"
  learn
  expect 'an assignment that cannot be read' 0 'assignment.toml:1: ' 'Next: 01 add' '!./learn submit'
  assignment >"$course/assignment.toml"
  solve 01_start/add.cu
  solve 02_more/twice.cu
  assignment | sed 's/twice/twize/' >"$scratch/other.toml"
  learn submit --assignment "$scratch/other.toml"
  expect 'a misspelt exercise' 2 "other.toml:5: no exercise 'twize'; did you mean twice?"
  learn submit --assignment "$scratch/none.toml"
  expect 'no such file' 2 'cannot read' 'none.toml'
}

# A copy that comes with an assignment has no solution: the stub lies under exercises/given.
test_given() {
  mkdir -p "$course/exercises/given/01_start"
  mv "$course/solutions/01_start/add.cu" "$scratch/add.solution"
  cp "$fixture/$add" "$course/exercises/given/01_start/add.cu"
  learn solution add --give-up
  expect 'no solution in this copy' 2 'this copy has no solution of add'
  learn hint add
  learn hint add
  expect 'every hint, and no solution named' 0 'This was the last hint.' '!./learn solution'
  learn reset add
  expect 'the stub is there' 0 'add.cu is as the course provides it again'
  cmp "$course/$add" "$fixture/$add" || fail 'the stub itself'
  learn submit
  expect 'and known again' 1 'add: is still as it was given'
  mv "$scratch/add.solution" "$course/solutions/01_start/add.cu"
}

test_list
test_status
test_submit
test_archives
test_assignments
test_given
((failures == 0)) || exit 1
echo 'all homework checks passed'
