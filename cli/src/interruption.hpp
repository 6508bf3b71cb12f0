#pragma once

namespace evencube::cli {

/// While it lives, the first Ctrl-C only raises a flag, so that a long computation can end in order
/// and keep what it has; the second one ends the program as usual. One at a time.
class interruption {
 public:
  interruption();
  interruption(const interruption&) = delete;
  interruption& operator=(const interruption&) = delete;
  ~interruption();

  /// Whether Ctrl-C was pressed. Thread-safe.
  [[nodiscard]] bool requested() const noexcept;

 private:
  void (*before_)(int);
};

}  // namespace evencube::cli
