#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <evencube/fork_join.hpp>

namespace evencube {

struct loop_options {
  /// How many iterations run in one go before the loop looks whether others want a part of it. 0:
  /// found while running, so that a chunk takes some ten microseconds.
  std::size_t grain = 0;
};

namespace detail {

unsigned worker_count(const worker& w) noexcept;

/// The loop over one piece: chunk after chunk, giving away half of what is left whenever another
/// worker asks (Tzannes et al. 2010 call this lazy binary splitting).
template <typename Index, typename Body>
class piece_loop {
 public:
  piece_loop(worker& w, const Body& body, std::size_t grain) noexcept
      : worker_(&w), body_(&body), grain_(grain) {}

  /// Halves [first, last) down to `piece` iterations, so that there is something to take from the
  /// beginning; then loops.
  void run(Index first, std::size_t count, std::size_t piece) const {
    if (count > piece && count > grain_ && count > 1) {
      split(first, count, piece);
    } else {
      loop(first, count, piece);
    }
  }

 private:
  using clock = std::chrono::steady_clock;

  void split(Index first, std::size_t count, std::size_t piece) const {
    const std::size_t left = count - count / 2;
    fork_join([&] { run(first, left, piece); },
              [this, first, left, count, piece] {
                // The other half may run on another worker.
                piece_loop(*worker::current(), *body_, grain_)
                    .run(advance(first, left), count - left, piece);
              });
  }

  void loop(Index first, std::size_t count, std::size_t piece) const {
    std::size_t chunk = grain_ != 0 ? grain_ : 1;
    while (count > 0) {
      const std::size_t n = chunk < count ? chunk : count;
      const auto began = grain_ == 0 && count > n ? clock::now() : clock::time_point{};
      for (std::size_t i = 0; i < n; ++i) (*body_)(advance(first, i));
      first = advance(first, n);
      count -= n;
      if (count == 0) return;
      if (grain_ == 0 && clock::now() - began < aim) chunk *= 2;
      if (count > chunk && worker_->wanted()) {
        split(first, count, piece < count / 2 ? piece : count - count / 2);
        return;
      }
    }
  }

  static Index advance(Index from, std::size_t by) noexcept {
    return static_cast<Index>(from + static_cast<Index>(by));
  }

  static constexpr std::chrono::microseconds aim{5};

  worker* worker_;
  const Body* body_;
  std::size_t grain_;
};

}  // namespace detail

/// Calls `body(i)` for every i in [first, last), in parallel, each exactly once, and returns when
/// all have ended. An empty or reversed range is a no-op. The body is shared by the workers and
/// called concurrently. If calls throw, one of the exceptions is thrown after all calls that began
/// have ended; the others may not happen.
/// Throws evencube::error outside of a runtime's tasks.
template <std::integral First, std::integral Last, typename Body>
void parallel_for(First first, Last last, const Body& body, const loop_options& options = {}) {
  using index = std::common_type_t<First, Last>;
  detail::worker* const w = detail::worker::current();
  if (w == nullptr) detail::throw_outside("parallel_for");
  const auto begin = static_cast<index>(first);
  const auto end = static_cast<index>(last);
  if (!(begin < end)) return;
  const std::size_t count = static_cast<std::size_t>(end) - static_cast<std::size_t>(begin);
  const unsigned workers = detail::worker_count(*w);
  const std::size_t pieces = workers == 1 ? 1 : std::size_t{workers} * 8;
  detail::piece_loop<index, Body>(*w, body, options.grain).run(begin, count, count / pieces + 1);
}

}  // namespace evencube
