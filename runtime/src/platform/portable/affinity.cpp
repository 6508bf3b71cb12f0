#include <algorithm>
#include <numeric>
#include <thread>

#include "platform/platform.hpp"

// The standard library tells how many threads run at once, and lets the system place them.
namespace evencube::detail {

bool can_bind_threads() noexcept { return false; }

unsigned online_units() noexcept { return std::max(std::thread::hardware_concurrency(), 1U); }

std::vector<unsigned> process_affinity() {
  std::vector<unsigned> all(online_units());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

std::vector<unsigned> thread_affinity() { return process_affinity(); }

// The standard knows no parts of machines, and no limits.
std::vector<place_of_unit> places_of_units() { return {}; }
std::optional<double> limit_of_job() noexcept { return std::nullopt; }

// The files are there if the system is Linux, and absent otherwise.
bool has_control_groups() noexcept { return true; }

const char* source_of_affinity() noexcept { return "hardware_concurrency"; }

// Threads may run everywhere.
bool runs_only_on(std::span<const unsigned> os_indices) noexcept {
  unsigned next = 0;
  return os_indices.size() == online_units() &&
         std::ranges::all_of(os_indices, [&](unsigned unit) { return unit == next++; });
}

bool set_thread_affinity(std::span<const unsigned> os_indices) noexcept {
  return runs_only_on(os_indices);
}

int unit_under_thread() noexcept { return -1; }

}  // namespace evencube::detail
