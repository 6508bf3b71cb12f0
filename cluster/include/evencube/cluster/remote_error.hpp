#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <evencube/detail/compiler.hpp>

namespace evencube {

/// A task of a cluster threw, here or on another rank: what can be told of its exception anywhere.
class EVENCUBE_EXPORT remote_error : public std::runtime_error {
 public:
  remote_error(std::string task, unsigned rank, std::string text)
      : std::runtime_error("task \"" + task + "\" on rank " + std::to_string(rank) + ": " + text),
        task_(std::move(task)),
        text_(std::move(text)),
        rank_(rank) {}

  /// Under which name the task is registered.
  [[nodiscard]] const std::string& task() const noexcept { return task_; }
  /// Where it ran.
  [[nodiscard]] unsigned rank() const noexcept { return rank_; }
  /// What the exception said: `what()` of a std::exception.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string task_;
  std::string text_;
  unsigned rank_;
};

}  // namespace evencube
