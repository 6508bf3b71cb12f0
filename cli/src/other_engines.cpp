#include "other_engines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "completion.hpp"
#include "engine_loops.hpp"
#include "failure.hpp"

namespace evencube::cli {
namespace {

struct engine {
  std::string_view name;
  std::string_view package;
  workloads::task_loop (*loop)(unsigned threads);  // null: built without it
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

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = text.find(',', begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

}  // namespace

std::vector<std::string> engines_here() {
  std::vector<std::string> names{own_engine};
  for (const engine& one : engines) {
    if (one.loop != nullptr) names.emplace_back(one.name);
  }
  return names;
}

void add_engine_option(CLI::App& command, std::string& list) {
  offer(command
            .add_option(
                "--engine", list,
                "evencube, and beside it tbb, openmp or both: the same tasks by oneTBB and OpenMP")
            ->capture_default_str(),
        engines_here(), true);
}

std::vector<std::string> listed_engines(const std::string& text) {
  std::vector<std::string> others;
  bool with_own = false;
  for (const std::string& name : parts_of(text)) {
    if (name == own_engine) {
      with_own = true;
      continue;
    }
    const engine* const one = engine_named(name);
    if (one == nullptr) {
      throw usage_error{
          fmt::format("--engine \"{}\": \"{}\" must be evencube, tbb or openmp, and in this "
                      "program there are: {}",
                      text, name, fmt::join(engines_here(), ", "))};
    }
    if (one->loop == nullptr) {
      throw usage_error{
          fmt::format("--engine \"{}\": this program was built without {}; there are: {}", text,
                      one->package, fmt::join(engines_here(), ", "))};
    }
    if (std::ranges::find(others, name) == others.end()) others.push_back(name);
  }
  if (!with_own) {
    throw usage_error{fmt::format(
        "--engine \"{}\": evencube must be among them, the others stand beside it", text)};
  }
  return others;
}

workloads::task_loop loop_of(const std::string& name, unsigned threads) {
  const engine* const one = engine_named(name);
  if (one == nullptr || one->loop == nullptr) throw std::logic_error{"no engine " + name};
  return one->loop(threads);
}

}  // namespace evencube::cli
