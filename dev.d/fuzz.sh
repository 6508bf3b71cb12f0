# Fuzzing: feeds programs and readers with inputs that may break them. Read by ./dev.

fuzz_targets() {  # the names of the targets, a line each
  local file
  for file in "$root"/tests/fuzz/*.cpp; do
    basename "$file" .cpp
  done
}

fuzz_reader() {  # NAME SECONDS LEARNED LIMIT [SEED]: what it finds is kept in build/fuzz/findings, what it learns in LEARNED
  local name=$1 place=$root/build/fuzz learned=$3 options=() program=$root/build/asan/fuzz/$1
  [[ ! -f $root/tests/fuzz/dictionaries/$name.dict ]] || options=("-dict=$root/tests/fuzz/dictionaries/$name.dict")
  mkdir -p "$place/findings" "$learned"
  printf '\nFuzzing %s for %d s.\n' "$name" "$2"
  # Memory and time (LIMIT seconds) are bounded: a small input that takes much of either is a finding. Only a few
  # callers of each allocation are recorded, because recording them takes a good part of the time.
  ASAN_OPTIONS=malloc_context_size=6 UBSAN_OPTIONS=print_stacktrace=1 nice -n 19 "$program" "${options[@]}" -seed="${5-0}" -max_total_time="$2" \
    -max_len=16384 -rss_limit_mb=1536 -timeout="$4" -print_final_stats=1 -verbosity=0 -artifact_prefix="$place/findings/$name-" \
    "$learned" "$root/tests/fuzz/corpus/$name"
}

# From the seeds alone and with the same choices each time: what fails is the change, not luck. New ground is for
# `./dev fuzz`. Other work on the machine may make all of it slow.
fuzz_readers_from_seeds() {  # SECONDS: all readers, as many at once as there are jobs, for SECONDS seconds of work in all
  local place=$root/build/fuzz/checked targets target jobs=$CMAKE_BUILD_PARALLEL_LEVEL k pids status=0
  mapfile -t targets < <(fuzz_targets)
  rm -rf "$place"
  mkdir -p "$place"
  for ((k = 0; k < ${#targets[@]}; k += jobs)); do
    pids=()
    for target in "${targets[@]:k:jobs}"; do
      fuzz_reader "$target" $(($1 / ${#targets[@]})) "$place/$target" 300 1 >"$place/$target.log" 2>&1 &
      pids+=($!)
    done
    for target in "${targets[@]:k:jobs}"; do
      wait "${pids[0]}" || status=$?
      pids=("${pids[@]:1}")
      cat "$place/$target.log"
    done
  done
  return "$status"
}

fuzz_coverage() {  # which lines of the readers the corpora reach, those learned here included
  local place=$root/build/fuzz-coverage name version profiles=() objects=()
  version=$(newest_clang)
  build fuzz-coverage evencube_fuzz
  for name in $(fuzz_targets); do
    mkdir -p "$root/build/fuzz/corpus/$name"
    quietly env LLVM_PROFILE_FILE="$place/$name.profraw" "$place/fuzz/$name" -runs=0 -verbosity=0 -max_len=16384 \
      "$root/build/fuzz/corpus/$name" "$root/tests/fuzz/corpus/$name"
    profiles+=("$place/$name.profraw")
    objects+=(-object "$place/fuzz/$name")
  done
  "llvm-profdata-$version" merge -sparse "${profiles[@]}" -o "$place/all.profdata"
  # Lists those of our files in which any code is reached.
  "llvm-cov-$version" report -instr-profile="$place/all.profdata" -ignore-filename-regex='^/usr/|/tests/' "${objects[@]:1}" |
    awk 'NF < 10 || $3 < $2'
}

fuzz_programs() {  # [PROGRAMS] [SECONDS]
  local number preset=${EVENCUBE_FUZZ_PRESET-release}
  (($# <= 2)) || fail 2 'fuzz programs takes at most two numbers: programs and seconds'
  for number; do
    [[ $number =~ ^[0-9]{1,9}$ ]] || fail 2 "fuzz programs takes numbers, not '$number'"
  done
  local programs=${1-100000} seconds=${2-600} arguments
  ((programs > 0)) || fail 2 'fuzz programs takes at least one program'
  arguments=(--programs "$programs" --shrink-found)
  ((seconds == 0)) || arguments+=(--seconds "$seconds")
  # Different programs every time, because yesterday's programs have been tried.
  arguments+=(--first-seed "$((10#$(date +%s%N) % 1000000000 * 1000))")
  [[ $preset =~ ^(release|asan|tsan)$ ]] || fail 2 "EVENCUBE_FUZZ_PRESET is release, asan or tsan, not '$preset'"
  need_for "$preset"
  export TSAN_OPTIONS=${TSAN_OPTIONS-halt_on_error=1:second_deadlock_stack=1}
  build "$preset" random_programs >&2
  echo "random_programs ${arguments[*]}"
  exec "$root/build/$preset/tests/programs/random_programs" "${arguments[@]}"
}

command_fuzz() {
  local what=${1-programs} name
  if [[ $what == programs || $what =~ ^[0-9]+$ ]]; then
    [[ $what != programs ]] || shift $(($# > 0))
    fuzz_programs "$@"
    return
  fi
  [[ $what == readers || $what == coverage || -f $root/tests/fuzz/$what.cpp ]] ||
    fail 2 "fuzz: no reader '$what'; there are $(fuzz_targets | xargs); and programs, readers, coverage"
  (($# <= 2)) || fail 2 "fuzz $what takes at most a number of seconds"
  [[ ${2-60} =~ ^[1-9][0-9]{0,5}$ ]] || fail 2 "fuzz $what: '$2' is no number of seconds"
  need "$packages_to_build"
  need_newest_clang packages_of_clang
  case $what in
    coverage) fuzz_coverage ;;
    readers)
      build asan evencube_fuzz
      for name in $(fuzz_targets); do
        fuzz_reader "$name" "${2-60}" "$root/build/fuzz/corpus/$name" 20
      done
      ;;
    *)
      build asan "fuzz_$what"
      fuzz_reader "$what" "${2-60}" "$root/build/fuzz/corpus/$what" 20
      ;;
  esac
}
