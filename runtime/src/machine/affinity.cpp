#include "machine/affinity.hpp"

#include <mutex>
#include <utility>

namespace evencube::detail {
namespace {

std::mutex given_mutex;
std::vector<unsigned> given;  // the units of the process when the first runtime was made

}  // namespace

void remember_units(const machine& found) {
  const std::lock_guard lock(given_mutex);
  if (!given.empty()) return;
  std::vector<unsigned> all;
  for (const processing_unit& unit : found.units) all.push_back(unit.os_index);
  given = std::move(all);
}

void lock_units() noexcept { given_mutex.lock(); }
void unlock_units() noexcept { given_mutex.unlock(); }

bool pin_current_thread(unsigned os_index) noexcept {
  return set_thread_affinity(std::span{&os_index, 1});
}

}  // namespace evencube::detail

namespace evencube {

bool unpin_current_thread() noexcept {
  try {
    const std::lock_guard lock(detail::given_mutex);
    return detail::set_thread_affinity(detail::given.empty() ? detail::process_affinity()
                                                             : detail::given);
  } catch (...) {
    return false;
  }
}

}  // namespace evencube
