#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <evencube/cluster/detail/bytes.hpp>

namespace evencube::detail {

class cluster_call;

/// What a checkpoint contains of a rank besides tasks and results: the objects or the bound for
/// which a task was registered. Called only while all ranks are held.
class saved_state {
 public:
  saved_state() = default;
  saved_state(const saved_state&) = delete;
  saved_state& operator=(const saved_state&) = delete;
  virtual ~saved_state() = default;

  /// Appends this rank's part.
  virtual void write(byte_writer& out) const = 0;
  /// Throws evencube::error if something is here that could be taken for a part that is read.
  virtual void require_empty() const = 0;
  /// Reads the part of one of the ranks that saved. `own` is true if that rank had this rank's
  /// number. What was read is in force after `settle(true)` and dropped by `settle(false)`.
  virtual void read(byte_reader& in, bool own) = 0;
  virtual void settle(bool all_read) = 0;
  /// What all ranks have to know of this rank after `settle(true)`.
  [[nodiscard]] virtual message_bytes shared() const = 0;
  virtual void learn(const std::vector<message_bytes>& of_ranks) = 0;
};

/// How a checkpoint treats a registered task.
struct task_saving {
  std::shared_ptr<saved_state> state = nullptr;
  /// For tasks that stay with something that may have moved: on which rank it is now.
  std::function<unsigned(const cluster_call&)> lives_on = nullptr;
  /// True for tasks that only tell other ranks what `state` has.
  bool dropped = false;
};

}  // namespace evencube::detail
