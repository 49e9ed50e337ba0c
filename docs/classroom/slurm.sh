#!/usr/bin/env bash
#SBATCH --job-name=grade
#SBATCH --array=0-7
#SBATCH --cpus-per-task=4
#SBATCH --mem=16G
#SBATCH --time=02:00:00
#SBATCH --requeue
# Grades a class on a cluster: each task of a Slurm array takes a share of the submissions.
#
#   sbatch docs/classroom/slurm.sh ASSIGNMENT SUBMISSIONS OUT     from the course's folder
#   sbatch --gres=gpu:1 --export=ALL,GPU=1 docs/classroom/slurm.sh ASSIGNMENT SUBMISSIONS OUT
#   bash docs/classroom/slurm.sh merge OUT                        when all tasks are through
#
# ASSIGNMENT   the instructor's assignment.toml
# SUBMISSIONS  a folder with one entry, a folder or an archive, for each student
# OUT          a new folder on a file system that all nodes see; share-K in it belongs to task K
# GPU=1        each submission that has points is also built with nvcc and checked on the node's GPU;
#              OUT/share-K/gpu.csv says what came of it. Marks come from the CPU backend alone
# TIMES=FILE   for `grade --times`: when each student handed in
# LOCAL=FOLDER where a node keeps its own copy of the course; default /tmp
#
# The same sbatch goes on where it was: a share that is through and whose files have not changed is left
# alone, and in the others `grade` goes on from its own journal in OUT. Use one array size for one OUT, and
# an array without gaps: task K takes each student whose number, divided by the size, leaves K.
set -euo pipefail

die() {
  printf 'slurm.sh: %s\n' "$*" >&2
  exit 2
}

# ---- merge OUT: marks.csv, and gpu.csv if there is one, of all shares ----
if [[ ${1-} == merge ]]; then
  [[ $# == 2 && -d $2 ]] || die "merge wants the folder OUT of an array that has run"
  shopt -s nullglob
  shares=("$2"/share-*)
  ((${#shares[@]})) || die "'$2' has no folder share-K; expected the OUT of an array that has run"
  for share in "${shares[@]}"; do
    [[ -f $share/done ]] || die "'$share' is not through: look at the task's log, and sbatch again"
  done
  count=$(<"${shares[0]}/count")
  ((${#shares[@]} == count)) || die "'$2' has ${#shares[@]} of $count shares: sbatch again"
  for name in marks.csv gpu.csv; do
    files=("$2"/share-*/"$name")
    ((${#files[@]})) || continue
    { head -n 1 "${files[0]}" && for file in "${files[@]}"; do tail -n +2 "$file"; done | LC_ALL=C sort; } >"$2/$name.part"
    mv "$2/$name.part" "$2/$name"
    printf '%s: %d lines\n' "$2/$name" "$(($(wc -l <"$2/$name") - 1))"
  done
  exit 0
fi

# ---- one task ----
(($# == 3)) || die "expected ASSIGNMENT SUBMISSIONS OUT, or merge OUT"
[[ -f $1 ]] || die "'$1' is not there; expected the instructor's assignment.toml"
[[ -d $2 ]] || die "'$2' is not there; expected a folder with an entry for each student"
root=${SLURM_SUBMIT_DIR:-$PWD}
[[ -x $root/learn ]] || die "'$root' is not the course; run sbatch in its folder"
: "${SLURM_ARRAY_TASK_ID:?slurm.sh: not a task of a Slurm array; start it with sbatch}"
first=${SLURM_ARRAY_TASK_MIN:-0} count=${SLURM_ARRAY_TASK_COUNT:-1}
last=${SLURM_ARRAY_TASK_MAX:-$((first + count - 1))}
((last - first + 1 == count)) ||
  die "an array of $count tasks from $first to $last has gaps, and students would be left out: use --array=0-$((count - 1))"
assignment=$(realpath -- "$1") submissions=$(realpath -- "$2")
mkdir -p -- "$3"
out=$(realpath -- "$3")
share=$((SLURM_ARRAY_TASK_ID - first))
mine=$out/share-$share
mkdir -p "$mine"
if [[ -f $mine/count && $(<"$mine/count") != "$count" ]]; then
  die "'$out' was made by an array of $(<"$mine/count") tasks, this one has $count: use the same, or a new OUT"
fi
printf '%s\n' "$count" >"$mine/count"

# The same array once more while a task of it still runs: the second waits, and finds the share done.
exec 8>"$mine/lock"
code=0
flock -n 8 || code=$?
if ((code == 1)); then  # other codes: a file system without locks
  printf 'share %d of %d: another task has it; waiting\n' "$share" "$count"
  flock 8
fi

# Every count-th student, in an order that does not depend on the node's language. As for `grade`, folders
# and archives are students, and other files are not.
students=()
number=0
while IFS= read -r -d '' entry; do
  ((number++ % count != share)) || students+=("$entry")
done < <(cd "$submissions" && find . -mindepth 1 -maxdepth 1 ! -name '.*' ! -name __MACOSX \
  \( -xtype d -o -iname '*.zip' -o -iname '*.7z' -o -iname '*.tar*' -o -iname '*.t[bgx]z*' -o -iname '*.rar' \) \
  -printf '%P\0' | LC_ALL=C sort -z)

# What the share's marks depend on: if it is as it was, they stand.
fingerprint() {
  {
    sha256sum <"$assignment"
    [[ -z ${TIMES:-} ]] || sha256sum <"$TIMES"
    printf 'gpu %s\n' "${GPU:-0}"
    local student
    for student in "${students[@]}"; do
      (cd "$submissions" && find "./$student" -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum)
    done
  } | sha256sum
}
state=$(fingerprint)
if [[ -f $mine/done && $(<"$mine/done") == "$state" ]]; then
  printf 'share %d of %d: through already\n' "$share" "$count"
  exit 0
fi
rm -f "$mine/done"
if ((${#students[@]} == 0)); then
  printf 'share %d of %d: no students\n' "$share" "$count"
  printf '%s\n' "$state" >"$mine/done"
  exit 0
fi

# The node's own copy, at a place that is the same on every node: builds of several tasks must not meet,
# and what `grade` has noted counts only for the same build.
id=$(printf '%s' "$out" | sha256sum)
local=${LOCAL:-/tmp}/grade-$(id -u)-${id:0:8}-$share
[[ ! -e $local || -O $local ]] || die "'$local' belongs to somebody else"
rm -rf -- "$local"  # left by a task that was killed: it may hold students who are in other shares now
mkdir -p "${local%/*}"
mkdir -m 700 "$local"
# Students' work goes first: Slurm may not leave the time for more.
trap 'rm -rf -- "$local/class" "$local"' EXIT
course=$local/course
mkdir -p "$course/build/cpu" "$local/class"
tar -C "$root" --exclude=./build --exclude=./.git --exclude=./.learn --exclude=./data -cf - . | tar -C "$course" -xf -
# The course that submissions can read is without the secret, and without other students' work.
for private in "$assignment" "$submissions" "$out"; do
  [[ $private != "$root"/* ]] || rm -rf -- "${course:?}/${private#"$root"/}"
done
# Nodes differ in their processors.
printf 'TUT_MARCH:STRING=x86-64-v3\n' >"$course/build/cpu/CMakeCache.txt"
for student in "${students[@]}"; do
  cp -rP -- "$submissions/$student" "$local/class/"
done

printf 'share %d of %d: %d students\n' "$share" "$count" "${#students[@]}"
times=()
[[ -z ${TIMES:-} ]] || times=(--times "$TIMES")
"$course/learn" --backend cpu grade --assignment "$assignment" --out "$mine" \
  --jobs "${SLURM_CPUS_PER_TASK:-1}" "${times[@]}" "$local/class"

# ---- on the GPU: information beside the marks ----
# A program that was made from a submission says here whether it passed, so it could lie; it cannot
# reach the network, the secret, other students' work or the marks.
check_on_gpu() {
  local run=$1 name=$2
  bwrap --ro-bind / / --dev-bind /dev /dev --proc /proc --tmpfs "$HOME" --tmpfs "$submissions" --tmpfs "$out" \
    --ro-bind /dev/null "$assignment" --tmpfs /tmp --bind "$run" "$course" --unshare-net --unshare-pid \
    --unshare-ipc --die-with-parent --new-session --chdir "$course" \
    timeout 900 "$course/learn" --backend cuda check "$name" >"$local/check.log" 2>&1
}

if [[ ${GPU:-0} == 1 ]]; then
  type -P bwrap >/dev/null || die "GPU=1 wants bwrap on the nodes"
  mapfile -t exercises < <(sed -nE 's/^[[:space:]]*name[[:space:]]*=[[:space:]]*"([a-z0-9_]+)".*/\1/p' "$assignment")
  printf 'student,exercise,on a GPU\n' >"$mine/gpu.csv.part"
  "$course/learn" --backend cuda list >/dev/null
  for student in "${students[@]}"; do
    work=$local/class/$student
    [[ -d $work ]] || continue  # archives: unpack them first if their GPU column matters
    for name in "${exercises[@]}"; do
      place=("$course"/exercises/*/"$name".c*)
      file=$(find "$work" -type f -name "${place[0]##*/}" ! -path '*/given/*' | LC_ALL=C sort | head -n 1)
      [[ -n $file ]] || continue
      rm -rf -- "$local/run"
      cp -a --reflink=auto "$course" "$local/run"
      cp -- "$file" "$local/run/${place[0]#"$course"/}"
      code=0
      check_on_gpu "$local/run" "$name" || code=$?
      case $code in
        0) verdict=passed ;;
        1) verdict=failed ;;
        *) verdict="cannot run ($code)" ;;
      esac
      printf '"%s",%s,%s\n' "${student//\"/\"\"}" "$name" "$verdict" >>"$mine/gpu.csv.part"
    done
  done
  mv "$mine/gpu.csv.part" "$mine/gpu.csv"
fi
printf '%s\n' "$state" >"$mine/done"
printf 'share %d of %d: through\n' "$share" "$count"
