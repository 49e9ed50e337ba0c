#!/usr/bin/env bash
# Tests ./learn and common/learn/setup.sh in scratch checkouts, with a PATH of stand-ins: nothing
# is installed, built or downloaded.
# Usage: launcher_test.sh CHECKOUT
# shellcheck disable=SC2016 # the stand-ins' scripts are quoted on purpose
set -euo pipefail

checkout=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# A checkout with a space in its path, and a PATH on which every tool is there and sound.
fresh_checkout() {
  tree="$scratch/case $((++case_number))/my course"
  fakes=$tree.path
  mkdir -p "$tree/common/learn/core" "$fakes" "$tree.prefix/include"
  cp "$checkout/learn" "$tree/learn"
  cp "$checkout/common/learn/setup.sh" "$tree/common/learn/"
  touch "$tree/CMakeLists.txt" "$tree/common/learn/core/text.cpp"
  local tool
  for tool in bash cat chmod dirname env flock grep mkdir mv readlink rm sed tail touch; do
    ln -s "$(type -P "$tool")" "$fakes/$tool"
  done
  fake g++ 'echo 12.2.0'
  fake ninja 'echo 1.11.1'
  fake id 'echo 1000'
  fake df 'echo Filesystem 1M-blocks Used Available Capacity Mounted; echo /dev/x 9 9 5000 9% /'
  fake cmake '
    case $1 in
      --version) echo "cmake version 3.25.1" ;;
      --preset)
        mkdir -p "build/$2/bin"
        echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >"build/$2/CMakeCache.txt"
        echo configured "$@" >>"$PWD/configured"
        : >"build/$2/build.ninja" ;;
      --build)
        printf "%s\n" "#!/bin/sh" "echo \"cli[\$*] in \$PWD\"" >"$2/bin/learn_cli"
        chmod +x "$2/bin/learn_cli" ;;
    esac'
  local package
  for package in eigen3/Eigen/Core doctest/doctest.h benchmark/benchmark.h fmt/core.h CLI/CLI.hpp \
    nlohmann/json.hpp toml++/toml.h zlib.h; do
    mkdir -p "$(dirname "$tree.prefix/include/$package")"
    touch "$tree.prefix/include/$package"
  done
}
case_number=0

# fake NAME SCRIPT: a program of that name on the case's PATH.
fake() {
  printf '#!/bin/bash\n%s\n' "$2" >"$fakes/$1"
  chmod +x "$fakes/$1"
}

# Runs ./learn from another folder; sets status and output (both streams).
learn() {
  status=0
  output=$(cd / && env -i PATH="$fakes" HOME=/ CUDA_HOME=/none \
    LEARN_SYSTEM_PREFIXES="$tree.prefix" \
    "$tree/learn" "$@" 2>&1 </dev/null) || status=$?
}

expect() {
  local what=$1 wanted_status=$2 pattern=$3
  if [[ $status == "$wanted_status" && $output =~ $pattern ]]; then return; fi
  printf 'FAILED: %s\n  exit code %s, expected %s\n  expected to match: %s\n  output:\n%s\n\n' \
    "$what" "$status" "$wanted_status" "$pattern" "$output"
  failures=$((failures + 1))
}

expect_one_line() {
  expect "$1" 2 "$2"
  if [[ $(grep -c '^learn: ' <<<"$output") != 1 ]]; then
    printf 'FAILED: %s: not exactly one error line:\n%s\n' "$1" "$output"
    failures=$((failures + 1))
  fi
}

fresh_checkout
for words in --help -h 'check --help' '--backend cpu list --help'; do
  # shellcheck disable=SC2086 # words
  learn $words
  expect "$words before anything is built" 0 '^From Loops.*check \[EXERCISE\].*Nothing is built here yet'
done
if [[ -e $tree/build ]]; then
  echo 'FAILED: for help something was built'
  failures=$((failures + 1))
fi
learn run x.cu -- --help
expect "a program's --help is its own" 0 'Configuring.*cli\[run x.cu -- --help\]'
touch -d '1 minute' "$tree/common/learn/core/text.cpp"
learn check --help
expect 'an older program tells of itself' 0 '^cli\[check --help\] in /$'
learn check
expect 'and is built anew for anything else' 0 '^Building[^C]*cli\[check\]'

fresh_checkout
learn list --json
expect 'first run sets up and hands over' 0 'Configuring for the cpu backend.*cli\[list --json\] in /$'
learn check 'two words'
expect 'second run goes straight to the program' 0 '^cli\[check two words\] in /$'
touch -d '1 minute' "$tree/common/learn/core/text.cpp"
learn
expect 'a newer source builds again, without configuring' 0 '^Building[^C]*cli\[\] in /$'
ln -s "my course/learn" "$tree/../link"
status=0
output=$(env -i PATH="$fakes" "$tree/../link" --help 2>&1) || status=$?
expect 'through a symbolic link' 0 'cli\[--help\]'
mv "$tree" "$tree moved"
mv "$tree.path" "$tree moved.path"
fakes="$tree moved.path"
ln -s "$tree.prefix" "$tree moved.prefix"
tree="$tree moved"
learn
expect 'a moved checkout is configured afresh' 0 'was moved from .*Configuring.*cli\[\]'

fresh_checkout
fake cmake.sound ''
mv "$fakes/cmake" "$fakes/cmake.sound"
fake cmake '[[ $1 != --build ]] || read -r -t 1 <> <(:) || true; exec cmake.sound "$@"'
learn first >"$scratch/first" &
learn second
wait $!
expect 'of two at once, one sets up and one waits' 0 'cli\[second\]'
if [[ $(grep -c configured "$tree/configured") != 1 ]]; then
  echo 'FAILED: two at once both configured'
  failures=$((failures + 1))
fi

fresh_checkout
mv "$fakes/cmake" "$fakes/cmake.sound"
fake cmake '[[ $1 != --build ]] || kill -INT 0; exec cmake.sound "$@"'
ln -s "$(type -P setsid)" "$fakes/setsid"
status=0
output=$(cd / && env -i PATH="$fakes" HOME=/ CUDA_HOME=/none LEARN_SYSTEM_PREFIXES="$tree.prefix" \
  setsid -w "$tree/learn" list 2>&1 </dev/null) || status=$?
expect 'Ctrl-C while it builds' 130 'learn: stopped; the same command goes on where it was$'
mv "$fakes/cmake.sound" "$fakes/cmake"
learn list
expect 'a second start goes on' 0 '^Building[^C]*cli\[list\]'
if [[ $(grep -c configured "$tree/configured") != 1 ]]; then
  echo 'FAILED: the second start configured again'
  failures=$((failures + 1))
fi

fresh_checkout
fake cmake.sound ''
mv "$fakes/cmake" "$fakes/cmake.sound"
fake cmake 'if [[ "$*" = *ch02_ladder* ]]; then
    printf "#!/bin/sh\necho picture\n" >"$2/bin/ch02_ladder"; chmod +x "$2/bin/ch02_ladder"
  else exec cmake.sound "$@"; fi'
learn --backend cpu tour
expect 'the tour begins before there is a command line' 0 "first stop.*picture.*command line.*cli\[--backend cpu tour\]"
learn tour
expect 'and is then the command'"'"'s' 0 '^cli\[tour\]'

# The line of a build, where a terminal shows one.
line() { output=$(bash -c 'source "$1/common/learn/setup.sh"; step_line "${@:2}"' bash "$checkout" "$@"); status=$?; }
line 1 40 1
expect 'too early for an estimate' 0 '^building \[\.{20}\] 1/40$'
line 10 40 20
expect 'seconds that are left' 0 '^building \[#####\.{15}\] 10/40, about 60 s left$'
line 10 400 20
expect 'minutes that are left' 0 '10/400, about 13 min left$'

fresh_checkout
learn --backend opencl list
expect_one_line 'unknown backend' "^learn: backend 'opencl'; expected cpu or cuda$"
learn --backend
expect_one_line 'backend without a name' "expected cpu or cuda"
learn --backend cuda
expect_one_line 'cuda without nvcc' 'the cuda backend needs nvcc'
fake nvcc ''
learn --backend=cuda list
expect 'cuda by request' 0 'Configuring for the cuda backend.*cli\[--backend=cuda list\]'
if [[ ! -e /dev/nvidiactl && ! -e /dev/nvidia0 && ! -e /dev/dxg ]]; then
  rm -r "$tree/build/cuda"
  learn --backend cuda list
  expect 'cuda without a GPU says so first' 0 'This machine has no GPU.*Building.*cli\['
fi
learn cucc -c x.cu
expect 'cucc is of the CPU backend' 0 'Configuring for the cpu backend.*cli\[cucc -c x.cu\]'
learn author check --static --all
expect 'and so is what authors use' 0 'cli\[author check --static --all\]'

fresh_checkout
rm "$fakes/g++"
learn
expect_one_line 'no compiler, no root' "no C\+\+ compiler: ask the administrator for 'apt-get install g\+\+'"
fake g++ 'echo 9.4.0'
fake id 'echo 0'
fake apt-get 'exit 0'
learn
expect_one_line 'compiler too old' 'g\+\+ 9\.4 is too old; 11 or newer is needed'

fresh_checkout
fake df 'echo Filesystem 1M-blocks Used Available Capacity Mounted; echo /dev/x 9 9 200 9% /'
learn
expect_one_line 'no room' 'only 200 MiB free where .*my course lies; 1024 MiB are needed'

fresh_checkout
printf x >"$tree/build"
learn
expect_one_line 'nowhere to write' 'cannot write in .*my course: copy the course'

fresh_checkout
mkdir "$tree/build"
printf x >"$tree/build/cpu"
learn
expect_one_line 'no folder to build in' 'cannot write in .*my course/build/cpu: copy the course'
rm "$tree/build/cpu"
learn
expect 'and with one' 0 'cli\[\]'

fresh_checkout
rm "$tree.prefix/include/zlib.h" "$fakes/ninja"
learn
expect_one_line 'no apt-get' "missing: zlib1g-dev ninja-build \(Debian's names\)"
fake id 'echo 0'
fake apt-get 'echo "E: Temporary failure resolving deb.debian.org"; exit 100'
learn
expect_one_line 'no network' 'no network: cannot download zlib1g-dev ninja-build'
fake apt-get 'echo "E: held broken packages"; exit 100'
learn
expect_one_line 'apt-get fails' 'cannot install zlib1g-dev ninja-build; the log is .*setup.log'
fake apt-get "echo \"apt-get \$*\" >>'$tree/asked'
  touch '$tree.prefix/include/zlib.h'; printf '#!/bin/sh\n' >'$fakes/ninja'; chmod +x '$fakes/ninja'"
learn
expect 'root installs what is missing' 0 'Installing with apt-get: zlib1g-dev ninja-build.*cli\[\]'
grep -q 'install -y --no-install-recommends zlib1g-dev ninja-build' "$tree/asked"

fresh_checkout
rm "$tree.prefix/include/CLI/CLI.hpp"
fake sudo '[ "$1" = -n ] && shift; [ "$1" = true ] && exit 0; echo sudo "$@" >&2; exec "$@"'
fake apt-get "touch '$tree.prefix/include/CLI/CLI.hpp'"
learn
expect 'sudo installs what is missing' 0 'Installing with apt-get: libcli11-dev.*cli\[\]'

fresh_checkout
rm "$tree.prefix/include/CLI/CLI.hpp"
fake apt-get 'case "$*" in
  *-s\ install*) echo "Inst libcli11-dev (2.1)" ;;
  *download*) shift; for package; do echo deb >"${package%%=*}_${package#*=}_amd64.deb"; done ;;
esac'
fake dpkg 'case "$1 $2" in
  -f*/libcli11-dev_*) echo "libc6 (>= 2.36), libcli11 (= 2.1+ds-1), cli-doc:any (= 1:2)" ;;
  -f*/libcli11_*) echo "cli-doc (= 1:2)" ;;
  -x*) mkdir -p "$3/usr/include/CLI"; echo "$2" >>"$3/usr/include/CLI/CLI.hpp" ;;
esac'
learn
expect 'without root it unpacks under .deps' 0 'unpacking under .deps: libcli11-dev.*cli\[\]'
output=$(sed 's,.*/,,' "$tree/.deps/usr/include/CLI/CLI.hpp" | LC_ALL=C sort | tr '\n' ' ')
expect 'what a package needs in its very version is unpacked beside it' 0 \
  '^cli-doc_1:2_amd64.deb libcli11-dev_libcli11-dev_amd64.deb libcli11_2.1\+ds-1_amd64.deb $'
grep -q -- '-DCMAKE_PREFIX_PATH=.*/my course/.deps/usr' "$tree/configured"

fresh_checkout
learn list
expect 'gdb is asked for by debug alone' 0 'cli\[list\]'
learn debug matmul_padded
expect_one_line 'no gdb, no apt-get' "^learn: gdb is missing; install it with this system's package manager$"
learn --backend cpu debug
expect_one_line 'the same behind --backend' '^learn: gdb is missing'
fake id 'echo 0'
fake apt-get 'echo "E: Temporary failure resolving deb.debian.org"; exit 100'
learn debug
expect_one_line 'no network for gdb' 'no network: cannot download gdb'
fake apt-get "printf '#!/bin/sh\n' >'$fakes/gdb'; chmod +x '$fakes/gdb'"
learn debug 'two words' -- x
expect 'root installs gdb' 0 'Installing with apt-get: gdb.cli\[debug two words -- x\]'
learn debug
expect 'once' 0 '^cli\[debug\]'

fresh_checkout
fake apt-get 'case "$*" in
  *-s\ install*) echo "Inst gdb (13)" ;;
  *download*) echo deb >gdb_13_amd64.deb ;;
esac'
fake dpkg 'case "$1" in
  -x) mkdir -p "$3/usr/bin"; echo "#!/bin/sh" >"$3/usr/bin/gdb"; chmod +x "$3/usr/bin/gdb" ;;
esac'
learn debug
expect 'without root gdb is unpacked under .deps' 0 'unpacking under .deps: gdb.*cli\[debug\]'

fresh_checkout
mv "$fakes/cmake" "$fakes/cmake.sound"
fake cmake 'echo cmake version 3.22.1'
learn
expect_one_line 'cmake too old, no pip' 'cmake 3\.22 is too old, 3\.25 or newer is needed'
fake pip3 'mkdir -p "$3/cmake/data/bin"; cp "$PIP_CMAKE" "$3/cmake/data/bin/cmake"'
mv "$fakes/cmake.sound" "$tree.cmake"
sed -i "s|\$PIP_CMAKE|$tree.cmake|" "$fakes/pip3"
ln -s "$(type -P cp)" "$fakes/cp"
learn
expect 'cmake too old, with pip' 0 'Installing cmake with pip3.*cli\[\]'

fresh_checkout
fake cmake 'case $1 in
  --version) echo cmake version 3.25.1 ;;
  *) echo "CMake Error at CMakeLists.txt:3: no such thing"; exit 1 ;;
esac'
learn
expect_one_line 'configuring fails' 'configuring failed \(CMake Error at CMakeLists.txt:3: no such thing\); the log is .*my course/build/setup.log'

if ((failures > 0)); then
  printf '%s launcher checks failed\n' "$failures"
  exit 1
fi
echo 'all launcher checks passed'
