// Runs random programs on the runtime and checks them; see docs/development.md.

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "generate.hpp"
#include "print.hpp"
#include "shrink.hpp"
#include "sweep.hpp"
#include "watchdog.hpp"

namespace {

using namespace evencube::programs;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* usage = R"(usage: random_programs [OPTION...]

Draws programs from seeds, runs them on real runtimes and checks what they did. Exit status: 0 if all
was well, 1 if a check failed, 2 for a mistake in the options, 3 if a program hung, 4 if one crashed.

  --programs N        at each number of workers (1000)
  --workers N,N,...   numbers of workers (1,2,3,8,64)
  --first-seed S      (1)
  --seconds T         stop when so much time has passed
  --patience T        seconds without progress after which a program counts as hung
                      (20, five times as long under a sanitizer)
  --without A,B,...   programs without polling, outliving, holds, exceptions,
                      continuations, stops, algorithms, graphs, values, pipelines,
                      priorities, coroutines, blocking, endings, observers, arenas,
                      children, guests, promises, limits, bursts
  --shrink-found      make a failing program smaller
  --shrink SEED       make this one smaller; with one number of workers
  --repeat SEED       run this one again and again, as often as --programs says
  --print SEED        print it as C++
  --mistake NAME[:K]  a mistake on purpose at the Kth chance of each program: drop_task,
                      run_task_twice, lose_exception, other_result, stay_for_ever,
                      skip_wait, call_in_spite, begin_early, forget_stop, run_barred,
                      drop_unasked, skip_iteration, spoil_result, skip_node, lose_edge,
                      lose_token, lose_value, more_tokens, lose_order, skip_await, lose_part,
                      forget_others, stay_here, end_early, stay_inside, lose_gathered,
                      tell_less, forget_end, spoil_value
  --help
)";

struct options {
  sweep_options all;
  bool shrink_found = false;
  std::string_view mode = {};
  std::uint64_t seed = 0;
};

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

template <typename Number>
Number number(std::string_view text, Number low, Number high) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high) {
    refuse("'" + std::string(text) + "' is no number in [" + std::to_string(low) + ", " +
           std::to_string(high) + "]");
  }
  return value;
}

std::vector<std::string_view> parts(std::string_view text) {
  std::vector<std::string_view> all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    all.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

void leave_out(features& with, std::string_view name) {
  const std::map<std::string_view, bool features::*> known = {
      {"polling", &features::polling},
      {"outliving", &features::outliving},
      {"holds", &features::holds},
      {"exceptions", &features::exceptions},
      {"stops", &features::stops},
      {"algorithms", &features::algorithms},
      {"continuations", &features::continuations},
      {"graphs", &features::graphs},
      {"values", &features::values},
      {"pipelines", &features::pipelines},
      {"priorities", &features::priorities},
      {"coroutines", &features::coroutines},
      {"blocking", &features::blocking},
      {"endings", &features::endings},
      {"observers", &features::observers},
      {"arenas", &features::arenas},
      {"children", &features::children},
      {"guests", &features::guests},
      {"promises", &features::promises},
      {"limits", &features::limits},
      {"bursts", &features::bursts}};
  const auto found = known.find(name);
  if (found == known.end()) refuse("no feature '" + std::string(name) + "'");
  with.*found->second = false;
}

mutation mistake_named(std::string_view text) {
  const std::map<std::string_view, mistake> known = {
      {"drop_task", mistake::drop_task},           {"run_task_twice", mistake::run_task_twice},
      {"lose_exception", mistake::lose_exception}, {"other_result", mistake::other_result},
      {"stay_for_ever", mistake::stay_for_ever},   {"skip_wait", mistake::skip_wait},
      {"call_in_spite", mistake::call_in_spite},   {"begin_early", mistake::begin_early},
      {"forget_stop", mistake::forget_stop},       {"run_barred", mistake::run_barred},
      {"drop_unasked", mistake::drop_unasked},     {"skip_iteration", mistake::skip_iteration},
      {"spoil_result", mistake::spoil_result},     {"skip_node", mistake::skip_node},
      {"lose_edge", mistake::lose_edge},           {"lose_token", mistake::lose_token},
      {"lose_value", mistake::lose_value},         {"more_tokens", mistake::more_tokens},
      {"lose_order", mistake::lose_order},         {"skip_await", mistake::skip_await},
      {"lose_part", mistake::lose_part},           {"stay_here", mistake::stay_here},
      {"forget_others", mistake::forget_others},   {"end_early", mistake::end_early},
      {"stay_inside", mistake::stay_inside},       {"lose_gathered", mistake::lose_gathered},
      {"tell_less", mistake::tell_less},           {"forget_end", mistake::forget_end},
      {"spoil_value", mistake::spoil_value}};
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto found = known.find(text.substr(0, colon));
  if (found == known.end()) refuse("no mistake '" + std::string(text) + "'");
  mutation m{found->second, 0};
  if (colon < text.size()) m.at = number(text.substr(colon + 1), 0, 1'000'000);
  return m;
}

options read(const std::vector<std::string_view>& words) {
  options o;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--shrink-found") {
      o.shrink_found = true;
      continue;
    }
    if (word == "--help") {
      o.mode = word;
      continue;
    }
    if (i + 1 == words.size()) refuse("'" + std::string(word) + "' is unknown or lacks its value");
    const std::string_view value = words[++i];
    if (word == "--programs") {
      o.all.programs = number<std::int64_t>(value, 1, 1'000'000'000'000);
    } else if (word == "--workers") {
      o.all.workers.clear();
      for (const auto part : parts(value)) o.all.workers.push_back(number(part, 1U, 1024U));
    } else if (word == "--first-seed") {
      o.all.first_seed = number<std::uint64_t>(value, 0, ~0ULL / 2048);
    } else if (word == "--seconds") {
      o.all.time = seconds{number(value, 1, 1'000'000)};
    } else if (word == "--patience") {
      o.all.patience = seconds{number(value, 1, 1'000'000)};
    } else if (word == "--without") {
      for (const auto part : parts(value)) leave_out(o.all.with, part);
    } else if (word == "--mistake") {
      o.all.mistake_at = mistake_named(value);
    } else if (word == "--shrink" || word == "--repeat" || word == "--print") {
      o.mode = word;
      o.seed = number<std::uint64_t>(value, 0, ~0ULL / 2048);
    } else {
      refuse("no option '" + std::string(word) + "'");
    }
  }
  if ((o.mode == "--shrink" || o.mode == "--repeat") && o.all.workers.size() != 1) {
    refuse(std::string(o.mode) + " wants one number of workers: --workers N");
  }
  return o;
}

int exit_status(int status) { return status >= 128 ? 4 : status; }

const char* meaning(int status) {
  return status == 0                ? "nothing went wrong"
         : status == watchdog::hung ? "it hung"
         : status >= 128            ? "it crashed"
                                    : "a check failed";
}

int make_smaller(std::uint64_t seed, unsigned workers, const options& o) {
  const auto patience =
      o.all.patience.count() > 0 ? o.all.patience : milliseconds{1500} * slowness();
  const program first = generate(seed, workers, o.all.with);
  // How much luck a failure needs: as much again, and some more, is given to every candidate.
  const auto began = std::chrono::steady_clock::now();
  const int status = run_repeatedly(first, 1'000'000, seconds{120}, patience, true);
  if (status == 0) {
    std::printf("seed %llu with %u workers did not fail in two minutes\n",
                static_cast<unsigned long long>(seed), workers);
    return 0;
  }
  const auto took =
      std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - began);
  const auto time = std::clamp(3 * took, milliseconds{2000}, milliseconds{30000});
  std::printf("seed %llu with %u workers, %d steps: %s after %lld ms; making it smaller\n",
              static_cast<unsigned long long>(seed), workers, count_steps(first), meaning(status),
              static_cast<long long>(took.count()));
  std::fflush(stdout);
  const program smallest = shrink(
      first,
      [&](const program& p) {
        return run_repeatedly(p, 1'000'000, time, patience, true) == status;
      },
      seconds{900},
      [](const program& p) {
        std::fprintf(stderr, "  %d steps, %zu threads\n", count_steps(p), p.threads.size());
      });
  std::printf("%s\n", to_cpp(smallest).c_str());
  std::fflush(stdout);
  // Once more, to show what is seen then.
  static_cast<void>(run_repeatedly(smallest, 1'000'000, 3 * time, patience, false));
  return exit_status(status);
}

int sweep_all(const options& o) {
  const sweep_result result = sweep(o.all);
  std::printf("%lld programs\n", static_cast<long long>(result.programs));
  if (!result.failed) return 0;
  const finding& f = *result.failed;
  std::printf("seed %llu with %u workers failed: %s (status %d)\n",
              static_cast<unsigned long long>(f.seed), f.workers, meaning(f.status), f.status);
  std::fflush(stdout);
  if (o.shrink_found) static_cast<void>(make_smaller(f.seed, f.workers, o));
  return exit_status(f.status);
}

int act(const options& o) {
  if (o.mode == "--help") {
    std::fputs(usage, stdout);
    return 0;
  }
  if (o.mode == "--print") {
    std::fputs(to_cpp(generate(o.seed, o.all.workers.front(), o.all.with)).c_str(), stdout);
    return 0;
  }
  if (o.mode == "--shrink") return make_smaller(o.seed, o.all.workers.front(), o);
  if (o.mode == "--repeat") {
    const auto time = o.all.time.count() > 0 ? o.all.time : milliseconds{seconds{3600}};
    const int status = run_repeatedly(generate(o.seed, o.all.workers.front(), o.all.with),
                                      o.all.programs, time, o.all.patience, false);
    std::printf("%s\n", meaning(status));
    return exit_status(status);
  }
  return sweep_all(o);
}

}  // namespace

int main(int count, char** words) {
  try {
    return act(read({words + 1, words + count}));
  } catch (const std::invalid_argument& e) {
    std::fprintf(stderr, "random_programs: %s\n\n%s", e.what(), usage);
    return 2;
  }
}
