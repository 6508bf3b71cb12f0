#include <condition_variable>
#include <deque>
#include <evencube/cluster/local_network.hpp>
#include <map>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "node_order.hpp"

namespace evencube {

/// The data that all ranks share. Each rank has a mailbox, in which each sender has a queue of its
/// own.
struct local_network::state {
  struct late_message {
    std::vector<std::byte> bytes;
    unsigned looks;  // polls by the receiver until it sees the message
  };
  struct mailbox {
    std::mutex mutex;
    std::condition_variable changed;
    std::map<unsigned, std::deque<late_message>> from;  // senders that have messages here
    unsigned next_sender = 0;
    bool interrupted = false;
  };

  state(unsigned processes, const options& how)
      : limits(how), ranks(detail::ranks_by_node(how.node_of)), boxes(processes) {}

  const options limits;
  const std::vector<unsigned> ranks;  // of the processes; empty on one node
  std::vector<mailbox> boxes;
};

class local_network::endpoint final : public transport {
 public:
  endpoint(state& of, unsigned rank)
      : of_(of), rank_(rank), random_(of.limits.seed * 0x9e3779b97f4a7c15U + rank) {}

  [[nodiscard]] unsigned rank() const noexcept override { return rank_; }
  [[nodiscard]] unsigned size() const noexcept override {
    return static_cast<unsigned>(of_.boxes.size());
  }
  [[nodiscard]] std::size_t most_bytes() const noexcept override { return of_.limits.most_bytes; }
  [[nodiscard]] bool any_thread_may_call() const noexcept override { return true; }

  void send(unsigned to, std::vector<std::byte> bytes) override {
    const unsigned looks =
        std::uniform_int_distribution<unsigned>(0, of_.limits.most_delay)(random_);
    state::mailbox& box = of_.boxes[to];
    {
      const std::lock_guard lock(box.mutex);
      box.from[rank_].push_back({std::move(bytes), looks});
    }
    box.changed.notify_one();
  }

  // Every poll makes the first message of each sender less late. So a rank that polls often enough
  // sees all messages, and no clock is needed.
  bool poll(message& into) override {
    state::mailbox& box = of_.boxes[rank_];
    const std::lock_guard lock(box.mutex);
    auto found = box.from.end();
    auto next = box.from.lower_bound(box.next_sender);
    for (std::size_t i = 0; i < box.from.size(); ++i, ++next) {
      if (next == box.from.end()) next = box.from.begin();
      if (next->second.front().looks > 0) {
        --next->second.front().looks;
      } else if (found == box.from.end()) {
        found = next;
      }
    }
    if (found == box.from.end()) return false;
    into.from = found->first;
    into.bytes = std::move(found->second.front().bytes);
    found->second.pop_front();
    box.next_sender = found->first + 1;
    if (found->second.empty()) box.from.erase(found);
    return true;
  }

  void rest(std::chrono::microseconds most) override {
    state::mailbox& box = of_.boxes[rank_];
    std::unique_lock lock(box.mutex);
    box.changed.wait_for(lock, most, [&] { return box.interrupted || !box.from.empty(); });
    box.interrupted = false;
  }

  void interrupt() noexcept override {
    state::mailbox& box = of_.boxes[rank_];
    {
      const std::lock_guard lock(box.mutex);
      box.interrupted = true;
    }
    box.changed.notify_one();
  }

 private:
  state& of_;
  const unsigned rank_;
  std::mt19937_64 random_;
};

local_network::local_network(unsigned ranks) : local_network(ranks, options{}) {}

local_network::local_network(unsigned ranks, const options& how)
    : state_(std::make_unique<state>(ranks, how)) {
  if (ranks == 0) throw std::invalid_argument("local_network: 0 ranks, allowed at least 1");
  if (!how.node_of.empty() && how.node_of.size() != ranks) {
    throw std::invalid_argument("local_network: " + std::to_string(how.node_of.size()) +
                                " numbers of nodes, allowed are none or one for each of " +
                                std::to_string(ranks) + " ranks");
  }
}

local_network::~local_network() = default;

std::unique_ptr<transport> local_network::at(unsigned process) {
  if (process >= state_->boxes.size()) {
    throw std::invalid_argument("local_network: no rank " + std::to_string(process) +
                                ", allowed are those below " +
                                std::to_string(state_->boxes.size()));
  }
  const unsigned rank = state_->ranks.empty() ? process : state_->ranks[process];
  return std::make_unique<endpoint>(*state_, rank);
}

}  // namespace evencube
