#include "busy_machine.hpp"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

namespace evencube::cli {
namespace {

/// Other programs that use less of one processor than this are not worth a word.
constexpr double quiet_processors = 0.15;

/// A smaller share of the processors' time than this, taken by the host, is not worth a word.
constexpr double quiet_steal = 0.02;

/// Within a shorter time, one tick of the clock would be too large a share.
constexpr double shortest_seconds = 0.2;

std::optional<processor_times> times_now() {
  std::ostringstream text;
  text << std::ifstream("/proc/stat").rdbuf();
  return processor_times_of(text.str(), static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

double own_processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace

std::optional<processor_times> processor_times_of(std::string_view stat, double ticks_per_second) {
  std::istringstream lines{std::string{stat}};
  processor_times made;
  bool found = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("cpu")) continue;
    std::istringstream words{line};
    std::string name;
    words >> name;
    if (name != "cpu") {
      ++made.processors;
      continue;
    }
    // user, nice, system, idle, waiting for input, interrupts, soft interrupts, stolen
    std::array<double, 8> ticks{};
    for (double& one : ticks) words >> one;
    if (!words) return std::nullopt;
    made.stolen = ticks[7] / ticks_per_second;
    made.busy = (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) / ticks_per_second;
    made.all = made.busy + made.stolen + (ticks[3] + ticks[4]) / ticks_per_second;
    found = true;
  }
  if (!found || made.processors == 0) return std::nullopt;
  return made;
}

std::string busy_warning(const processor_times& before, const processor_times& after,
                         double own_seconds) {
  const double all = after.all - before.all;
  const double elapsed = all / after.processors;
  if (elapsed < shortest_seconds) return {};
  const double others = std::max(0.0, after.busy - before.busy - own_seconds) / elapsed;
  const double stolen = (after.stolen - before.stolen) / all;
  std::string what;
  if (others >= quiet_processors) {
    what = fmt::format("other programs used {:.1f} of {} processor{}", others, after.processors,
                       after.processors == 1 ? "" : "s");
  }
  if (stolen >= quiet_steal) {
    what += fmt::format("{}the host of this virtual machine took {:.0f} % of the time",
                        what.empty() ? "" : ", and ", 100 * stolen);
  }
  if (what.empty()) return {};
  return fmt::format(
      "The machine was busy: during the measurement, {}. The times may be wrong; measure again "
      "when the machine is quiet.",
      what);
}

machine_watch::machine_watch() : before_{times_now()}, own_before_{own_processor_seconds()} {}

std::string machine_watch::warning() const {
  const auto after = times_now();
  if (!before_ || !after) return {};
  const std::string text = busy_warning(*before_, *after, own_processor_seconds() - own_before_);
  return text.empty() ? text : text + "\n";
}

}  // namespace evencube::cli
