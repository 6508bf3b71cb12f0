#include "hold.hpp"

#include <algorithm>
#include <cstdint>
#include <evencube/error.hpp>
#include <limits>
#include <optional>
#include <vector>

#include <evencube/this_task.hpp>

namespace evencube::detail {
namespace {

/// The counts of a rank while ranks are being held.
struct held_counts {
  std::int64_t on_its_way = 0;  // sent, less received
  std::uint32_t rounds_begun = 0;
  std::uint32_t rounds_ended = 0;
};

}  // namespace

// Called by the progress thread, between two of its actions (H).
message_bytes rank_hold::count_work() {
  held_counts own;
  {
    const data_lock lock(core_.mutex);
    own.on_its_way = work_.groups().on_its_way();
    own.rounds_begun = balancing_.rounds_begun();
    own.rounds_ended = balancing_.record().rounds_ended;
  }
  byte_writer out;
  out.put(own);
  return out.take();
}

// Nothing begins, and running tasks end. Then the ranks exchange what they have sent and received,
// until everything has arrived, and until every round that any rank has begun has ended everywhere.
void rank_hold::begin() {
  if (this_task::runtime() == &core_.runtime)
    throw error("cluster_hold within a task of the cluster");
  {
    data_lock lock(core_.mutex);
    if (work_.crew().paused) throw error("cluster_hold: this rank is held already");
    work_.pause(true);
    const std::uint64_t next = calls_.begun() + 1;
    work_.look_for_stop();
    lock.wait(core_.changed, [this]() EVENCUBE_REQUIRES(shared_data) {
      return work_.crew().now == 0 || work_.crew().stopped;
    });
    if (work_.crew().stopped) {
      work_.pause(false);
      calls_.give_up(next, "to be held");
    }
  }
  for (;;) {
    const std::vector<message_bytes> all = gatherings_.gather(std::nullopt, "cluster_hold");
    std::int64_t on_its_way = 0;
    std::uint32_t begun = 0;
    std::uint32_t ended = std::numeric_limits<std::uint32_t>::max();
    for (const message_bytes& one : all) {
      const auto said = byte_reader(one).get<held_counts>();
      on_its_way += said.on_its_way;
      begun = std::max(begun, said.rounds_begun);
      ended = std::min(ended, said.rounds_ended);
    }
    if (ended == begun && on_its_way == 0) return;
  }
}

// No rank goes on while another one still reads.
void rank_hold::end() {
  static_cast<void>(gatherings_.gather(message_bytes{}, "the end of a cluster_hold"));
  data_lock lock(core_.mutex);
  work_.pause(false);
  work_.begin_runners();
  core_.tell_progress();
}

std::vector<load_type> rank_hold::loads() {
  byte_writer own;
  {
    const data_lock lock(core_.mutex);
    own.put(work_.pool().quanta());
  }
  std::vector<load_type> loads;
  for (const message_bytes& one : gatherings_.gather(own.take(), "cluster_hold::loads"))
    loads.push_back(byte_reader(one).get<load_type>());
  return loads;
}

balancing_round rank_hold::round() {
  if (core_.steals()) throw error("cluster_hold::balance: random_stealing has no rounds");
  std::uint32_t before = 0;
  {
    const data_lock lock(core_.mutex);
    before = balancing_.record().rounds_ended;
  }
  // Not before all ranks know how many rounds there were.
  static_cast<void>(gatherings_.gather(message_bytes{}, "cluster_hold::balance"));
  {
    data_lock lock(core_.mutex);
    const std::uint64_t call = calls_.begin("the round of cluster_hold::balance");
    balancing_.record().round_wanted = core_.rank == 0;
    core_.tell_progress();
    lock.wait(core_.changed, [&]() EVENCUBE_REQUIRES(shared_data) {
      return balancing_.record().rounds_ended != before || calls_.cannot_end(call);
    });
    if (balancing_.record().rounds_ended == before)
      calls_.throw_why(call, "in a round of balancing");
  }
  static_cast<void>(gatherings_.gather(message_bytes{}, "the end of cluster_hold::balance"));
  const data_lock lock(core_.mutex);
  return balancing_.record().last_round;
}

}  // namespace evencube::detail
