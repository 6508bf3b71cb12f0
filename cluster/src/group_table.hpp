#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <evencube/cluster/detail/bytes.hpp>
#include <evencube/cluster/detail/call.hpp>

#include "termination.hpp"

namespace evencube::detail {

/// The text that tells other ranks of an exception of a task.
struct task_failure {
  std::string task;
  std::uint32_t rank = 0;
  std::string text;

  void write(byte_writer& out) const {
    out.put(task);
    out.put(rank);
    out.put(text);
  }
  static task_failure read(byte_reader& in) {
    task_failure read;
    read.task = in.text();
    read.rank = in.get<std::uint32_t>();
    read.text = in.text();
    return read;
  }
};

/// A task whose result is here.
struct finished_call {
  std::unique_ptr<cluster_call> call;
  message_bytes result;  // as it came, unless the call has it
  bool came = false;
  std::uint32_t task = 0;
};

/// A task that left its home.
struct away_call {
  std::uint32_t task;
  std::unique_ptr<cluster_call> call;
  // What a checkpoint needs to spawn it again.
  std::uint32_t cost = 1;
  bool measured = false;
  bool stays = false;
  std::uint32_t to = 0;  // where it stays
};

/// A group on a rank.
struct group_state {
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  std::uint64_t call = 0;  // of the wait
  bool over = false;
  std::thread::id waiter;  // none before the wait
  /// The tasks here that have not ended, and the ended ones whose results were not taken (P).
  std::uint64_t open = 0;
  work_on_its_way counted;  // tasks and results sent, less those received (C)
  std::map<std::uint64_t, away_call> away;
  std::deque<finished_call> done;
  bool told_failure = false;
  std::optional<task_failure> failure;
  /// Takes results where their tasks run; null: they go to the ranks that spawned them.
  std::shared_ptr<result_reducer> reducer;
  std::condition_variable changed;

  [[nodiscard]] bool waiting() const noexcept { return waiter != std::thread::id{}; }
};

/// The groups of a rank, by their numbers, which are equal on all ranks. A group begins when this
/// rank makes it, or when a message of it comes before that, and ends with its wait. Not
/// thread-safe.
class group_table {
 public:
  using states = std::map<std::uint32_t, group_state>;

  std::uint32_t make(std::shared_ptr<result_reducer> reducer) {
    of_[next_].reducer = std::move(reducer);
    return next_++;
  }
  [[nodiscard]] group_state& operator[](std::uint32_t group) { return of_[group]; }
  void erase(std::uint32_t group) { of_.erase(group); }

  /// True if the group has ended, also after its wait.
  [[nodiscard]] bool is_over(std::uint32_t group) const {
    const auto found = of_.find(group);
    return found == of_.end() ? group < next_ : found->second.over;
  }
  [[nodiscard]] bool empty() const noexcept { return of_.empty(); }
  /// The number of groups that this rank has made.
  [[nodiscard]] std::uint32_t made() const noexcept { return next_; }
  [[nodiscard]] const states& all() const noexcept { return of_; }
  /// When the oldest group began, or `now` if there is none.
  [[nodiscard]] std::chrono::steady_clock::time_point oldest(
      std::chrono::steady_clock::time_point now) const {
    for (const auto& [number, group] : of_) now = std::min(now, group.began);
    return now;
  }
  /// Tasks and results that were sent from here, less those received.
  [[nodiscard]] std::int64_t on_its_way() const {
    std::int64_t sum = 0;
    for (const auto& [number, group] : of_) {
      for (const auto& [to, count] : group.counted) sum += count;
    }
    return sum;
  }
  void notify_all() {
    for (auto& [number, group] : of_) group.changed.notify_all();
  }

 private:
  states of_;
  std::uint32_t next_ = 0;
};

}  // namespace evencube::detail
