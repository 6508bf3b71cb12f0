#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <evencube/cluster.hpp>

#include "balancing.hpp"
#include "calls.hpp"
#include "gatherings.hpp"
#include "hold.hpp"
#include "leaving.hpp"
#include "mail.hpp"
#include "rank_core.hpp"
#include "registration.hpp"
#include "turns.hpp"
#include "waits.hpp"
#include "work.hpp"

namespace evencube::detail {

/// One rank: its parts, and what the program's threads and tasks call. See cluster/README.md.
class cluster_engine {
 public:
  cluster_engine(std::unique_ptr<transport> over, cluster_options options);
  cluster_engine(const cluster_engine&) = delete;
  cluster_engine& operator=(const cluster_engine&) = delete;
  ~cluster_engine();

  /// A number that no other engine of this process has, from 1 on. A handle that outlives its
  /// engine has it, too, while another engine may get the address of that one.
  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
  [[nodiscard]] unsigned rank() const noexcept { return core_.rank; }
  [[nodiscard]] unsigned size() const noexcept { return core_.size; }
  [[nodiscard]] evencube::runtime& runtime() noexcept { return core_.runtime; }
  [[nodiscard]] cluster_statistics stats();
  /// The bytes that an argument may have which goes to another rank.
  [[nodiscard]] std::size_t longest_argument() const noexcept { return core_.most_bytes - framing; }
  /// True if a group that this rank has made, or of which something has come, has not been waited
  /// for.
  [[nodiscard]] bool has_open_group() {
    const data_lock lock(core_.mutex);
    return !work_.groups().empty();
  }

  std::uint32_t add_task(cluster_task_type type) { return work_.add_task(std::move(type)); }
  /// The first group compares the registrations of the ranks. With a reducer, results of its type
  /// go to it on the rank where their tasks run.
  [[nodiscard]] std::uint32_t make_group(std::shared_ptr<result_reducer> reducer);
  void spawn(std::uint32_t group, std::uint32_t task, std::unique_ptr<cluster_call> call,
             const cluster_spawn_options& options, bool by_task) {
    work_.spawn(group, task, std::move(call), options, by_task);
  }
  void wait(std::uint32_t group, std::span<const result_taker> takers) {
    waits_.wait(group, takers);
  }
  void wait_for_result(const call_future& result) { waits_.wait_for_result(result); }
  [[nodiscard]] bool has_result(const call_future& result) {
    const data_lock lock(core_.mutex);
    return result.ready;
  }
  /// The end of a group on this rank without a wait.
  void leave_group(std::uint32_t group) { waits_.leave(group); }
  [[nodiscard]] std::vector<message_bytes> gather(message_bytes own, std::string name) {
    return gatherings_.gather(std::move(own), std::move(name));
  }
  [[nodiscard]] rank_hold& hold() noexcept { return hold_; }

 private:
  void leave();

  const std::uint64_t id_;
  rank_core core_;
  mail mail_;
  collective_calls calls_;
  rank_work work_;
  group_waits waits_;
  call_gatherings gatherings_;
  const std::unique_ptr<rank_balancing> balancing_;
  registration registration_;
  rank_hold hold_;
  rank_leaving leaving_;
  rank_turns turns_;
};

}  // namespace evencube::detail
