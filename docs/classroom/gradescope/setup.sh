#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the autograder's image from the files that
# make_autograder has put into the zip. It installs what the course needs, builds what grading needs, and
# grades the course's own solutions: an image in which these miss a point is not finished.
# Source: https://gradescope-autograders.readthedocs.io/en/latest/specs/
set -euo pipefail
home=${AUTOGRADER_HOME:-/autograder}
user=${AUTOGRADER_USER:-grader}
given=$home/source
course=$home/course
export DEBIAN_FRONTEND=noninteractive LEARN_BACKEND=cpu

die() {
  printf 'setup.sh: %s\n' "$*" >&2
  exit 1
}

for file in course.tar.gz assignment.toml isolation; do
  [[ -f $given/$file ]] || die "'$given/$file' is missing; expected the files of a zip made by make_autograder"
done

apt-get update
apt-get install -y --no-install-recommends bubblewrap ca-certificates g++ libarchive-dev ninja-build procps python3 python3-pip
# The course is tried with g++ 12 and newer.
version=$(g++ -dumpversion)
if ((${version%%.*} < 12)); then
  apt-get install -y --no-install-recommends g++-12
  export CXX=g++-12
fi

mkdir -p "$course"
tar -xzf "$given/course.tar.gz" -C "$course"

# A release without toml++ gets the headers that came along.
if ! apt-cache show libtomlplusplus-dev >/dev/null 2>&1; then
  [[ -d $given/include/toml++ ]] || die "this release has no libtomlplusplus-dev, and the zip no headers of it: run make_autograder where toml++ is installed, or choose a newer base image"
  package=$course/.deps/usr/lib/cmake/tomlplusplus
  mkdir -p "$course/.deps/usr/include" "$package"
  cp -r "$given/include/toml++" "$course/.deps/usr/include/"
  cat >"$package/tomlplusplusConfig.cmake" <<'CMAKE'
if(NOT TARGET tomlplusplus::tomlplusplus)
  add_library(tomlplusplus::tomlplusplus INTERFACE IMPORTED)
  get_filename_component(prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  set_target_properties(tomlplusplus::tomlplusplus PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${prefix}/include")
endif()
CMAKE
fi

# The image is built on one machine and used on others, with older processors perhaps.
mkdir -p "$course/build/cpu"
[[ -f $course/build/cpu/CMakeCache.txt ]] || printf 'TUT_MARCH:STRING=x86-64-v3\n' >"$course/build/cpu/CMakeCache.txt"
"$course/learn" list >/dev/null || die "the course cannot be set up; its log is above or in $course/build"

# Whoever runs submissions that cannot be isolated.
id "$user" >/dev/null 2>&1 || useradd --system --create-home --shell /usr/sbin/nologin "$user"
install -m 640 "$given/assignment.toml" "$home/assignment.toml"
chgrp "$user" "$home/assignment.toml"
chmod -R go-rwx "$given"

# The first grading builds the tests, and shows what the solutions get here.
trial=$(mktemp -d)
trap 'rm -rf -- "$trial"' EXIT
mkdir -p "$trial/class/solutions"
cp "$course"/solutions/*/*.c* "$trial/class/solutions/"
grade=("$course/learn" grade --assignment "$home/assignment.toml")
"${grade[@]}" --out "$trial/out" "$trial/class" || {
  printf 'setup.sh: grading with isolation failed here (its reason stands above); trying without, on our own solutions\n' >&2
  [[ $(<"$given/isolation") != required ]] ||
    printf 'setup.sh: --require-isolation was asked for: if it fails when submissions come as well, none is graded\n' >&2
  rm -rf "$trial/out"
  "${grade[@]}" --unsafe --out "$trial/out" "$trial/class" || die "the course's own solutions cannot be graded"
}
python3 - "$trial/out" <<'PY' || exit 1
import json, pathlib, sys
found = list(pathlib.Path(sys.argv[1]).rglob("results.json"))
if len(found) != 1:
    sys.exit(f"setup.sh: grading has left {len(found)} files results.json; expected 1")
result = json.loads(found[0].read_text())
most = sum(test.get("max_score", 0) for test in result["tests"])
score = result.get("score", sum(test.get("score", 0) for test in result["tests"]))
if most <= 0 or abs(score - most) > 1e-6:
    sys.exit(f"setup.sh: the course's own solutions get {score} of {most} points in this image; expected all")
print(f"The course's own solutions get {score} of {most} points.")
PY
chown -R "$user" "$course"
