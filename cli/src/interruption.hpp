#pragma once

#include <array>
#include <stdexcept>

namespace evencube::cli {

/// A signal asked the program to stop, and it has told what it had: it ends with 128 and the
/// signal's number.
class interrupted : public std::runtime_error {
 public:
  explicit interrupted(int signal, const char* message = "")
      : std::runtime_error{message}, signal_{signal} {}
  [[nodiscard]] int signal() const noexcept { return signal_; }

 private:
  int signal_;
};

/// From now on SIGINT, SIGTERM and SIGHUP remove unfinished files before they end the program, and
/// a file that outgrows the limit is an error like any other instead of the program's end. A signal
/// that is ignored (by nohup) stays so.
void clean_up_on_signals() noexcept;

/// What those signals write to stderr before they end the program, so that a terminal is left as it
/// was; null: nothing. The text must stay.
void write_on_ending_signal(const char* text) noexcept;

/// From now on SIGUSR1 writes to standard error what the workers of every runtime do.
void describe_on_signal() noexcept;

/// While it lives, the first SIGINT, SIGTERM or SIGHUP only raises a flag, so that a long
/// computation can end in order and keep what it has; another one, half a second later or more,
/// ends the program as usual. One at a time.
class interruption {
 public:
  interruption();
  interruption(const interruption&) = delete;
  interruption& operator=(const interruption&) = delete;
  ~interruption();

  /// Whether such a signal came. Thread-safe.
  [[nodiscard]] bool requested() const noexcept { return signal() != 0; }

  /// Which it was, or 0.
  [[nodiscard]] int signal() const noexcept;

 private:
  using handler = void (*)(int);
  std::array<handler, 3> before_{};
};

}  // namespace evencube::cli
