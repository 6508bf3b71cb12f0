#include "stealing.hpp"

#include <algorithm>
#include <chrono>

namespace evencube::detail {

rank_load stealing::load() const {
  return {.quanta = work_.pool().quanta(),
          .seconds = work_.seconds_waiting(),
          .hungry = work_.pool().size() == 0 && work_.crew().running < core_.runtime.workers()};
}

bool stealing::advance() {
  {
    const data_lock lock(core_.mutex);
    if (work_.crew().paused || work_.crew().closed || !load().hungry || work_.groups().empty()) {
      return false;
    }
  }
  const std::optional<unsigned> victim = thief_->ask(thief::clock::now());
  if (!victim) return false;
  byte_writer out;
  out.put(wire::steal);
  mail_.post(*victim, out);
  return true;
}

void stealing::handle(wire what, unsigned from, byte_reader& in) {
  if (what == wire::refusal) {
    thief_->refused(from);
  } else if (what == wire::tasks) {
    if (in.get<std::uint32_t>() == stolen) thief_->got_tasks(from);
  } else if (what == wire::steal) {
    load_type half = 0;
    {
      const data_lock lock(core_.mutex);
      if (!work_.crew().paused) {
        half = std::max((load().quanta + 1) / 2, work_.pool().oldest_cost());
      }
    }
    work_.send_jobs(from, half, stolen, 0);
  } else {
    throw error("cluster: a message of another program");
  }
}

}  // namespace evencube::detail
