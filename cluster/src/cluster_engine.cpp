#include "cluster_engine.hpp"

#include <atomic>
#include <utility>

#include "rounds.hpp"
#include "stealing.hpp"

namespace evencube::detail {
namespace {

std::unique_ptr<rank_balancing> balancing_of(rank_core& core, mail& post, rank_work& work) {
  if (core.steals()) return std::make_unique<stealing>(core, post, work);
  return std::make_unique<planned_rounds>(core, post, work);
}

std::atomic<std::uint64_t> engines{0};  // made so far

}  // namespace

cluster_engine::cluster_engine(std::unique_ptr<transport> over, cluster_options options)
    : id_(engines.fetch_add(1, std::memory_order_relaxed) + 1),
      core_(std::move(over), std::move(options)),
      mail_(core_),
      calls_(core_, mail_),
      work_(core_, mail_, calls_, *this, [this] { turns_.look_between_tasks(); }),
      waits_(core_, mail_, calls_, work_),
      gatherings_(core_, mail_, calls_,
                  [this]() EVENCUBE_REQUIRES(the_turn) { return hold_.count_work(); }),
      balancing_(balancing_of(core_, mail_, work_)),
      registration_(core_, work_, gatherings_, *balancing_),
      hold_(core_, calls_, work_, gatherings_, *balancing_),
      leaving_(core_, mail_, calls_, work_),
      turns_(core_, {mail_, calls_, work_, waits_, gatherings_, *balancing_, leaving_}) {
  turns_.begin();
  // Only now is it known whether the balancer supports this many ranks.
  try {
    balancing_->check_ranks();
  } catch (...) {
    leave();
    throw;
  }
}

cluster_engine::~cluster_engine() { leave(); }

cluster_statistics cluster_engine::stats() {
  const data_lock lock(core_.mutex);
  return core_.stats;
}

std::uint32_t cluster_engine::make_group(std::shared_ptr<result_reducer> reducer) {
  registration_.agree();
  return waits_.make(std::move(reducer));
}

// Also called for a rank whose constructor throws.
void cluster_engine::leave() {
  work_.close();
  turns_.join();
  work_.join();
}

}  // namespace evencube::detail
