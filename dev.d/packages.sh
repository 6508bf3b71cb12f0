# What installs: which packages are needed for what, and why. Read by ./dev.

# One package a line, name and reason; where a name differs from one system to the next, names with | between them, of
# which the first that this system has is taken.
packages_to_build='
g++                 compiles EvenCube
cmake               configures the build
ninja-build         builds in parallel
ccache              makes the second build a quick one
pkgconf|pkg-config  finds hwloc, here and for those who embed EvenCube
libhwloc-dev        tells cores, caches and NUMA nodes
libcli11-dev        reads the command line
libfmt-dev          prints tables and messages
nlohmann-json3-dev  prints --json
libpng-dev          reads and writes pictures
help2man            makes manual pages of --help
zlib1g-dev          checks the files of recorded runs
libopenblas-dev     multiplies the tiles of a matrix
libtbb-dev          oneTBB, which evencube speedup compares with
libgtest-dev        runs the tests
libgmock-dev|googletest  states what the tests expect
librapidcheck-dev   draws random cases for the properties
python3             drives the checks
libopenmpi-dev      MPI, by which ranks of a cluster reach each other
openmpi-bin         starts them
libcereal-dev       writes what they send'

packages_to_test="$packages_to_build"'
strace              fails system calls, one at a time, to see what becomes of the program
libopencv-imgproc-dev  OpenCV, whose loops run on EvenCube in a test
libeigen3-dev       Eigen, whose tensors do
libcpp-httplib-dev  speaks HTTP in the example of a server'

packages_to_lint='
clang-format-19|clang-format  checks the format; its version 19 decides
shellcheck          checks the shell scripts
codespell           finds misspelt words
libboost-dev        headers that clang-tidy reads in the benchmarks'

packages_to_document='
doxygen             makes the site of the documentation
doxygen-awesome-css  gives it dark colours and a form for phones'

packages_for_the_header='
python3             writes the library as one header'

packages_for_the_lab='
emscripten          compiles the planners to WebAssembly'

packages_of_tbb_examples='
libtbb-doc|libtbb-dev  the examples of oneTBB, which are built on EvenCube as they are'

packages_to_test_all='
clang               the second compiler
make                builds the project of a user who does not use CMake
libboost-dev        Boost.Lockfree, which the benchmarks compare with (headers alone)
libmpich-dev        another MPI, with which the same is tested
mpich               starts its ranks
chromium|chromium-browser  opens the pages of reports and of the documentation'"$packages_to_lint$packages_to_document$packages_of_tbb_examples"

# The sanitizers and clang-tidy come from the newest clang that this system has.
packages_of_clang() {  # VERSION
  printf '%s\n' "clang-$1 compiles for the sanitizers" "libclang-rt-$1-dev the sanitizers themselves" \
    "llvm-$1 names functions in their reports"
}
packages_of_tidy() {  # VERSION
  printf '%s\n' "clang-$1 the flags and headers that clang-tidy-$1 reads" "clang-tidy-$1 finds mistakes that compile"
}

# As the figures of the rivals were measured; --gcc measures with g++ instead.
packages_of_bench() {  # VERSION
  printf '%s\n' "clang-$1 compiles the benchmarks" "libomp-$1-dev OpenMP, which they compare with"
}
packages_to_bench='
libboost-dev        Boost.Lockfree, which the benchmarks compare with (headers alone)
python3-matplotlib  draws the plots of the benchmarks'
packages_to_compare_ranks='
libstarpu-dev       StarPU, with whose MPI layer ranks are compared'

packages_to_cross='
g++-aarch64-linux-gnu  compiles for aarch64
qemu-user           runs what was compiled'
# Taken apart below build/, not installed: they are for the other architecture.
packages_of_aarch64='libgtest-dev libgmock-dev librapidcheck-dev'

packages_to_cross_to_windows='
g++-mingw-w64-x86-64-posix|g++-mingw-w64-x86-64  compiles for Windows
googletest          the sources of GoogleTest, which are built for Windows, too
wine64              runs what was compiled'

packages_to_package='
dpkg-dev            finds out what the packages need
file                tells CPack which files are programs'

packages_of_machines='
debootstrap         makes the roots of other Debian releases'

# Compilers of our own are pinned to a version only in so far as the newest of these is taken.
newest_clang() {
  local version
  for version in 19 18 17 16 15 14; do
    if is_installed "clang-$version" || is_available "clang-$version"; then
      echo "$version"
      return
    fi
  done
  echo 14
}

is_available() {  # PACKAGE: in the lists of packages that were read last
  command -v apt-cache >/dev/null && [[ -n $(apt-cache madison "$1" 2>/dev/null) ]]
}

is_installed() {  # PACKAGE
  [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# Before anything that needs root, and not within quietly(), which would keep the sentence to itself.
require_root() {
  ((EUID != 0)) || return 0
  command -v sudo >/dev/null ||
    fail 1 "packages are missing and neither root nor sudo is here; as root, run: apt-get update && apt-get install ${missing[*]-}
        (or, to go on with what is installed: EVENCUBE_NO_INSTALL=1)"
}

as_root() {  # COMMAND...
  if ((EUID == 0)); then
    "$@"
  else
    sudo "$@"
  fi
}

quietly() {  # COMMAND...: shows what it printed only if it failed; what it prints waits in memory, not in a file
  local printed
  if ! printed=$("$@" 2>&1); then
    [[ -z $printed ]] || printf '%s\n' "$printed" >&2
    fail 1 "this failed: $*"
  fi
}

update_package_lists() {
  [[ -z ${lists_are_new-} ]] || return 0
  require_root
  echo 'Reading the package lists (apt-get update).'
  quietly as_root apt-get -q -o DPkg::Lock::Timeout=300 update
  lists_are_new=1
}

need() {  # LIST: installs what is missing of it
  [[ -z ${EVENCUBE_NO_INSTALL-} ]] || return 0
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo 'This is no Debian system: going on with what is installed.' >&2
    return 0
  fi
  local names name reason present lacking=()
  # shellcheck disable=SC2016,SC2046  # the format is dpkg's; the names hold no spaces
  present=" $(dpkg-query -W -f='${Package}:${db:Status-Status} ' $(awk '{ gsub("[|]", " ", $1); print $1 }' <<<"$1") \
    2>/dev/null || true) "
  while read -r names reason; do
    for name in ${names//|/ }; do
      [[ $present != *" $name:installed "* ]] || continue 2
    done
    [[ -z $names ]] || lacking+=("$names $reason")
  done <<<"$1"
  ((${#lacking[@]})) || return 0
  missing=()
  for names in "${lacking[@]}"; do
    missing+=("$(first_available "${names%% *}")")
  done
  require_root
  update_package_lists
  missing=()
  for names in "${lacking[@]}"; do
    name=$(first_available "${names%% *}")
    [[ " ${missing[*]} " != *" $name "* ]] || continue
    printf 'Installing %-18s: %s.\n' "$name" "${names#* }"
    missing+=("$name")
  done
  quietly as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends "${missing[@]}"
  something_was_installed=1
}

first_available() {  # NAME|NAME...: the first if none is
  local name
  for name in ${1//|/ }; do
    if is_available "$name"; then
      echo "$name"
      return
    fi
  done
  echo "${1%%|*}"
}

need_newest_clang() {  # FUNCTION: the packages it lists for the newest clang there is
  [[ -z ${EVENCUBE_NO_INSTALL-} ]] || return 0
  is_installed clang-19 || ! command -v apt-get >/dev/null || update_package_lists
  need "$("$1" "$(newest_clang)")"
}
