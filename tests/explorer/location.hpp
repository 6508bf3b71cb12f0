#pragma once

#include <cstdint>

#include "clock.hpp"

namespace evencube::explorer {

class session;

/// Stands for the place of no store in the session's list of them.
inline constexpr std::uint32_t no_store = 0xffffffff;

/// A store in the modification order of its location, for the weak model.
struct stored {
  std::uint64_t value;
  vector_clock released;  // what who acquires from it learns
  vector_clock seen;      // each thread's step that wrote it, or read it and knew it not before
  std::uint64_t hash;
  std::uint32_t before;  // the one before it in the modification order
  bool modifies;         // a read-modify-write: nothing comes between it and the one before
};

/// An atomic variable as the explorer sees it.
class location {
 public:
  explicit location(std::uint64_t initial) noexcept;
  location(const location&) = delete;
  location& operator=(const location&) = delete;
  ~location();

 private:
  friend class session;

  std::uint64_t value_;             // the last in the modification order
  vector_clock released_;           // what the release sequence that the value belongs to publishes
  std::uint64_t contribution_ = 0;  // to the hash of the memory
  // The weak model's: the last store (none before a thread's first one), the last one that a
  // seq_cst operation read or wrote, and what they contribute to the hash of the histories.
  std::uint32_t newest_ = no_store;
  mutable std::uint32_t agreed_ = no_store;
  mutable std::uint64_t past_ = 0;
  std::uint32_t id_;
  std::uint16_t made_;  // the step that made it, of the thread that the id begins with
  // Volatile: what the destructor writes is read, in the arena, by who uses the variable too late.
  volatile std::uint32_t alive_;
};

/// A variable that is not atomic: accesses must be ordered by happens-before.
class plain_location {
 protected:
  plain_location() noexcept;
  // A copy is a variable of its own, just written.
  plain_location(const plain_location&) noexcept : plain_location() {}
  plain_location& operator=(const plain_location&) = delete;
  ~plain_location() = default;

  void reading() const;
  void writing();

 private:
  friend class session;

  std::uint16_t written_;  // the step of the last writer
  std::uint8_t writer_;
  mutable vector_clock reads_;  // each thread's last step that read since
};

}  // namespace evencube::explorer
