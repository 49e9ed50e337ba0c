#!/usr/bin/env bash
# A new version of the course under a learner's files: an upstream repository and a clone of it, both in
# a scratch folder. An update is killed at every call of git that it makes, before and after, and
# within a merge; the next one must find everything in its place.
# Usage: update_test.sh LEARN_CLI CHECKOUT
# shellcheck disable=SC2016 # the stand-in's script is quoted on purpose
set -euo pipefail

learn_cli=$1
fixture=$2/tests/learn/fixture
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
upstream=$scratch/upstream
course="$scratch/my course"
failures=0
add=exercises/01_start/add.cu
twice=exercises/02_more/twice.cu
export GIT_CONFIG_GLOBAL=$scratch/gitconfig GIT_CONFIG_NOSYSTEM=1 HOME=$scratch
git config --global user.name learner
git config --global user.email learner@example.org
git config --global init.defaultBranch main
git config --global advice.detachedHead false
real_git=$(type -P git)

make_upstream() {
  mkdir -p "$upstream"
  cp -r "$fixture/." "$upstream"
  printf '/build/\n/.learn/\n*.bak\n' >"$upstream/.gitignore"
  printf 'int add(int a, int b);\n' >"$upstream/chapters/01_start/add.hpp"
  echo 'read me' >"$upstream/README.md"
  git -C "$upstream" init -q
  git -C "$upstream" add -A
  git -C "$upstream" commit -qm 'the course'
  old=$(git -C "$upstream" rev-parse HEAD)
  # The new version: another stub, another contract, a file that goes and one that comes.
  sed -i 's/Add them/Add both of them, and nothing else/' "$upstream/$add" \
    "$upstream/solutions/01_start/add.cu"
  sed -i 's/Double it/Twice as much/' "$upstream/$twice" "$upstream/solutions/02_more/twice.cu"
  printf '/// The sum.\nint add(int a, int b);\n' >"$upstream/chapters/01_start/add.hpp"
  echo 'read me again' >"$upstream/README.md"
  git -C "$upstream" mv tests/mine.cpp tests/yours.cpp
  git -C "$upstream" commit -qam 'a new version'
  new=$(git -C "$upstream" rev-parse HEAD)
}

# A clone of the old version in which `add` has been edited and solved.
make_course() {
  rm -rf "$course"
  git clone -q "$upstream" "$course"
  git -C "$course" reset -q --hard "$old"
  mkdir -p "$course/build/cpu" "$course/.learn"
  printf 'TUT_BACKEND:STRING=cpu\nCMAKE_HOME_DIRECTORY:INTERNAL=/none\n' \
    >"$course/build/cpu/CMakeCache.txt"
  printf 'int add(int a, int b) { return a + b; }  // mine\n' >"$course/$add"
  echo 'add passed=cpu' >"$course/.learn/progress"
}

learn() {
  status=0
  output=$(cd "$scratch" && LEARN_ROOT="$course" LEARN_BUILD="$course/build/cpu" \
    PATH="${path:-$PATH}" "$learn_cli" "$@" 2>&1 </dev/null) || status=$?
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

# expect_updated WHAT: all of the new version is there, and all that is the learner's.
expect_updated() {
  local state
  [[ $(<"$course/$add") == *'// mine' ]] || fail "$1: the learner's file is $(head -c 80 "$course/$add")"
  [[ $(<"$course/.learn/progress") == *'add passed=cpu'* ]] || fail "$1: the progress"
  [[ $(git -C "$course" rev-parse HEAD) == "$new" ]] || fail "$1: the commit"
  state=$(git -C "$course" status --porcelain)
  [[ $state == " M $add" ]] || fail "$1: git says $state"
  [[ ! -e $course/.learn/update ]] || fail "$1: something is left in .learn/update"
}

test_update() {
  make_course
  learn update
  expect 'an update' 0 'Updated: 1 new commit.' 'Your 1 edited file and your progress' \
    'add: its stub has changed, and your file stays' './learn reset add' \
    'add: its contract chapters/01_start/add.hpp has changed' '+/// The sum.' \
    '1 stub that you had not edited is new' '!conflict'
  expect_updated 'an update'
  [[ $(<"$course/$twice") == *'Twice as much'* ]] || fail 'the other stub is new'
  learn update
  expect 'nothing new' 0 'The course is up to date.'
  learn reset add
  [[ $(<"$course/$add") == *'nothing else'* ]] || fail 'reset gives the new stub'
  grep -q mine "$course/$add".*.bak || fail 'and keeps the file'
}

test_refusals() {
  make_course
  echo 'my note' >>"$course/README.md"
  learn update
  expect 'another file is changed' 2 'changed, and none of your exercises: README.md'
  git -C "$course" checkout -q README.md
  git -C "$course" add "$add"
  learn update
  expect 'staged' 2 "$add is staged for a commit; 'git reset -q' undoes that"
  git -C "$course" commit -qm mine
  learn update
  expect 'a commit of their own' 2 'this copy has a commit of its own, which origin/main lacks'
  git -C "$course" reset -q --hard "$old"
  git -C "$course" checkout -q -b alone
  learn update
  expect 'no upstream' 2 'this branch has no upstream'
  git -C "$course" checkout -q main
  # An untracked file where the new version has one: git refuses, and nothing has changed.
  printf 'int add(int a, int b) { return a + b; }  // mine\n' >"$course/$add"
  echo 'by the learner' >"$course/tests/yours.cpp"
  learn update
  expect 'a file in the way' 2 'git does not update: ' 'would be overwritten by merge: tests/yours.cpp'
  [[ $(git -C "$course" rev-parse HEAD) == "$old" && $(<"$course/$add") == *'// mine' &&
    $(<"$course/tests/yours.cpp") == 'by the learner' && ! -e $course/.learn/update ]] ||
    fail 'and all is as it was'
  rm "$course/tests/yours.cpp"
  git -C "$course" remote set-url origin "$scratch/nowhere"
  learn update
  expect 'nothing to fetch from' 2 'cannot fetch: '
  rm -rf "$course/.git"
  learn update
  expect 'no checkout' 2 'is no git checkout'
  mkdir -p "$scratch/empty"
  path=$scratch/empty learn update
  expect 'no git' 2 'git is not on PATH'
}

# A git that kills its parent, the update, at the call of this number: `before` it does anything,
# `after`, or, of a merge, `within`: with a lock, one file half written, one new and one missing.
make_killer() {
  mkdir -p "$scratch/killer"
  cat >"$scratch/killer/git" <<KILLER
#!/usr/bin/env bash
echo call >>"$scratch/calls"
n=\$(wc -l <"$scratch/calls")
[[ \$n != "\$KILL_AT" || \$KILL_WHEN != before ]] || { kill -9 \$PPID; exit 1; }
if [[ \$KILL_WHEN == within && " \$* " == *' merge '* ]]; then
  cd "$course"
  touch .git/index.lock
  "$real_git" show $new:$twice | head -c 20 >$twice
  "$real_git" show $new:README.md >README.md
  "$real_git" show $new:tests/mine.cpp >/dev/null 2>&1 || rm -f tests/mine.cpp
  cp $add "$scratch/merging_add"
  rm -f chapters/01_start/add.hpp
  kill -9 \$PPID
  exit 1
fi
"$real_git" "\$@"
code=\$?
[[ \$n != "\$KILL_AT" || \$KILL_WHEN != after ]] || kill -9 \$PPID
exit \$code
KILLER
  chmod +x "$scratch/killer/git"
}

kill_at() {
  : >"$scratch/calls"
  export KILL_AT=$1 KILL_WHEN=$2
  path=$scratch/killer:$PATH learn update
  unset KILL_AT KILL_WHEN
}

test_kills() {
  make_killer
  local n calls
  make_course
  kill_at 0 never
  expect 'the stand-in changes nothing' 0 'Updated: 1 new commit.'
  calls=$(wc -l <"$scratch/calls")
  for ((n = 1; n <= calls; ++n)); do
    for when in before after; do
      make_course
      kill_at "$n" "$when"
      [[ $status == 137 ]] || fail "killed $when call $n of git"
      learn update
      expect "an update after one that was killed $when call $n of git" 0
      expect_updated "killed $when call $n of git"
    done
  done
  make_course
  kill_at 0 within
  [[ $status == 137 ]] || fail 'killed within a merge'
  grep -q mine "$scratch/merging_add" && fail "while git merges the learner's file is out of its way"
  learn
  expect 'what is half done is said' 0 "'./learn update' finishes it"
  learn update
  expect 'after a merge that was killed' 0 'An update was stopped before its end; finishing it.' \
    'add: its stub has changed'
  expect_updated 'killed within a merge'
}

# What is edited between the two is kept.
test_edits_between() {
  make_course
  kill_at 0 within
  printf 'int add(int a, int b) { return b + a; }  // newer\n' >"$course/$add"
  printf 'int twice(int a) { return a + a; }  // begun\n' >"$course/$twice"
  echo 'my note' >>"$course/README.md"
  learn update
  expect 'edits after the kill' 0 "$add was edited while the update was under way" \
    'README.md was edited meanwhile; your version is README.md.'
  [[ $(<"$course/$add") == *'// newer' ]] || fail 'the newer text is in its place'
  grep -q '// mine' "$course/$add".*.bak || fail 'and the older one beside it'
  [[ $(<"$course/$twice") == *'// begun' ]] || fail 'another exercise that was begun'
  [[ $(<"$course/README.md") == 'read me again' ]] || fail 'the new README.md'
  grep -q 'my note' "$course"/README.md.*.bak || fail 'and the learner'"'"'s beside it'
  make_course
  kill_at 0 within
  sed -i '$d' "$course/.learn/update/journal"
  learn update
  expect 'a damaged journal' 2 'journal is damaged; your files lie in'
}

make_upstream
test_update
test_refusals
test_kills
test_edits_between
((failures == 0)) || exit 1
echo 'all update checks passed'
