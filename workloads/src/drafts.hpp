#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace evencube::workloads {

/// A name beside a target under which a file or folder stands until it is complete. What still
/// stands there is removed in the end, and by discard_drafts() when a signal ends the program.
class draft {
 public:
  /// A name that no other program and no other draft of this one uses; nothing is made.
  explicit draft(const std::filesystem::path& target);
  draft(const draft&) = delete;
  draft& operator=(const draft&) = delete;
  ~draft();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  /// Takes the next name: somebody left something under this one.
  void rename();

  /// From now on the name belongs to nobody here.
  void forget() noexcept;

 private:
  void announce() noexcept;
  void withdraw() noexcept;

  std::filesystem::path folder_;
  std::filesystem::path path_;
  int place_ = -1;  // among the announced names
};

}  // namespace evencube::workloads
