#!/usr/bin/env bash
# Tries the course as a newcomer to a distribution does: a bare root of that release, a clean clone
# of this checkout's HEAD, both commands of README.md as a user with sudo, the tour as a user without,
# an exercise wrong and right. Prints one line of a Markdown table (docs/distributions.md).
#
# Usage: docs/tools/try_distribution.sh [--folder DIR] [--ccache DIR] [--no-test] [--header] SUITE
#   --folder DIR   where the root lies; it is kept there, and used again. Else it is temporary.
#   --ccache DIR   a compiler cache that outlives the root; what it saves is not in the times then
#   --no-test      without ./learn test, the longest part
#   --header       the table's head first
# Needs root and debootstrap. Packages come from $MIRROR, else from where this machine's apt gets its
# own, through the same proxy. All mounts are in a namespace of their own and end with the command,
# however it ends.
# shellcheck disable=SC2016 # what stands in single quotes is for others to expand
set -euo pipefail

readonly exercise=05_shared_memory_tiling/matmul_padded
checkout=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)

say() { printf '%s\n' "$*" >&2; }
die() {
  say "try_distribution: $*"
  exit 2
}

read_options() {
  folder='' ccache='' with_test=yes header=no suite=''
  while (($# > 0)); do
    case $1 in
      --folder | --ccache)
        (($# > 1)) || die "$1 needs a folder"
        mkdir -p -- "$2"
        printf -v "${1#--}" %s "$(cd -- "$2" && pwd -P)"
        shift ;;
      --no-test) with_test=no ;;
      --header) header=yes ;;
      -*) die "unknown option $1" ;;
      *) [[ -z $suite ]] || die "one suite at a time"; suite=$1 ;;
    esac
    shift
  done
  [[ $suite =~ ^[a-z]+$ ]] || die "which release? bookworm, trixie, sid"
}

# A root with what a new machine has: no compiler, no library of the course's.
make_root() {
  [[ ! -d $base ]] || return 0
  local mirror=${MIRROR:-} proxy=''
  [[ -n $mirror ]] ||
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' | sed -n 1p)
  [[ -n $mirror ]] || die "apt names no mirror; set MIRROR"
  eval "$(apt-config shell proxy Acquire::http::Proxy)"
  [[ -z $proxy ]] || export http_proxy=$proxy
  say "$suite: a new root"
  rm -rf -- "$base.new"
  debootstrap --variant=minbase --include=ca-certificates,git,python3,sudo \
    "$suite" "$base.new" "$mirror" >"$logs/debootstrap" 2>&1 || fail debootstrap
  apt-config dump | grep -E '^Acquire::(https?::|Check-|Retries)' >"$base.new/etc/apt/apt.conf.d/90caller" || true
  mv -- "$base.new" "$base"
}

# Ends with the end of a step's log.
fail() {
  tail -n 40 -- "$logs/$1" >&2
  die "$suite: $1 failed; the log was $logs/$1"
}

# new_machine NAME: a copy of the root with a user `learner`, the course's clone, and devices.
new_machine() {
  machine=$base-$1
  say "$suite: a machine $1"
  rm -rf -- "$machine"
  cp -a --reflink=auto -- "$base" "$machine"
  cp -L /etc/resolv.conf /etc/hosts "$machine/etc/"
  mount -t proc proc "$machine/proc"
  mount -t sysfs -o ro sysfs "$machine/sys"
  mount -t tmpfs -o mode=0755 tmpfs "$machine/dev"
  local device
  for device in null:3 zero:5 full:7 random:8 urandom:9; do
    mknod -m 666 "$machine/dev/${device%:*}" c 1 "${device#*:}"
  done
  mknod -m 666 "$machine/dev/tty" c 5 0
  ln -s /proc/self/fd "$machine/dev/fd"
  mkdir "$machine/dev/shm" "$machine/dev/pts"
  mount -t tmpfs -o mode=1777 tmpfs "$machine/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$machine/dev/pts"
  ln -s pts/ptmx "$machine/dev/ptmx"
  chroot "$machine" useradd --create-home --shell /bin/bash learner
  git -C "$checkout" bundle create --quiet "$machine/tmp/course.bundle" HEAD
  as_learner clone "git clone --quiet /tmp/course.bundle ~/course" || fail clone
  [[ -z $ccache ]] || share_ccache
}

share_ccache() {
  chroot "$machine" bash -c 'apt-get update && apt-get install -y --no-install-recommends ccache' \
    >"$logs/ccache" 2>&1 || fail ccache
  mkdir "$machine/ccache"
  mount --bind "$ccache" "$machine/ccache"
  chmod a+rwX -R "$ccache"
}

# as_learner STEP COMMAND: runs it as the user in the course's folder, with its output in the step's
# log; sets `seconds` of processor time.
as_learner() {
  local step=$1 command=$2 status=0 TIMEFORMAT='%U %S' spent
  local environment=(HOME=/home/learner USER=learner LANG=C.UTF-8 PATH=/usr/local/bin:/usr/bin:/bin)
  [[ -z $ccache ]] || environment+=(CCACHE_DIR=/ccache CCACHE_UMASK=000 CCACHE_NOHASHDIR=1
    CCACHE_BASEDIR=/home/learner/course CCACHE_IGNOREOPTIONS=-Werror CCACHE_MAXSIZE=25G)
  spent=$({ time chroot --userspec=learner:learner "$machine" env -i "${environment[@]}" \
    bash -c "cd ~/course 2>/dev/null || cd; $command" >"$logs/$step" 2>&1 </dev/null; } 2>&1) || status=$?
  seconds=$(awk '{ print int($1 + $2 + 0.5) }' <<<"$spent")
  return "$status"
}

# The exercise as it is given, then without a barrier, then solved: `failed`, the race, `passed`. A
# benchmark with a library of the distribution's as its rival.
check_exercise() {
  local name=${exercise#*/} status=0
  as_learner given "./learn check $name" || status=$?
  [[ $status == 1 ]] || { say "given: exit code $status"; return 1; }
  as_learner racing "sed '0,/__syncthreads();/s///' solutions/$exercise.cu >exercises/$exercise.cu
    ./learn check $name" && return 1
  grep -q 'error: race: ' "$logs/racing" || return 1
  as_learner solved "cp solutions/$exercise.cu exercises/$exercise.cu; ./learn check $name" || return 1
  grep -q "$name: passed" "$logs/solved" || return 1
  as_learner bench './learn bench 02 --benchmark_filter=256' || return 1
  grep -qi openblas "$logs/bench"
}

# try STEP COMMAND: what the table says of it, after the result of a command.
try() {
  local step=$1
  say "$suite: $step"
  if as_learner "$@"; then
    result="passes, $seconds s"
  else
    result="**fails**, $seconds s"
    failed=yes
    tail -n 40 -- "$logs/$step" >&2
  fi
}

with_sudo() {
  new_machine sudo
  echo 'learner ALL=(ALL) NOPASSWD: ALL' >"$machine/etc/sudoers.d/learner"
  try tour './learn tour'
  tour=$result
  say "$suite: exercise"
  checked=passes
  check_exercise || { checked='**fails**'; failed=yes; }
  tests='not run'
  if [[ $with_test == yes ]]; then
    try tests './learn test --output-junit ~/tests.xml'
    local report=$machine/home/learner/tests.xml total=0 failures=0
    if [[ -f $report ]]; then  # else it did not come to the tests
      total=$(sed -nE 's/^.*<testsuite.*[[:space:]]tests="([0-9]+)".*/\1/p;s/^[[:space:]]*tests="([0-9]+)".*/\1/p' \
        "$report" | sed -n 1p)
      failures=$(grep -c '<failure' "$report" || true)
    fi
    tests="$((${total:-0} - failures)) of ${total:-0}, $seconds s"
    [[ $result == passes* ]] || tests="**$tests**"
  fi
  compiler=$(version_of g++) cmake=$(version_of cmake) eigen=$(version_of libeigen3-dev)
}

# version_of PACKAGE: as far as its own digits go; nothing where it was not installed.
version_of() {
  chroot "$machine" dpkg-query -W -f '${Version}' "$1" 2>/dev/null |
    sed -E 's/^[0-9]+://; s/^([0-9.]+).*/\1/' || true
}

# Where an administrator has installed a compiler, and nothing else.
without_sudo() {
  new_machine plain
  chroot "$machine" bash -c 'apt-get update && apt-get install -y --no-install-recommends g++' \
    >"$logs/g++" 2>&1 || fail g++
  try plain './learn tour'
}

try_suite() {
  base=$folder/$suite logs=$folder/$suite-logs failed=no
  mkdir -p -- "$logs"
  make_root
  with_sudo
  without_sudo
  if [[ $header == yes ]]; then
    echo '| release | g++ | CMake | Eigen | `./learn tour` | an exercise, wrong and right | `./learn test` | tour without root |'
    echo '|---|---|---|---|---|---|---|---|'
  fi
  echo "| $suite | $compiler | $cmake | $eigen | $tour | $checked | $tests | $result |"
  [[ $failed == no ]]
}

main() {
  read_options "$@"
  [[ $(id -u) == 0 ]] || die "needs root"
  type -P debootstrap >/dev/null || die "debootstrap is missing"
  if [[ -z ${TRY_DISTRIBUTION_INSIDE:-} ]]; then
    local temporary=''
    [[ -n $folder ]] || temporary=$(mktemp -d)
    TRY_DISTRIBUTION_INSIDE=${folder:-$temporary} setpriv --pdeathsig KILL \
      unshare --mount --pid --fork --kill-child "${BASH_SOURCE[0]}" "$@" &
    local child=$! status=0
    # shellcheck disable=SC2064 # as it is now
    trap "kill -KILL $child 2>/dev/null; ${temporary:+rm -rf -- '$temporary'}" EXIT
    trap 'exit 130' INT TERM HUP
    wait "$child" || status=$?
    exit "$status"
  fi
  folder=$TRY_DISTRIBUTION_INSIDE
  mount -t proc proc /proc
  try_suite
}

main "$@"
