#include <dirent.h>
#include <sched.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "platform/platform.hpp"

namespace evencube::detail {
namespace {

// The fixed cpu_set_t ends at 1024 units; larger machines need a mask of their own size.
constexpr std::size_t first_mask_units = 1024;
constexpr std::size_t most_mask_units = std::size_t{1} << 20;

struct free_mask {
  void operator()(cpu_set_t* mask) const noexcept { CPU_FREE(mask); }
};
struct close_folder {
  void operator()(DIR* folder) const noexcept { closedir(folder); }
};
using mask_pointer = std::unique_ptr<cpu_set_t, free_mask>;

// The units on which the thread may run; `thread` 0 is the caller.
std::vector<unsigned> affinity_of(pid_t thread) {
  for (std::size_t units = first_mask_units; units <= most_mask_units; units *= 2) {
    const mask_pointer mask{CPU_ALLOC(units)};
    if (!mask) return {};
    const std::size_t bytes = CPU_ALLOC_SIZE(units);
    CPU_ZERO_S(bytes, mask.get());
    if (sched_getaffinity(thread, bytes, mask.get()) == 0) {
      std::vector<unsigned> found;
      for (std::size_t unit = 0; unit < units; ++unit) {
        if (CPU_ISSET_S(unit, bytes, mask.get())) found.push_back(static_cast<unsigned>(unit));
      }
      return found;
    }
    // EINVAL: the kernel's mask is longer than ours.
    if (errno != EINVAL) return {};
  }
  return {};
}

}  // namespace

bool can_bind_threads() noexcept { return true; }

std::vector<unsigned> thread_affinity() { return affinity_of(0); }

std::vector<unsigned> process_affinity() {
  std::vector<unsigned> all = thread_affinity();
  // Not std::filesystem's iterator: libstdc++'s ends the program where memory runs out.
  const std::unique_ptr<DIR, close_folder> threads{opendir("/proc/self/task")};
  while (const dirent* const entry = threads ? readdir(threads.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    pid_t thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec != std::errc{}) continue;
    const std::vector<unsigned> its = affinity_of(thread);  // empty if it has ended meanwhile
    std::vector<unsigned> both;
    std::ranges::set_union(all, its, std::back_inserter(both));
    all = std::move(both);
  }
  return all;
}

bool set_thread_affinity(std::span<const unsigned> os_indices) noexcept {
  if (os_indices.empty()) return false;
  const std::size_t units =
      std::max(first_mask_units, std::size_t{std::ranges::max(os_indices)} + 1);
  if (units > most_mask_units) return false;
  const mask_pointer mask{CPU_ALLOC(units)};
  if (!mask) return false;
  const std::size_t bytes = CPU_ALLOC_SIZE(units);
  CPU_ZERO_S(bytes, mask.get());
  for (const unsigned unit : os_indices) CPU_SET_S(std::size_t{unit}, bytes, mask.get());
  return sched_setaffinity(0, bytes, mask.get()) == 0;
}

const char* source_of_affinity() noexcept { return "sched_getaffinity"; }

int unit_under_thread() noexcept { return sched_getcpu(); }

unsigned online_units() noexcept {
  return static_cast<unsigned>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
}

// hwloc says it.
std::vector<place_of_unit> places_of_units() { return {}; }

// All limits are those of control groups.
std::optional<double> limit_of_job() noexcept { return std::nullopt; }

bool has_control_groups() noexcept { return true; }

bool runs_only_on(std::span<const unsigned> os_indices) noexcept {
  for (std::size_t units = first_mask_units; units <= most_mask_units; units *= 2) {
    const mask_pointer mask{CPU_ALLOC(units)};
    if (!mask) return false;
    const std::size_t bytes = CPU_ALLOC_SIZE(units);
    CPU_ZERO_S(bytes, mask.get());
    if (sched_getaffinity(0, bytes, mask.get()) == 0) {
      return static_cast<std::size_t>(CPU_COUNT_S(bytes, mask.get())) == os_indices.size() &&
             std::ranges::all_of(os_indices, [&](unsigned unit) {
               return unit < units && CPU_ISSET_S(std::size_t{unit}, bytes, mask.get());
             });
    }
    if (errno != EINVAL) return false;
  }
  return false;
}

}  // namespace evencube::detail
