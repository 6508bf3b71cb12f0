#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <evencube/detail/compiler.hpp>

namespace evencube {

/// Thrown by a wait if a cluster task threw an exception on any rank. It holds the parts of the
/// task's exception that every rank can read.
class EVENCUBE_EXPORT remote_error : public std::runtime_error {
 public:
  remote_error(std::string task, unsigned rank, std::string text)
      : std::runtime_error("task \"" + task + "\" on rank " + std::to_string(rank) + ": " + text),
        task_(std::move(task)),
        text_(std::move(text)),
        rank_(rank) {}

  /// Returns the registered name of the task.
  [[nodiscard]] const std::string& task() const noexcept { return task_; }
  /// Returns the rank on which the task ran.
  [[nodiscard]] unsigned rank() const noexcept { return rank_; }
  /// Returns the message of the task's exception: `what()` of a std::exception.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string task_;
  std::string text_;
  unsigned rank_;
};

}  // namespace evencube
