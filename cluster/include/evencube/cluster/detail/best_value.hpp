#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include <evencube/cluster/detail/saved_state.hpp>
#include <evencube/cluster/detail/serial.hpp>

namespace evencube::detail {

/// A value on its way to other ranks, with the rank that found it.
template <typename T, bool AsItIs = is_sent_as_it_is<T>>
struct found_value {
  T value{};
  std::uint32_t by = 0;
};
template <typename T>
struct found_value<T, false> {
  T value{};
  std::uint32_t by = 0;

  template <typename Archive>
  void save(Archive& archive) const {
    archive(by);
    save_value(archive, value);
  }
  template <typename Archive>
  void load(Archive& archive) {
    archive(by);
    load_value(archive, value);
  }
};

/// The best value that a rank knows, with the rank that found it. Any thread may call it.
template <typename T, typename Better>
class best_value {
 public:
  best_value(T initial, Better better)
      : better_(std::move(better)), value_(std::move(initial)), shown_(value_) {}

  [[nodiscard]] T get() const {
    if constexpr (shows) {
      // Relaxed: the value stands for itself, and an older one is only worse.
      return shown_.load(std::memory_order_relaxed);
    } else {
      const std::lock_guard lock(mutex_);
      return value_;
    }
  }
  /// Takes a value that this rank found, if it is better than the known one.
  bool find(const T& value, std::uint32_t by) {
    if constexpr (shows) {
      if (!better_(value, get())) return false;
    }
    const std::lock_guard lock(mutex_);
    if (!better_(value, value_)) return false;
    put(value, by);
    return true;
  }
  /// Takes a value that has come, if it is better than the known one, or as good and of a lower
  /// rank. So among all values that are sent, one is better than each of the others.
  bool learn(const found_value<T>& come) {
    const std::lock_guard lock(mutex_);
    const bool worse = better_(value_, come.value);
    if (worse || (!better_(come.value, value_) && come.by >= by_)) return false;
    put(come.value, come.by);
    return true;
  }
  /// The value, with the rank that found it.
  [[nodiscard]] found_value<T> best() const {
    const std::lock_guard lock(mutex_);
    return {value_, by_};
  }
  void reset(const T& value) {
    const std::lock_guard lock(mutex_);
    put(value, nobody);
  }

 private:
  static constexpr std::uint32_t nobody = (std::numeric_limits<std::uint32_t>::max)();
  // True if `get` needs no lock.
  static constexpr bool shows = [] {
    if constexpr (std::is_trivially_copyable_v<T>) {
      return std::atomic<T>::is_always_lock_free;
    } else {
      return false;
    }
  }();
  struct nothing {
    explicit nothing(const T& /*value*/) noexcept {}
  };

  void put(const T& value, std::uint32_t by) {
    value_ = value;
    by_ = by;
    if constexpr (shows) shown_.store(value, std::memory_order_relaxed);
  }

  mutable std::mutex mutex_;  // guards all but `shown_`
  Better better_;
  T value_;
  std::uint32_t by_ = nobody;
  [[no_unique_address]] std::conditional_t<shows, std::atomic<T>, nothing> shown_;
};

/// The value of a bound, as checkpoints contain it.
template <typename T, typename Better>
class saved_bound final : public saved_state {
 public:
  explicit saved_bound(std::shared_ptr<best_value<T, Better>> of) : of_(std::move(of)) {}

  void write(byte_writer& out) const override { write_value(out, of_->best()); }
  void require_empty() const override {}  // the better value counts
  void read(byte_reader& in, bool /*own*/) override {
    read_.push_back(read_value<found_value<T>>(in));
  }
  void settle(bool all_read) override {
    if (all_read) {
      for (const found_value<T>& each : read_) of_->learn(each);
    }
    read_.clear();
  }
  [[nodiscard]] message_bytes shared() const override {
    byte_writer out;
    write(out);
    return out.take();
  }
  void learn(const std::vector<message_bytes>& of_ranks) override {
    for (const message_bytes& each : of_ranks) {
      byte_reader in(each);
      of_->learn(read_value<found_value<T>>(in));
    }
  }

 private:
  const std::shared_ptr<best_value<T, Better>> of_;
  std::vector<found_value<T>> read_;
};

}  // namespace evencube::detail
