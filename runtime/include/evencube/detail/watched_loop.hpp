#pragma once

#include <cstddef>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <evencube/parallel_for.hpp>
#include <evencube/task_group.hpp>

namespace evencube::detail {

/// The exception with which a loop ends when its token requests a stop. Users never see it.
struct loop_stopped {};

/// Throws if the token requests a stop.
inline void ask(const std::stop_token& token) {
  if (token.stop_requested()) throw loop_stopped{};
}

/// The work of a loop that checks a token before every chunk. When a stop is requested, it ends
/// like a loop whose body throws: on all workers within a chunk.
template <typename Work>
struct watched {
  using value = typename Work::value;

  [[nodiscard]] value start(std::size_t i) const {
    detail::ask(token);
    return work.start(i);
  }
  void step(value& sum, std::size_t from, std::size_t n) const {
    detail::ask(token);
    work.step(sum, from, n);
  }
  void step(value& sum, std::size_t i) const {
    detail::ask(token);
    work.step(sum, i);
  }
  void append(value& sum, value&& later) const { work.append(sum, std::move(later)); }
  [[nodiscard]] auto local_copy() const {
    return watched<decltype(work.local_copy())>{work.local_copy(), token, grain};
  }

  Work work;
  const std::stop_token& token;
  std::size_t grain = work.grain;
};

/// Calls `run`, which throws `loop_stopped` when a token requests a stop, and returns which it was.
template <typename Run>
wait_status until_stopped(const Run& run) {
  try {
    run();
  } catch (const loop_stopped&) {
    return wait_status::stopped;
  }
  return wait_status::completed;
}

/// parallel_for over [0, count) with a token.
template <typename Body>
wait_status watched_for(const std::stop_token& token, const char* what, std::size_t count,
                        const Body& body, std::size_t grain) {
  worker& w = detail::worker_here(what);
  if (count == 0) return wait_status::completed;
  using work_type = for_each<std::size_t, const Body&>;
  return detail::until_stopped(
      [&] { detail::run_loop(w, watched<work_type>{{0, body, grain}, token}, count); });
}

/// Folds value_of(i) for [0, count) into `sum`, with a token.
template <typename Value, typename ValueOf, typename Combine>
wait_status watched_fold(const std::stop_token& token, std::size_t count, Value& sum,
                         const ValueOf& value_of, const Combine& combine, std::size_t grain) {
  worker& w = detail::worker_here("parallel_reduce");
  if (count == 0) return wait_status::completed;
  using work_type = watched<fold<std::size_t, Value, const ValueOf&, const Combine&>>;
  return detail::until_stopped([&] {
    const work_type work{{0, value_of, combine, grain}, token};
    first_failure failure;
    range_loop<work_type, worker>(work, 0, count, failure).run(w, sum);
    failure.rethrow();
  });
}

}  // namespace evencube::detail
