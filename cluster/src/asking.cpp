#include "asking.hpp"

#include <algorithm>

namespace evencube::detail {

rank_load asking::load() const {
  return {.quanta = work_.pool().quanta(),
          .seconds = work_.seconds_waiting(),
          .hungry = work_.pool().size() == 0 && work_.crew().running < core_.runtime.workers()};
}

bool asking::is_hungry() const {
  const data_lock lock(core_.mutex);
  return may_ask() && load().hungry;
}

bool asking::has_no_tasks(bool for_others) const {
  const data_lock lock(core_.mutex);
  return may_ask() && (for_others ? work_.pool().movable() : work_.pool().size()) == 0;
}

bool asking::may_ask() const {
  return !work_.crew().paused && !work_.crew().closed && !work_.groups().empty();
}

bool asking::needs_all_its_tasks() const {
  const data_lock lock(core_.mutex);
  return work_.pool().size() <= work_.crew().now - work_.crew().running;
}

void asking::ask(unsigned other) {
  byte_writer out;
  out.put(wire::steal);
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
