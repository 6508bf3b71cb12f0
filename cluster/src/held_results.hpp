#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <evencube/cluster/detail/bytes.hpp>

namespace evencube::detail {

/// The result of a task, on its way to the rank that spawned the task.
struct outgoing_result {
  std::uint32_t to;
  std::uint32_t group;
  std::uint64_t number;
  bool missing;          // the task failed, or its result was reduced where it ran
  message_bytes result;  // or its failure
};

/// Results that wait, so that many go in one message. Not thread-safe.
class held_results {
 public:
  using clock = std::chrono::steady_clock;

  void put(outgoing_result one) {
    if (empty()) oldest_ = clock::now();
    bytes_ += one.result.size();
    ++count_;
    of_[one.to].push_back(std::move(one));
  }

  [[nodiscard]] std::vector<outgoing_result> take(unsigned to) {
    const auto found = of_.find(to);
    if (found == of_.end()) return {};
    std::vector<outgoing_result> taken = std::move(found->second);
    of_.erase(found);
    for (const outgoing_result& one : taken) bytes_ -= one.result.size();
    count_ -= taken.size();
    return taken;
  }

  [[nodiscard]] std::map<unsigned, std::vector<outgoing_result>> take_all() {
    bytes_ = 0;
    count_ = 0;
    return std::exchange(of_, {});
  }

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// The time since when the oldest result has waited. Precondition: there is one.
  [[nodiscard]] clock::time_point oldest() const noexcept { return oldest_; }

 private:
  std::map<unsigned, std::vector<outgoing_result>> of_;
  std::size_t bytes_ = 0;
  std::size_t count_ = 0;
  clock::time_point oldest_{};
};

}  // namespace evencube::detail
