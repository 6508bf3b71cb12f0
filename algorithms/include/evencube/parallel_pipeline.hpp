#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <evencube/detail/pipeline_stages.hpp>
#include <evencube/runtime.hpp>
#include <evencube/task_group.hpp>

namespace evencube {

/// A stage of a pipeline whose function is called by several workers at once.
template <typename F>
auto parallel(F&& f) {
  return detail::pipeline_stage<detail::stage_kind::parallel, std::decay_t<F>>{std::forward<F>(f)};
}
/// One whose function is called by one worker at a time, with the values in the order in which the
/// first stage gave them.
template <typename F>
auto serial_in_order(F&& f) {
  return detail::pipeline_stage<detail::stage_kind::serial_in_order, std::decay_t<F>>{
      std::forward<F>(f)};
}
/// One whose function is called by one worker at a time, with the values as they come.
template <typename F>
auto serial_out_of_order(F&& f) {
  return detail::pipeline_stage<detail::stage_kind::serial_out_of_order, std::decay_t<F>>{
      std::forward<F>(f)};
}

namespace detail {

/// One run of a pipeline. A token carries one value at a time from the first stage to the last,
/// then fetches the next; where it may not go on its task ends, and another one goes on with it
/// later.
template <typename Input, typename... Stages>
class pipeline_run {
 public:
  using first_value = typename std::decay_t<decltype(std::declval<Input&>()())>::value_type;

  pipeline_run(task_group& group, std::size_t tokens, Input& input, std::tuple<Stages...>& stages)
      : group_(group), input_(input), stages_(stages), tokens_(tokens) {
    for (std::size_t i = tokens; i > 0; --i) free_.push_back(i - 1);
    const auto gate = [&](stage_kind kind) {
      return kind == stage_kind::parallel
                 ? nullptr
                 : std::make_unique<stage_gate>(tokens, kind == stage_kind::serial_in_order);
    };
    gates_ = {gate(Stages::kind)...};
  }

  void begin() { spawn_input(); }

 private:
  struct token {
    std::uint64_t number = 0;
    typename values_between<first_value, Stages...>::type values;
  };

  template <typename F>
  void guarded(F&& f) {
    try {
      f();
    } catch (...) {
      ended_.store(true, std::memory_order_relaxed);
      throw;
    }
  }
  [[nodiscard]] bool ended() const noexcept { return ended_.load(std::memory_order_relaxed); }

  /// A token that is to fetch a value, if there is one and nobody is fetching.
  std::size_t begin_input() noexcept {
    const std::lock_guard lock(mutex_);
    if (fetching_ || exhausted_ || free_.empty()) return stage_gate::absent;
    fetching_ = true;
    const std::size_t which = free_.back();
    free_.pop_back();
    return which;
  }
  void spawn_input() {
    const std::size_t which = begin_input();
    if (which == stage_gate::absent) return;
    group_.spawn([this, which] { guarded([&] { go_round(which); }); });
  }

  /// Fetches values and carries them to the end as long as it can.
  void go_round(std::size_t which) {
    for (;;) {
      if (ended() || group_.stop_requested()) return;
      std::optional<first_value> fetched = input_();
      token& mine = tokens_[which];
      {
        const std::lock_guard lock(mutex_);
        fetching_ = false;
        if (!fetched) {
          exhausted_ = true;
          return;
        }
        mine.number = number_++;
      }
      std::get<0>(mine.values).emplace(std::move(*fetched));
      spawn_input();  // somebody else fetches the next meanwhile
      if (!carry<0>(which, false)) return;
      which = come_home(which);
      if (which == stage_gate::absent) return;
    }
  }
  std::size_t come_home(std::size_t which) noexcept {
    {
      const std::lock_guard lock(mutex_);
      free_.push_back(which);
    }
    return begin_input();
  }

  /// From stage `Stage` on; whether it came to the end. `inside`: the gate has let it in.
  template <std::size_t Stage>
  bool carry(std::size_t which, bool inside) {
    if constexpr (Stage == sizeof...(Stages)) {
      return true;
    } else {
      if (ended() || group_.stop_requested()) return false;
      token& mine = tokens_[which];
      stage_gate* const gate = gates_[Stage].get();
      if (gate != nullptr && !inside && !gate->enter(which, mine.number)) return false;
      auto& stage = std::get<Stage>(stages_);
      auto& value = std::get<Stage>(mine.values);
      if constexpr (Stage + 1 == sizeof...(Stages)) {
        stage.function(std::move(*value));
      } else {
        std::get<Stage + 1>(mine.values).emplace(stage.function(std::move(*value)));
      }
      value.reset();
      if (gate != nullptr) {
        if (const std::size_t following = gate->leave(); following != stage_gate::absent) {
          group_.spawn([this, following] {
            guarded([&] {
              if (!carry<Stage>(following, true)) return;
              const std::size_t next = come_home(following);
              if (next != stage_gate::absent) go_round(next);
            });
          });
        }
      }
      return carry<Stage + 1>(which, false);
    }
  }

  task_group& group_;
  Input& input_;
  std::tuple<Stages...>& stages_;
  std::vector<token> tokens_;
  std::array<std::unique_ptr<stage_gate>, sizeof...(Stages)> gates_;
  std::atomic<bool> ended_{false};

  std::mutex mutex_;  // guards what follows
  std::vector<std::size_t> free_;
  bool fetching_ = false;
  bool exhausted_ = false;
  std::uint64_t number_ = 0;
};

template <typename Input, typename... Stages>
wait_status run_pipeline(task_group& group, std::size_t tokens, Input& input,
                         std::tuple<Stages...>& stages) {
  if (tokens == 0) throw std::invalid_argument("parallel_pipeline: 0 tokens; at least 1");
  pipeline_run<Input, Stages...> run(group, tokens, input, stages);
  run.begin();
  return group.wait();
}

}  // namespace detail

/// Carries values through stages. `input()` is called by one worker at a time and gives a
/// std::optional: a value, or nothing when there are no more. Each of the `stages`, made by
/// `parallel`, `serial_in_order` or `serial_out_of_order`, is called with what the one before it
/// gave; what the last one gives is dropped. At most `tokens` values are under way at a time, and
/// nobody blocks: a value that may not go into a serial stage is put aside until that is free, and
/// its worker does something else. Works on one worker as on many.
///
/// Returns when all values have come to the end. Where something throws, nothing more is fetched,
/// values under way go no further, and the first exception is thrown in the end. When a group
/// that the caller's task stands below is stopped, the same happens, and the result is `stopped`:
/// unlike a loop, a pipeline may have no end of its own.
/// Throws evencube::error outside of a runtime's tasks, std::invalid_argument for no tokens,
/// std::bad_alloc.
template <typename Input, typename... Stages>
requires(sizeof...(Stages) != 0) && rule::callable_in_place<Input> wait_status
    parallel_pipeline(std::size_t tokens, Input&& input, Stages... stages) {
  std::tuple<Stages...> all(std::move(stages)...);
  task_group group;
  return detail::run_pipeline(group, tokens, input, all);
}
/// The same as a task of `on`: from any thread. Throws as `runtime::run` does.
template <typename Input, typename... Stages>
requires(sizeof...(Stages) != 0) && rule::callable_in_place<Input> wait_status
    parallel_pipeline(runtime& on, std::size_t tokens, Input&& input, Stages... stages) {
  return on.run([&] { return evencube::parallel_pipeline(tokens, input, std::move(stages)...); });
}

}  // namespace evencube
