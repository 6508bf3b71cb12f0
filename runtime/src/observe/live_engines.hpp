#pragma once

#include <cstdint>

namespace evencube::detail {

class engine;

/// Its runtime has been made: it can be found by its number from now on.
void enlist(engine& made) noexcept;
/// It is to end: nobody finds it any more. False, and it is still listed, if tasks of `async` have
/// come meanwhile, unless `in_any_case`.
bool delist(engine& ending, bool in_any_case) noexcept;
/// Writes what all of them do and hold. May be called in a signal handler: where the list is just
/// being changed it writes that instead.
void describe_live_engines(int descriptor) noexcept;
/// Makes the thread of worker 0 if that is the runtime's only one and has none. Nothing if the
/// runtime is gone. Throws std::system_error.
void ensure_thread_of(std::uint64_t runtime_id);
/// In a forked child there are none; numbers up to `inherited` are the parent's.
void forget_live_engines(std::uint64_t inherited) noexcept;
/// It has been stopped for good: found by `exists` and `find_engine` alone. False, and nothing has
/// changed, if tasks of `async` have come meanwhile.
bool retire(engine& stopped) noexcept;
/// Whether the runtime with this number has not been destroyed. False in a forked child of its
/// process.
[[nodiscard]] bool exists(std::uint64_t runtime_id) noexcept;
/// The runtime with this number; throws evencube::error, beginning with `what`, if it is gone.
engine& find_engine(std::uint64_t runtime_id, const char* what);
/// Throws evencube::error if the runtime with this number belongs to the parent process.
void check_process_of(std::uint64_t runtime_id);

/// Keeps a runtime from ending that is known by its number alone.
class engine_pin {
 public:
  /// Throws evencube::error if it is gone.
  explicit engine_pin(std::uint64_t runtime_id);
  engine_pin(const engine_pin&) = delete;
  engine_pin& operator=(const engine_pin&) = delete;
  ~engine_pin();

  [[nodiscard]] engine& get() const noexcept { return *pinned_; }

 private:
  engine* pinned_ = nullptr;
  bool counted_ = false;
};

}  // namespace evencube::detail
