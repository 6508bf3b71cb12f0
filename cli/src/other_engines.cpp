#include "other_engines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "completion.hpp"
#include "engine_loops.hpp"
#include "failure.hpp"
#include "number_text.hpp"

namespace evencube::cli {
namespace {

struct engine {
  std::string_view name;
  std::string_view package;
  workloads::task_loop (*loop)(unsigned threads);  // null: built without the engine
};

constexpr std::array engines{
#ifdef EVENCUBE_WITH_TBB
    engine{"tbb", "oneTBB", &tbb_loop},
#else
    engine{"tbb", "oneTBB", nullptr},
#endif
#ifdef EVENCUBE_WITH_OPENMP
    engine{"openmp", "OpenMP", &openmp_loop},
#else
    engine{"openmp", "OpenMP", nullptr},
#endif
};

const engine* engine_named(std::string_view name) {
  const auto* const found = std::ranges::find(engines, name, &engine::name);
  return found == engines.end() ? nullptr : found;
}

/// The names that --engine accepts in this program, with EvenCube itself first.
std::vector<std::string> engines_here() {
  std::vector<std::string> names{own_engine};
  for (const engine& one : engines) {
    if (one.loop != nullptr) names.emplace_back(one.name);
  }
  return names;
}

/// Idle threads look for work for a while before they sleep. Without this pause they would take
/// part in the next measurement.
constexpr std::chrono::milliseconds settling{20};

}  // namespace

void add_engine_option(CLI::App& command, std::string& list) {
  offer(command
            .add_option("--engine", list,
                        "The engines: evencube, alone or with tbb, openmp or both, which then run "
                        "the same tasks")
            ->capture_default_str(),
        engines_here(), true);
}

std::vector<std::string> listed_engines(const std::string& text) {
  std::vector<std::string> others;
  bool with_own = false;
  for (const std::string_view name : entries_of(text)) {
    if (name == own_engine) {
      with_own = true;
      continue;
    }
    const engine* const one = engine_named(name);
    if (one == nullptr) {
      throw usage_error{fmt::format(
          "--engine \"{}\": \"{}\" must be evencube, tbb or openmp; this program has: {}", text,
          name, fmt::join(engines_here(), ", "))};
    }
    if (one->loop == nullptr) {
      throw usage_error{
          fmt::format("--engine \"{}\": this program was built without {}; it has: {}", text,
                      one->package, fmt::join(engines_here(), ", "))};
    }
    if (std::ranges::find(others, name) == others.end()) others.emplace_back(name);
  }
  if (!with_own) {
    throw usage_error{
        fmt::format("--engine \"{}\": evencube must be among them, because other engines are "
                    "compared with evencube",
                    text)};
  }
  return others;
}

engine_sample run_by_another(workloads::workload& work, const std::string& name, unsigned threads,
                             bool verify) {
  const engine* const one = engine_named(name);
  if (one == nullptr || one->loop == nullptr) throw std::logic_error{"no engine " + name};
  engine_sample made{name, 0, {}};
  work.reset();
  {
    const auto loop = one->loop(threads);
    loop(threads, [](std::size_t) {});  // starts every thread before the clock
    made.seconds = seconds_of([&] { work.run_by(loop, threads); });
  }
  if (verify) made.check = work.verify();
  blame(made.check, name);
  std::this_thread::sleep_for(settling);
  return made;
}

}  // namespace evencube::cli
