#include "observe/statistics_text.hpp"

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string_view>

#include "platform/platform.hpp"

namespace evencube::detail {
namespace {

constexpr std::size_t most_listed = 16;

[[gnu::format(printf, 1, 2)]] std::string formatted(const char* form, ...) {
  char text[160];
  std::va_list values;
  va_start(values, form);
  std::vsnprintf(text, sizeof text, form, values);
  va_end(values);
  return text;
}

std::string counted(std::uint64_t count, const char* thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

// The values of all workers, if these are few.
template <typename Show>
std::string by_worker(const statistics& all, const Show& show) {
  if (all.workers.size() == 1 || all.workers.size() > most_listed) return "\n";
  std::string line = "; by worker:";
  for (const worker_statistics& one : all.workers) line += " " + show(one);
  return line + "\n";
}

}  // namespace

bool statistics_are_asked_for() noexcept {
  const char* const value = trusted_environment("EVENCUBE_STATS");
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

std::string text_of(const statistics& all, double seconds, const std::string& title) {
  std::uint64_t executed = 0;
  std::uint64_t parks = 0;
  std::uint64_t avoided = 0;
  double busy = 0;
  for (const auto* group : {&all.workers, &all.spare_workers}) {
    for (const worker_statistics& one : *group) {
      executed += one.executed;
      parks += one.parks;
      avoided += one.wakeups_avoided;
      busy += one.busy_seconds;
    }
  }
  const double span = seconds > 0 ? seconds : 1;
  const auto share = [&](double busy_seconds) {
    return formatted("%.0f %%", 100 * busy_seconds / span);
  };
  std::string text = title + formatted(", %.3f s\n", seconds);
  text += "  ran     " + counted(executed, "task") +
          by_worker(all, [](const worker_statistics& one) { return std::to_string(one.executed); });
  text += "  busy    " + share(busy / static_cast<double>(all.workers.size())) +
          by_worker(all, [&](const worker_statistics& one) { return share(one.busy_seconds); });
  text += "  slept   " + counted(parks, "time") + ", " + counted(avoided, "wake-up") + " avoided\n";
  text += "  moved   " + counted(all.tasks_moved, "task") + "; hops by rounds " +
          std::to_string(sum(all.moved_by_rounds)) + ", by pulls " +
          std::to_string(sum(all.moved_by_pulls)) + ", by rescues " +
          std::to_string(sum(all.moved_by_rescues)) + "\n";
  text += "  planned " + counted(all.rounds, "round") +
          formatted(" in %.3f ms", 1e3 * all.balancing_seconds);
  if (all.rounds != 0) {
    text += formatted("; largest load by mean load: %.2f before, %.2f after", all.imbalance_before,
                      all.imbalance_after);
  }
  text += "\n";
  if (all.failed_rounds != 0) text += "  FAILED  " + counted(all.failed_rounds, "round") + "\n";
  if (all.failed_observations != 0) {
    text += "  FAILED  " + counted(all.failed_observations, "call") + " of the observer\n";
  }
  return text;
}

}  // namespace evencube::detail
