# shellcheck shell=bash
# Sets the course up: finds what is missing, gets it, configures, and builds the command line.
# Sourced by ./learn, which defines root, deps, backend, die, is_ready, find_nvcc, has_gpu and use_deps.
# shellcheck disable=SC2154

readonly needed_space_mib=1024
readonly distribution_packages=(
  libeigen3-dev:include/eigen3/Eigen/Core
  doctest-dev:include/doctest/doctest.h
  libbenchmark-dev:include/benchmark/benchmark.h
  libfmt-dev:include/fmt/core.h
  libcli11-dev:include/CLI/CLI.hpp
  nlohmann-json3-dev:include/nlohmann/json.hpp
  libtomlplusplus-dev:include/toml++/toml.h
  zlib1g-dev:include/zlib.h
)

say() { printf '%s\n' "$*" >&2; }

# Runs a command with its output in the log only.
logged() {
  printf '\n$ %s\n' "$*" >>"$log"
  "$@" >>"$log" 2>&1 </dev/null
}

# version_at_least HAVE NEEDED: compares major.minor.
version_at_least() {
  local have_major=${1%%.*} have_minor=${1#*.} need_major=${2%%.*} need_minor=${2#*.}
  have_minor=${have_minor%%[!0-9]*}
  ((have_major > need_major || (have_major == need_major && ${have_minor:-0} >= need_minor)))
}

# First version number that a program prints, or nothing.
version_of() {
  local text
  text=$("$@" 2>/dev/null) || return 0
  [[ $text =~ ([0-9]+\.[0-9]+) ]] && printf '%s' "${BASH_REMATCH[1]}"
  return 0
}

# Whether a file is there under a prefix that CMake searches.
has_file() {
  local prefix prefixes
  IFS=':;' read -r -a prefixes <<<"${LEARN_SYSTEM_PREFIXES-/usr:/usr/local}:${CMAKE_PREFIX_PATH:-}"
  for prefix in "${prefixes[@]}" "$deps/usr"; do
    [[ -z $prefix || ! -e $prefix/$1 ]] || return 0
  done
  return 1
}

# Sets missing_tools and missing_libraries to names of Debian packages.
find_missing() {
  missing_tools=()
  missing_libraries=()
  local entry version
  version=$(version_of g++ -dumpfullversion)
  version_at_least "${version:-0.0}" 11.0 || missing_tools+=(g++)
  version=$(version_of cmake --version)
  version_at_least "${version:-0.0}" 3.25 || missing_tools+=(cmake)
  type -P ninja >/dev/null || missing_tools+=(ninja-build)
  for entry in "${distribution_packages[@]}"; do
    has_file "${entry#*:}" || missing_libraries+=("${entry%%:*}")
  done
}

is_missing() {
  local name
  for name in "${missing_tools[@]}" "${missing_libraries[@]}"; do
    [[ $name != "$1" ]] || return 0
  done
  return 1
}

# The prefix for commands that need root: nothing, "sudo -n", or failure.
find_root() {
  as_root=()
  [[ $(id -u) != 0 ]] || return 0
  type -P sudo >/dev/null || return 1
  sudo -n true 2>/dev/null || return 1
  as_root=(sudo -n)
}

# Ends with the reason that a failed download left in the log.
die_of_download() {
  if grep -qiE \
    'temporary failure|could not resolve|network is unreachable|could not connect|connection (failed|timed out)|unable to connect' "$log"; then
    die "no network: cannot download $*; connect and run ./learn again (log: $log)"
  fi
  die "cannot install $*; the log is $log"
}

install_as_root() {
  say "Installing with apt-get: $*"
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y
    --no-install-recommends "$@")
  logged "${install[@]}" && return
  logged "${as_root[@]}" apt-get update || true
  logged "${install[@]}" || die_of_download "$*"
}

# Everything that the packages need and that is not installed, as apt-get itself resolves it.
resolve_packages() {
  local output
  output=$(LC_ALL=C apt-get -s install --no-install-recommends "$@" 2>>"$log") || {
    # Package lists of our own: a container has none, and updating the system's needs root.
    mkdir -p "$deps/apt/lists/partial" "$deps/apt/cache/archives/partial"
    apt_options=(-o "Dir::State::lists=$deps/apt/lists" -o "Dir::Cache=$deps/apt/cache")
    logged apt-get "${apt_options[@]}" update || true
    output=$(LC_ALL=C apt-get "${apt_options[@]}" -s install --no-install-recommends "$@" \
      2>>"$log") || die_of_download "$*"
  }
  packages=()
  local word name
  while read -r word name _; do
    [[ $word != Inst ]] || packages+=("$name")
  done <<<"$output"
}

# Without root: the same packages, unpacked under .deps.
install_into_deps() {
  say "No root and no sudo: unpacking under .deps: $*"
  apt_options=()
  resolve_packages "$@"
  local folder=$deps/debs deb
  mkdir -p "$folder"
  while ((${#packages[@]})); do
    (cd "$folder" && logged apt-get "${apt_options[@]}" download "${packages[@]}") ||
      die_of_download "$*"
    find_companions "$folder"
  done
  for deb in "$folder"/*.deb; do
    logged dpkg -x "$deb" "$deps" || die "cannot unpack $deb; the log is $log"
  done
  rm -rf "$folder" "$deps/usr/share/doc" "$deps/usr/share/man"
  use_deps
}

# Sets packages to those that a downloaded one needs in its very version and that are not beside it
# yet: a development package's library, which CMake looks for in the same folder even where the
# system has it.
find_companions() {
  local deb list name version
  packages=()
  for deb in "$1"/*.deb; do
    list=$(dpkg -f "$deb" Depends 2>>"$log") || continue
    while [[ $list =~ ([a-z0-9][a-z0-9.+-]*)(:[a-z0-9]+)?' (= '([^\)]+)\)(.*) ]]; do
      name=${BASH_REMATCH[1]} version=${BASH_REMATCH[3]} list=${BASH_REMATCH[4]}
      compgen -G "$1/${name}_*.deb" >/dev/null || [[ " ${packages[*]} " == *" $name="* ]] ||
        packages+=("$name=$version")
    done
  done
}

# The way out where the distribution's cmake is too old, or cannot be installed.
install_cmake_with_pip() {
  local pip
  for pip in pip3 pip; do
    type -P "$pip" >/dev/null || continue
    say "Installing cmake with $pip under .deps"
    if logged "$pip" install --target "$deps/python" --upgrade cmake; then
      use_deps
      return 0
    fi
  done
  return 1
}

get_cmake() {
  if find_root && type -P apt-get >/dev/null && ! type -P cmake >/dev/null; then
    install_as_root cmake
    find_missing
    is_missing cmake || return 0
  fi
  install_cmake_with_pip && return 0
  local have
  have=$(version_of cmake --version)
  if [[ -n $have ]]; then
    die "cmake $have is too old, 3.25 or newer is needed: pip install cmake, or see cmake.org"
  fi
  type -P apt-get >/dev/null || die "cmake is missing: install cmake 3.25 or newer"
  install_into_deps cmake
}

get_missing() {
  find_missing
  if ((${#missing_tools[@]} + ${#missing_libraries[@]} == 0)); then return; fi
  local all=("${missing_tools[@]}" "${missing_libraries[@]}")
  say "Missing: ${all[*]}"
  local packages=("${missing_libraries[@]}") tool
  for tool in "${missing_tools[@]}"; do
    [[ $tool == cmake ]] || packages+=("$tool")
  done
  if is_missing g++ && ! find_root; then
    die "no C++ compiler: ask the administrator for 'apt-get install g++' (11 or newer)"
  fi
  if ((${#packages[@]} > 0)); then
    type -P apt-get >/dev/null ||
      die "missing: ${packages[*]} (Debian's names); install them with this system's package manager"
    is_missing libeigen3-dev && packages+=(libopenblas-dev)
    if find_root; then install_as_root "${packages[@]}"; else install_into_deps "${packages[@]}"; fi
  fi
  if is_missing cmake; then get_cmake; fi
  find_missing
  if is_missing g++; then
    die "g++ $(version_of g++ -dumpfullversion) is too old; 11 or newer is needed"
  fi
  ((${#missing_tools[@]} + ${#missing_libraries[@]} == 0)) ||
    die "still missing: ${missing_tools[*]} ${missing_libraries[*]}; the log is $log"
}

# For `debug`: gdb, which nothing else needs.
get_gdb() {
  log=$root/build/setup.log
  check_place
  take_lock
  if ! type -P gdb >/dev/null; then
    : >"$log"
    type -P apt-get >/dev/null ||
      die "gdb is missing; install it with this system's package manager"
    if find_root; then install_as_root gdb; else install_into_deps gdb; fi
    type -P gdb >/dev/null || die "cannot install gdb; the log is $log"
  fi
  exec 9>&-
}

check_place() {
  if ! mkdir -p "$root/build" 2>/dev/null || [[ ! -w $root/build ]]; then
    die "cannot write in $root: copy the course to a folder of your own"
  fi
  local made=$root/build/$backend file
  if ! mkdir -p "$made" 2>/dev/null || [[ ! -w $made ]]; then
    die "cannot write in $made: copy the course to a folder of your own"
  fi
  for file in "$log" "$root/build/.setup-lock"; do
    [[ ! -e $file || -w $file ]] || die "cannot write $file: copy the course to a folder of your own"
  done
  local free line
  while read -r line; do free=$line; done < <(df -Pm -- "$root" 2>/dev/null || true)
  read -r _ _ _ free _ <<<"${free:-x x x x x}"
  if [[ $free =~ ^[0-9]+$ ]] && ((free < needed_space_mib)); then
    die "only $free MiB free where $root lies; $needed_space_mib MiB are needed"
  fi
}

# One set-up at a time: a second one waits for the first, and then finds its work done.
take_lock() {
  type -P flock >/dev/null || return 0
  exec 9>"$root/build/.setup-lock"
  flock -n 9 && return 0
  say "Another ./learn is setting the course up; waiting"
  flock 9
}

configure() {
  local build=$root/build/$backend home=''
  [[ -f $build/CMakeCache.txt ]] &&
    home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:[A-Z]*=//p' "$build/CMakeCache.txt")
  if [[ -n $home && $home != "$root" ]]; then
    say "The course was moved from $home: configuring it afresh"
    rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
  elif [[ -f $build/build.ninja && -n $home ]]; then
    return 0
  fi
  say "Configuring for the $backend backend"
  if [[ $backend == cuda ]] && ! has_gpu; then
    say "This machine has no GPU: what is built for cuda cannot run here"
  fi
  local prefix=${CMAKE_PREFIX_PATH:-}
  [[ -d $deps/usr ]] && prefix=$deps/usr${prefix:+;$prefix}
  (cd "$root" && CXX=${CXX:-g++} logged cmake --preset "$backend" \
    ${prefix:+"-DCMAKE_PREFIX_PATH=$prefix"}) || die_of_build "configuring"
}

die_of_build() {
  local reason hint=''
  reason=$(grep -m1 -E '(error:|CMake Error)' "$log" || true)
  [[ $backend != cuda ]] || hint="; './learn --backend cpu' does without CUDA"
  die "$1 failed${reason:+ ($reason)}$hint; the log is $log"
}

# step_line DONE TOTAL SECONDS: a bar, and how long the rest will take if it goes on like this.
step_line() {
  local done=$1 total=$2 seconds=$3 bar='' left=''
  local filled=$((done * 20 / total))
  while ((${#bar} < filled)); do bar+='#'; done
  while ((${#bar} < 20)); do bar+='.'; done
  if ((seconds >= 3 && done > 0)); then
    left=$((seconds * (total - done) / done))
    if ((left < 90)); then left=", about $left s left"; else left=", about $(((left + 30) / 60)) min left"; fi
  fi
  printf 'building [%s] %s/%s%s' "$bar" "$done" "$total" "$left"
}

# Shows ninja's [done/total] lines as one line that renews itself, on a terminal.
show_steps() {
  local line begin=$SECONDS
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    if [[ -t 2 && $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
      printf '\r\033[K%s' "$(step_line "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" $((SECONDS - begin)))" >&2
    fi
  done
  [[ ! -t 2 ]] || printf '\r\033[K' >&2
}

# build TARGET WHAT
build() {
  say "Building $2"
  NINJA_STATUS='[%f/%t] ' cmake --build "$root/build/$backend" --target "$1" 2>&1 \
    </dev/null | show_steps || die_of_build "building"
}

# The tour's first stop needs nothing but a compiler: it stands there before the command line is built.
show_first_stop() {
  build ch02_ladder "the tour's first stop (some seconds)"
  [[ -x $root/build/$backend/bin/ch02_ladder ]] || return 0
  "$root/build/$backend/bin/ch02_ladder" || return 0
  printf '\n'
  export LEARN_TOUR_SHOWN=ch02_ladder
}

# What is built stays: a build goes on with the first step that was not through.
stopped() {
  [[ ! -t 2 ]] || printf '\r\033[K' >&2
  say "learn: stopped; the same command goes on where it was"
  exit 130
}

# set_up ARGUMENTS...: the launcher's.
set_up() {
  trap stopped INT TERM
  log=$root/build/setup.log
  check_place
  take_lock
  if is_ready; then
    exec 9>&-
    trap - INT TERM
    return
  fi
  : >"$log"
  get_missing
  find_nvcc || true
  if [[ $backend == cuda ]] && ! find_nvcc; then
    die "the cuda backend needs nvcc (CUDA toolkit 12.4 or newer); '--backend cpu' does without"
  fi
  configure
  local stamp=$root/build/$backend/.learn-ready
  mkdir -p "${stamp%/*}"
  printf '%s\n' "$root" >"$stamp.new"
  [[ " $* " != *" tour "* ]] || show_first_stop
  build learn_cli "the command line (once; about a minute)"
  mv -f "$stamp.new" "$stamp"
  exec 9>&-
  trap - INT TERM
}
