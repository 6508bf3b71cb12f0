#include "asking.hpp"

#include <algorithm>

namespace evencube::detail {

rank_load asking::load() const {
  return {.quanta = work_.pool().quanta(),
          .seconds = work_.seconds_waiting(),
          .hungry = work_.pool().size() == 0 && work_.crew().running < core_.runtime.workers()};
}

std::optional<need> asking::needs(std::optional<need> owed) const {
  const data_lock lock(core_.mutex);
  if (!takes_part()) return std::nullopt;
  std::optional<need> found;
  if (owed && work_.pool().movable() == 0) found = owed;
  if (work_.pool().size() > 0 || work_.groups().empty()) return found;
  return std::max(found, std::optional(load().hungry ? need::now : need::soon));
}

bool asking::takes_part() const {
  return !work_.crew().paused && !work_.crew().stopped && !work_.crew().closed;
}

asking::waiting_tasks asking::waiting() const {
  const data_lock lock(core_.mutex);
  return {.all = work_.pool().size(),
          .movable = work_.pool().movable(),
          .takers = work_.crew().now - work_.crew().running};
}

void asking::ask(unsigned other, need how) {
  byte_writer out;
  out.put(wire::steal);
  out.put(how);
  mail_.post(other, out);
}

void asking::refuse(unsigned other) {
  byte_writer out;
  out.put(wire::refusal);
  mail_.post(other, out);
}

std::uint64_t asking::give_half(unsigned to) {
  load_type half = 0;
  {
    const data_lock lock(core_.mutex);
    if (work_.crew().paused || work_.pool().movable() == 0) return 0;
    half = std::max((load().quanta + 1) / 2, work_.pool().oldest_cost());
  }
  return work_.send_jobs(to, half, stolen, 0);
}

bool asking::take_program_spawns() {
  const data_lock lock(core_.mutex);
  return work_.measures().take_program_spawns();
}

}  // namespace evencube::detail
