#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <evencube/detail/elements.hpp>
#include <evencube/parallel_for.hpp>

namespace evencube::detail {

/// A scan in blocks. A worker that begins a block whose predecessor's sum is known writes the
/// results at once. Otherwise it only sums the block up, and the results are written in a second
/// pass.
template <typename Value, bool Inclusive, typename Iterator, typename Output, typename Combine>
class block_scan {
 public:
  block_scan(Iterator first, std::size_t count, Output out, std::optional<Value> init,
             const Combine& combine)
      : first_(first),
        out_(out),
        init_(std::move(init)),
        combine_(combine),
        in_(count, 0, most, least),
        sums_(in_.number()),
        written_(in_.number()) {}

  void run() {
    detail::for_each_block(in_.number(), [this](std::size_t b) { begin(b); });
    std::size_t next = 0;
    // Relaxed, because the loop has ended.
    while (next < in_.number() && written_[next].load(std::memory_order_relaxed)) ++next;
    if (next == in_.number()) return;  // at least 1, because the first block is always written
    for (std::size_t b = next; b + 1 < in_.number(); ++b) {
      // Made first, because `combine` may return a reference to the value that is replaced.
      Value sum = std::invoke(combine_, Value(*sums_[b - 1]), std::move(*sums_[b]));
      sums_[b].emplace(std::move(sum));
    }
    detail::for_each_block(in_.number() - next, [&](std::size_t i) {
      static_cast<void>(write(next + i, sums_[next + i - 1]));
    });
  }

 private:
  /// The maximum number of blocks: few, so that sums may be expensive, but enough for sixteen
  /// workers to share them well.
  static constexpr std::size_t most = 512;
  /// The minimum length of a block. Shorter blocks are not worth the sums that are kept for them.
  static constexpr std::size_t least = 16;

  void begin(std::size_t b) {
    // Acquire: pairs with the release below, so that the sum is visible.
    if (b == 0 || written_[b - 1].load(std::memory_order_acquire)) {
      sums_[b].emplace(write(b, b == 0 ? init_ : sums_[b - 1]));
      written_[b].store(true, std::memory_order_release);
    } else if (b + 1 < in_.number()) {
      sums_[b].emplace(sum(b));
    }
  }

  [[nodiscard]] Value element(std::size_t i) const { return detail::element(first_, i); }

  [[nodiscard]] Value sum(std::size_t b) const {
    const std::size_t last = in_.last(b);
    Value all = element(in_.first(b));
    for (std::size_t i = in_.first(b) + 1; i < last; ++i) {
      all = std::invoke(combine_, std::move(all), element(i));
    }
    return all;
  }

  /// Writes the results of block `b`, which begin with the sum of all elements `before` it, and
  /// returns the last sum.
  Value write(std::size_t b, const std::optional<Value>& before) const {
    std::size_t i = in_.first(b);
    const std::size_t last = in_.last(b);
    if constexpr (Inclusive) {
      Value all = before ? Value(std::invoke(combine_, Value(*before), element(i))) : element(i);
      detail::element(out_, i) = std::as_const(all);
      for (++i; i < last; ++i) {
        all = std::invoke(combine_, std::move(all), element(i));
        detail::element(out_, i) = std::as_const(all);
      }
      return all;
    } else {
      Value all = *before;
      for (; i < last; ++i) {
        Value here = element(i);  // before the element is overwritten
        detail::element(out_, i) = std::as_const(all);
        all = std::invoke(combine_, std::move(all), std::move(here));
      }
      return all;
    }
  }

  Iterator first_;
  Output out_;
  std::optional<Value> init_;
  const Combine& combine_;
  blocks in_;
  std::vector<std::optional<Value>> sums_;  // the sum of a block; later the sum of everything up to
                                            // its end
  std::vector<std::atomic<bool>> written_;
};

template <bool Inclusive, typename Value, typename Iterator, typename Sentinel, typename Output,
          typename Combine>
Output scan(const Iterator& first, const Sentinel& last, const Output& out,
            std::optional<Value> init, const Combine& combine) {
  static_cast<void>(detail::worker_here("parallel_scan"));
  const std::size_t count = detail::distance(first, last);
  if (count != 0) {
    block_scan<Value, Inclusive, Iterator, Output, Combine>(first, count, out, std::move(init),
                                                            combine)
        .run();
  }
  return detail::advanced(out, count);
}

}  // namespace evencube::detail
