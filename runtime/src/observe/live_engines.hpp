#pragma once

#include <cstdint>

namespace evencube::detail {

class engine;

/// Adds the engine of a runtime that has been made; from now on it can be found by its number.
void enlist(engine& made) noexcept;
/// Removes an engine that is to end; it can no longer be found. False, and it stays listed, if
/// tasks of `async` have come meanwhile, unless `in_any_case`.
bool delist(engine& ending, bool in_any_case) noexcept;
/// Writes what all living runtimes do and hold. May be called in a signal handler: if the list is
/// just being changed, it writes that instead.
void describe_live_engines(int descriptor) noexcept;
/// Makes the thread of worker 0 if that is the only worker of the runtime and has none. Does
/// nothing if the runtime is gone. Throws std::system_error.
void ensure_thread_of(std::uint64_t runtime_id);
/// Empties the list in a forked child; numbers up to `inherited` belong to the parent.
void forget_live_engines(std::uint64_t inherited) noexcept;
/// Marks an engine that has been stopped for good: only `exists` and `find_engine` find it. False,
/// and nothing has changed, if tasks of `async` have come meanwhile.
bool retire(engine& stopped) noexcept;
/// True if the runtime with this number has not been destroyed. False in a forked child of its
/// process.
[[nodiscard]] bool exists(std::uint64_t runtime_id) noexcept;
/// The runtime with this number. Throws evencube::error, beginning with `what`, if it is gone.
engine& find_engine(std::uint64_t runtime_id, const char* what);
/// Throws evencube::error if the runtime with this number belongs to the parent process.
void check_process_of(std::uint64_t runtime_id);

/// Keeps a runtime that is known only by its number from ending.
class engine_pin {
 public:
  /// Throws evencube::error if the runtime is gone.
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
