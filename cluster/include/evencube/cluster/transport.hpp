#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <evencube/detail/compiler.hpp>

namespace evencube {

/// The connection of one rank to the others: it sends bytes to a rank and polls for messages that
/// have arrived. All communication between ranks uses this interface, over MPI as well as between
/// threads of one process (`local_network`).
///
/// One thread, the progress thread of the rank, calls every member except `interrupt`, unless
/// `any_thread_may_call()` returns true. Messages from one rank to another arrive exactly once,
/// whole, and in the order in which they were sent. Messages between different pairs of ranks
/// arrive in any order. No rank sends to itself.
class EVENCUBE_EXPORT transport {
 public:
  transport() = default;
  transport(const transport&) = delete;
  transport& operator=(const transport&) = delete;
  virtual ~transport() = default;

  /// A message that has arrived: the rank that sent it and its bytes.
  struct message {
    unsigned from = 0;
    std::vector<std::byte> bytes;
  };

  /// Opens the connection; called first, on the thread that will make the other calls. The
  /// cluster's constructor throws the exceptions of `open`.
  virtual void open() {}
  /// Returns this rank, in [0, size()). Called after `open`.
  [[nodiscard]] virtual unsigned rank() const noexcept = 0;
  /// Returns the number of ranks, at least 1. Called after `open`.
  [[nodiscard]] virtual unsigned size() const noexcept = 0;
  /// Returns the maximum size of a message in bytes.
  [[nodiscard]] virtual std::size_t most_bytes() const noexcept = 0;
  /// Returns true if other threads may call `send` and `poll`, even while the progress thread is in
  /// `rest`. Such calls, including those of the progress thread, never run simultaneously. If the
  /// result is true, workers poll between tasks. Called after `open`.
  [[nodiscard]] virtual bool any_thread_may_call() const noexcept { return false; }

  /// Sends `bytes`, at most `most_bytes()`, to the rank `to`, and does not wait for their arrival.
  virtual void send(unsigned to, std::vector<std::byte> bytes) = 0;
  /// Returns true if a sent message needs further calls of `poll` by this rank to arrive, such as a
  /// long message whose receiver must request the rest.
  [[nodiscard]] virtual bool sending() const noexcept { return false; }
  /// Moves the next message that has arrived into `into`; returns false if there is none.
  virtual bool poll(message& into) = 0;
  /// Sleeps until a message may have arrived, `interrupt` is called, or `most` has elapsed. May
  /// return earlier or later.
  virtual void rest(std::chrono::microseconds most) = 0;
  /// Ends the current call of `rest`, or the next one if no call is in progress. Any thread may
  /// call this.
  virtual void interrupt() noexcept = 0;
  /// Called instead of `close` when this rank cannot continue, after the other ranks have been
  /// notified. `why` is the reason. The transport must end all ranks here if the other ranks might
  /// otherwise wait for ever, or the job might count as a success.
  virtual void fail([[maybe_unused]] const std::string& why) noexcept {}
  /// Closes the connection; called last, when every rank has announced that it will send no more
  /// messages. Returns when all sent messages have left.
  virtual void close() {}
};

}  // namespace evencube
