#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <evencube/detail/compiler.hpp>

namespace evencube {

/// How one rank reaches the others: bytes go to a rank, and what came is polled for. Everything
/// that ranks say to one another stands above this, so that the same code runs over MPI
/// and between threads of one process (`local_network`).
///
/// One thread, that of the rank's progress, calls everything but `interrupt`, unless
/// `any_thread_may_call()`. Messages from one rank to another arrive once, whole, in the order in
/// which they were sent; those of different pairs in any order. No rank sends to itself.
class EVENCUBE_EXPORT transport {
 public:
  transport() = default;
  transport(const transport&) = delete;
  transport& operator=(const transport&) = delete;
  virtual ~transport() = default;

  struct message {
    unsigned from = 0;
    std::vector<std::byte> bytes;
  };

  /// Called first, by the thread that will call the rest. What it throws, the cluster's constructor
  /// throws.
  virtual void open() {}
  /// This one, in [0, size()). After `open`.
  [[nodiscard]] virtual unsigned rank() const noexcept = 0;
  /// How many there are, at least 1. After `open`.
  [[nodiscard]] virtual unsigned size() const noexcept = 0;
  /// No message may be longer.
  [[nodiscard]] virtual std::size_t most_bytes() const noexcept = 0;
  /// Whether other threads may call `send` and `poll`, one at a time with those of the progress
  /// thread, but also while that is in `rest`. Then workers look for messages between tasks. After
  /// `open`.
  [[nodiscard]] virtual bool any_thread_may_call() const noexcept { return false; }

  /// Sends `bytes`, at most `most_bytes()`, to another rank, and does not wait until they are
  /// there.
  virtual void send(unsigned to, std::vector<std::byte> bytes) = 0;
  /// Whether something that was sent goes on only while this rank calls `poll`, as long messages
  /// do of which the receiver has to ask for the rest.
  [[nodiscard]] virtual bool sending() const noexcept { return false; }
  /// Takes the next message that is here; false if there is none.
  virtual bool poll(message& into) = 0;
  /// Sleeps until a message may be here, until `interrupt`, or for so long; none of these for sure.
  virtual void rest(std::chrono::microseconds most) = 0;
  /// Ends a `rest` under way, or else the next one. Any thread.
  virtual void interrupt() noexcept = 0;
  /// Called last, when every rank has said that it will send no more. Returns when what was sent
  /// is gone.
  virtual void close() {}
};

}  // namespace evencube
