# What builds and runs. Read by ./dev.

# CMake and Ninja take these apart as their own, some of them where nobody can quote them.
require_plain_path() {
  # shellcheck disable=SC1003  # a backslash
  local signs='"$;#<>|[]\' at
  for ((at = 0; at < ${#signs}; ++at)); do
    [[ $root != *"${signs:at:1}"* ]] ||
      fail 2 "the folder $root has ${signs:at:1} in its name, which CMake cannot build in: move it elsewhere"
  done
  [[ $root != *$'\n'* ]] || fail 2 'the folder has a new line in its name, which CMake cannot build in: move it elsewhere'
}

configure() {  # PRESET: only when there is something to configure
  require_plain_path
  local folder=$root/build/$1 fresh=()
  if [[ -f $folder/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    fresh=(--fresh)  # the whole clone has moved
  fi
  if [[ ! -f $folder/build.ninja || $root/CMakePresets.json -nt $folder/build.ninja || ${#fresh[@]} -gt 0 ||
    -n ${something_was_installed-} ]]; then
    echo "Configuring build/$1."
    cmake "${fresh[@]}" -S "$root" --preset "$1" --log-level=WARNING >/dev/null
    touch "$folder/build.ninja"
  fi
}

build() {  # PRESET [TARGET...]: what the preset's build folder lacks
  local preset=$1 targets=() quiet=()
  shift
  (($# == 0)) || targets=(--target "$@")
  [[ -t 1 ]] || quiet=(-- --quiet)
  configure "$preset"
  echo "Building build/$preset with ${CMAKE_BUILD_PARALLEL_LEVEL} jobs."
  cmake --build "$root/build/$preset" "${targets[@]}" "${quiet[@]}"
}

command_run() {
  need "$packages_to_build"
  build release evencube_cli >&2
  (($# == 0)) || exec "$root/build/release/evencube" "$@"
  show demo
  show speedup edges --placement one --repeat 3 --plot output/speedup.svg
  show run edges --placement one --trace output/city.trace
  show trace output/city.trace --html output/city.html
  printf '\nTo look at:\n'
  printf '  %-42s %s\n' "$PWD/output/city-edges.png" 'the picture' \
    "$PWD/output/speedup.svg" 'speed-up and efficiency' \
    "$PWD/output/city.html" 'what the workers did when, for any browser'
}

show() {  # COMMAND...: of evencube, as a user would type it
  printf '\n$ evencube %s\n' "$*"
  "$root/build/release/evencube" "$@"
}

need_for() {  # PRESET: the packages that it is built with
  case $1 in
    release | debug) need "$packages_to_build" ;;
    checked | clang) need "$packages_to_test$packages_to_test_all" ;;
    asan | tsan)
      need "$packages_to_build"
      need_newest_clang packages_of_clang
      ;;
    *) fail 2 "no preset '$1'; there are release, checked, debug, clang, asan and tsan" ;;
  esac
}

command_build() {
  (($# <= 1)) || fail 2 'build takes at most one preset'
  local preset=${1-release}
  need_for "$preset"
  # Under a sanitizer what its tests need: other programs replace what the sanitizer does, too.
  case $preset in
    asan) build asan evencube_sanitized_tests ;;
    tsan) build tsan evencube_concurrent_tests ;;
    *) build "$preset" ;;
  esac
}

command_lab() {
  (($# == 0)) || fail 2 "lab takes no arguments, not '$1'"
  need "$packages_to_build$packages_for_the_lab"
  configure release
  cmake -S "$root" -B "$root/build/release" -D EVENCUBE_LAB=ON --log-level=WARNING >/dev/null
  build release evencube_cli evencube_lab_page >&2
  exec "$root/build/release/evencube" lab --output "$root/build/evencube-lab.html"
}

command_museum() {
  need_for checked
  build checked example_deadlocks >&2
  exec python3 -B "$root/examples/deadlocks/museum.py" "$root/build/checked" "$@"
}

command_foreign() {
  (($# >= 1)) || fail 2 'foreign takes the folder of a copy of oneTBB, stdexec, beman.execution or a program for oneTBB'
  need "$packages_to_build"
  build release evencube_runtime evencube_balancers >&2
  exec python3 -B "$root/tests/interop/foreign.py" "$root/build/release" "$@"
}

command_bench() {
  local preset=bench
  # Nothing is built for it.
  [[ ${1-} != --page ]] || exec "$root/bench/run" "$@"
  if [[ ${1-} == tbb-examples ]]; then
    shift
    need "$packages_to_build$packages_of_tbb_examples"
    build release evencube_runtime evencube_balancers >&2
    exec python3 -B "$root/tests/interop/tbb_examples_side_by_side.py" "$root/build/release" --time "$@"
  fi
  need "$packages_to_build$packages_to_bench"
  if [[ ${1-} == --gcc ]]; then
    preset=bench-gcc
    shift
  elif [[ ${1-} == --rivals ]]; then
    (($# >= 2)) || fail 2 'bench --rivals takes the folder with copies of other libraries'
    need_newest_clang packages_of_bench
    preset=rivals
    require_plain_path
    python3 -B "$root/bench/driver/rivals.py" "$2" "$root/build/rivals" || exit
    cmake -C "$root/build/rivals/rivals.cmake" -S "$root" --preset rivals --log-level=WARNING >/dev/null
    shift 2
  else
    need_newest_clang packages_of_bench
    [[ ${1-} != --pack ]] || preset=pack
  fi
  [[ ${1-} != cluster ]] || need "$packages_to_compare_ranks"
  build "$preset" >&2
  exec "$root/bench/run" --build "$root/build/$preset" "$@"
}
