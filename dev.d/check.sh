# What checks: the lanes of ./dev test, and lint. Read by ./dev.

formatter=clang-format-19  # whose format decides

own_sources() {  # each ended by a null byte
  find "$root" \( -path "$root/build" -o -path "$root/output" -o -name '.?*' \) -prune -o \
    -type f \( -name '*.cpp' -o -name '*.hpp' \) -print0
}

# Another version than the one that decides may differ: it tells, and fails nothing.
check_format() {  # of the files on standard input, each ended by a null byte
  if command -v "$formatter" >/dev/null; then
    xargs -0r "$formatter" --dry-run -Werror
  elif command -v clang-format >/dev/null; then
    echo "There is no $formatter here: what another version says is no error."
    xargs -0r clang-format --dry-run
  else
    echo 'There is no clang-format here: the format is not checked.'
  fi
}

check_layers() {  # includes, references to invariants, words, subjects of commits
  local check
  for check in layering rooms invariants english commits; do
    python3 -B "$root/tests/repository/$check.py" "$root"
  done
}

check_spelling() {  # of what people read, in a clone; the words are names, of other languages, or right
  git -C "$root" ls-files -z -- '*.md' '*.hpp' '*.cpp' '*.py' '*.sh' '*.cmake' '*.txt' '*.in' ':!tests/fuzz/corpus' ':!LICENSE' |
    (cd "$root" && xargs -0 -r codespell -L crate,fro,hart,mattern,nin,oder,oen,upto)
}
lint() {  # [FOLDER...]: clang-tidy reads only these
  local files=()
  (($# == 0)) || mapfile -d '' -t files < <(find "${@/#/$root/}" -name '*.cpp' -print0)
  echo 'Checking: format.'
  own_sources | check_format
  echo 'Checking: layering.'
  check_layers
  echo 'Checking: spelling.'
  check_spelling
  echo 'Checking: shell.'
  shellcheck -x -a "$root/dev" "$root/.ci/run"
  echo 'Checking: tidy.'
  configure tidy
  python3 -B "$root/tests/repository/tidy.py" "$root" --jobs "$CMAKE_BUILD_PARALLEL_LEVEL" "${files[@]}"
}

# --------------------------------------------------------------------------- the lanes and stages

run_ctest() {  # PRESET [OPTIONS...]: a log has what failed and the sums, a terminal every test; then the slowest ten
  local -r passed='^ *(Start +[0-9]+: |[0-9]+/[0-9]+ Test .* Passed +[0-9.]+ sec$)'
  local preset=$1 shown=cat log=$root/build/ctest-log status=0 jobs=$CMAKE_BUILD_PARALLEL_LEVEL
  shift
  # Many wait for most of their time; but fewer under a sanitizer, and consumers compile.
  case $preset in
    release) jobs=$((2 * jobs)) ;;
    checked | asan | tsan) jobs=$((jobs + jobs / 2)) ;;
  esac
  [[ -t 1 ]] || shown="grep --line-buffered -vE '$passed'"
  # cases.xml, in the folder of the build, has what every test printed, all cases of GoogleTest among it.
  (cd -- "$root" && ctest --preset "$preset" --parallel "$jobs" --output-junit cases.xml \
    --test-output-size-passed 1000000 "$@" 2>&1) | tee "$log" | eval "$shown" ||
    status=$?
  echo 'The slowest tests:'
  sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) .* ([0-9.]+) sec.*$/\2 s  \1/p' "$log" | sort -rn | awk 'NR <= 10 { print "  " $0 }'
  return "$status"
}

unpack_aarch64() {  # what the tests need of that architecture, without telling this system's apt of it
  local to=$root/build/aarch64-packages
  [[ ! -e $to/complete && -z ${EVENCUBE_NO_INSTALL-} ]] || return 0
  local apt=$to/apt package options
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$to/usr/include"
  : >"$apt/status"
  options=(-q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "Dir::State=$apt" -o "Dir::Cache=$apt/cache"
    -o "Dir::State::Lists=$apt/lists" -o "Dir::State::status=$apt/status" -o "APT::Sandbox::User=$(id -un)")
  echo "Unpacking into build/aarch64-packages: $packages_of_aarch64."
  quietly apt-get "${options[@]}" update
  for package in $packages_of_aarch64; do
    (cd -- "$apt" && quietly apt-get "${options[@]}" download "$package")
  done
  for package in "$apt"/*.deb; do
    dpkg -x "$package" "$to"
  done
  ln -sfn /usr/include/boost "$to/usr/include/boost"  # headers alone, the same for all
  rm -rf "$apt"
  touch "$to/complete"
}

build_googletest_for_windows() {  # into build/windows-packages
  local to=$root/build/windows-packages from=$root/build/googletest-windows
  [[ ! -e $to/complete ]] || return 0
  echo 'Building GoogleTest into build/windows-packages.'
  quietly cmake -G Ninja -S /usr/src/googletest -B "$from" -D "CMAKE_TOOLCHAIN_FILE=$root/cmake/windows.cmake" \
    -D CMAKE_BUILD_TYPE=Release -D "CMAKE_INSTALL_PREFIX=$to"
  quietly cmake --build "$from" --target install
  rm -rf "$from"
  touch "$to/complete"
}

# Seconds on two cores with nothing in ccache, for the plan; what the stage took here the last time takes their place.
declare -A expected=([lint]=70 [release]=670 [ctest]=650 [clang]=110 [tsan]=340 [asan]=440 [memory]=150 [fuzz]=85 [packages]=100
  [machines]=2000 [aarch64]=280 [portable]=600 [windows]=600)

# A release does not repeat the stages that have passed on the same files: the last of them takes half an hour.
skip_passed=false

files_of_clone() {  # the id of what is committed, or another one where that is not all
  if [[ -z $(git -C "$root" status --porcelain 2>&1) ]]; then
    git -C "$root" rev-parse 'HEAD^{tree}'
  else
    echo changed
  fi
}

stage() {  # NAME: one stage of the whole check, under a heading, with its time
  local begin=$SECONDS taken files
  files=$(files_of_clone)
  if $skip_passed && [[ $files != changed && $(cat "$root/build/passed/$1" 2>/dev/null) == "$files" ]]; then
    printf '\n== %s has passed on these files before\n' "$1"
    finished+=("$1, before")
    return
  fi
  current_stage=$1
  case $1 in
    # One command a line: a failure inside a chain of && would not end the script.
    lint)
      heading 'lint: format, layering, spelling, shell, clang-tidy on the libraries that users link'
      lint balancers runtime cluster workloads
      ;;
    release)
      heading 'release: everything, and every public header by itself, with g++; a warning is an error'
      build checked all all_verify_interface_header_sets
      ;;
    ctest)
      heading 'ctest: all tests, consumers and README commands on that build'
      run_ctest checked
      ;;
    clang)
      heading 'clang: all but the tests once more, with clang++; nothing is optimised, for nothing is run'
      build clang-unoptimised
      ;;
    tsan)
      heading 'tsan: the concurrent tests under the thread sanitizer'
      build tsan evencube_concurrent_tests
      run_ctest tsan
      ;;
    asan)
      heading 'asan: the tests under the address, undefined-behaviour and leak sanitizers'
      build asan evencube_sanitized_tests
      run_ctest asan
      ;;
    memory)
      heading 'memory: those of the same tests that run no two threads at once, but not the tables of the papers'
      build asan evencube_sequential_tests
      run_ctest asan -LE concurrent -E '^papers_tests'
      ;;
    fuzz)
      heading 'fuzz: a minute of random input for all readers and parsers'
      build asan evencube_fuzz
      fuzz_readers_from_seeds 50
      ;;
    packages)
      heading 'packages: Debian packages, installed, used and removed in a root of their own'
      make_packages
      # 77: it said why there is no other root to be had here.
      python3 -B "$root/tests/packages/package_test.py" "$root" "$root/build/packages" ||
        (($? == 77))
      ;;
    machines)
      heading 'machines: the README as a new user follows it, on fresh roots of Debian'
      python3 -B "$root/dev.d/machines.py" "$root"
      ;;
    aarch64)
      heading 'aarch64: the libraries, cross-built, and their tests under an emulator'
      unpack_aarch64
      build aarch64
      run_ctest aarch64
      ;;
    portable)
      heading 'portable: the libraries on the standard library alone, and their tests'
      build portable
      run_ctest portable
      ;;
    windows)
      heading 'windows: the libraries, cross-built, and their tests under Wine'
      build_googletest_for_windows
      build windows
      run_ctest windows
      ;;
  esac
  current_stage=''
  taken=$((SECONDS - begin))
  printf '== %s passed in %d s\n' "$1" "$taken"
  finished+=("$(printf '%-9s %5d s' "$1" "$taken")")
  mkdir -p "$root/build/times" "$root/build/passed"
  echo "$taken" >"$root/build/times/$1"
  echo "$files" >"$root/build/passed/$1"
}

heading() { printf '\n== %s\n' "$1"; }

tell_failed_stage() {
  local status=$?
  if ((status != 0)) && [[ -n ${current_stage-} ]]; then
    printf '== %s FAILED after %d s in all\n' "$current_stage" "$SECONDS" >&2
  fi
}

show_plan() {  # STAGE...
  local name seconds sum=0
  echo 'What is to be done, with the time it took here the last time, or on two cores with nothing in ccache:'
  for name; do
    seconds=$(cat "$root/build/times/$name" 2>/dev/null || echo "${expected[$name]}")
    sum=$((sum + seconds))
    printf '  %-9s %5d s\n' "$name" "$seconds"
  done
  printf '  %-9s %5d s\n' together "$sum"
}

test_all() {  # [STAGE...]
  local stages=(lint release ctest clang tsan asan fuzz packages) name finished=()
  # Roots take minutes to make: where they were made they are used.
  if (($# == 0)) && ((EUID == 0)) && command -v debootstrap >/dev/null && [[ -d $root/build/machines ]]; then
    stages+=(machines)
  fi
  (($# == 0)) || stages=("$@")
  need "$packages_to_test$packages_to_test_all"
  need_newest_clang packages_of_clang
  need_newest_clang packages_of_tidy
  [[ " ${stages[*]} " != *" aarch64 "* ]] || need "$packages_to_cross"
  [[ " ${stages[*]} " != *" windows "* ]] || need "$packages_to_cross_to_windows"
  [[ " ${stages[*]} " != *" packages "* ]] || need "$packages_to_package"
  [[ " ${stages[*]} " != *" machines "* ]] || need "$packages_of_machines"
  show_plan "${stages[@]}"
  trap tell_failed_stage EXIT
  for name in "${stages[@]}"; do
    stage "$name"
  done
  printf '\nAll of it passed:\n'
  printf '  %s\n' "${finished[@]}"
}

# What libraries and command line do, as built for users. Nothing that only developers need.
test_behaviour() {
  need "$packages_to_test"
  local begin=$SECONDS
  build release
  printf 'Built in %d s.\n' $((SECONDS - begin))
  run_ctest release
  printf 'Done in %d s. ./dev test all is the whole check: warnings, sanitizers, packages, documentation.\n' "$SECONDS"
}

changed_files() {  # since the upstream branch, or what is not committed yet, or else the last commit; a line each
  local base=HEAD
  base=$(git -C "$root" merge-base HEAD '@{upstream}' 2>/dev/null) || base=HEAD
  {
    git -C "$root" diff --name-only --diff-filter=d "$base"
    git -C "$root" ls-files --others --exclude-standard
  } | sort -u | grep . || git -C "$root" diff --name-only --diff-filter=d HEAD~1
}

# Lint and tests of what changed: of a library the tests of its folder, which its sources are most likely to break; of
# a test those of the file alone, where a program is named after it.
test_quick() {
  need "$packages_to_test$packages_to_lint"
  local begin=$SECONDS files file folder folders=() sources=() whole=() names=()
  mapfile -t files < <(changed_files)
  ((${#files[@]})) || fail 1 'test quick: nothing has changed'
  for file in "${files[@]}"; do
    [[ $file != *.cpp && $file != *.hpp ]] || sources+=("$root/$file")
    case $file in
      tests/*/*_test.cpp) folder=${file#tests/} folder=${folder%%/*} names+=("$(basename "$file" .cpp)") ;;
      tests/*/*.*) folder=${file#tests/} folder=${folder%%/*} whole+=("$folder") ;;
      runtime/*) folder=runtime whole+=(runtime protocols) folders+=(protocols) ;;
      *) folder=${file%%/*} whole+=("$folder") ;;
    esac
    folders+=("$folder")
  done
  mapfile -t folders < <(printf '%s\n' "${folders[@]}" | sort -u)
  printf 'Changed: %s.\n' "${files[*]}"
  ((${#sources[@]} == 0)) || printf '%s\0' "${sources[@]}" | check_format
  check_layers
  ! command -v shellcheck >/dev/null || shellcheck -x -a "$root/dev" "$root/.ci/run"
  configure release
  for folder in "${folders[@]}"; do
    [[ -f $root/build/release/tests/$folder/CTestTestfile.cmake ]] || continue
    build release "tests/$folder/all"
    local options=(-L lane.test)
    if [[ " ${whole[*]} " != *" $folder "* ]]; then
      options+=(-R "$(IFS='|' && echo "${names[*]}")")
      # Programs of many files have names of their own.
      ctest --test-dir "$root/build/release/tests/$folder" -N "${options[@]}" | grep -q '#' || options=(-L lane.test)
    fi
    EVENCUBE_EXPLORER_SHALLOWER=1 ctest --test-dir "$root/build/release/tests/$folder" --output-on-failure --no-tests=ignore \
      --parallel "$CMAKE_BUILD_PARALLEL_LEVEL" "${options[@]}" | grep -vE '^ *Start '
  done
  printf 'Done in %d s. ./dev test has the tests of all folders.\n' $((SECONDS - begin))
}

command_test() {
  local stages=(lint release ctest clang tsan asan memory fuzz packages machines aarch64 portable windows) name
  case ${1-} in
    '') test_behaviour ;;
    quick)
      (($# == 1)) || fail 2 "test quick takes no arguments, not '$2'"
      test_quick
      ;;
    *)
      [[ $1 != all ]] || shift
      for name; do
        [[ " ${stages[*]} " == *" $name "* ]] ||
          fail 2 "no lane or stage '$name'; the lanes are all and quick, the stages of all ${stages[*]}"
      done
      test_all "$@"
      ;;
  esac
}

command_lint() {
  need "$packages_to_build$packages_to_lint"
  if [[ ${1-} == --fix ]]; then
    command -v "$formatter" >/dev/null || fail 1 "lint --fix: there is no $formatter here, and another version formats otherwise"
    own_sources | xargs -0 "$formatter" -i
    return
  fi
  (($# == 0)) || fail 2 "lint takes --fix or nothing, not '$1'"
  need_newest_clang packages_of_tidy
  lint
}
