#pragma once

#include <mutex>
#include <typeindex>
#include <typeinfo>
#include <utility>

#include <evencube/cluster/detail/bytes.hpp>
#include <evencube/cluster/detail/serial.hpp>

namespace evencube::detail {

/// Takes the results of a group's tasks on the rank on which they ran. Any thread may call it.
class result_reducer {
 public:
  explicit result_reducer(std::type_index type) noexcept : type_(type) {}
  result_reducer(const result_reducer&) = delete;
  result_reducer& operator=(const result_reducer&) = delete;
  virtual ~result_reducer() = default;

  /// The type of the results that it takes.
  [[nodiscard]] std::type_index type() const noexcept { return type_; }
  /// Takes an object of this type.
  virtual void add(void* result) = 0;
  /// Appends the combination of the results so far.
  virtual void write(byte_writer& out) = 0;
  /// Takes what another reducer of this type has written.
  virtual void add_written(byte_reader& in) = 0;

 private:
  const std::type_index type_;
};

/// Combines results into one value.
template <typename T, typename Combine>
class combining_reducer final : public result_reducer {
 public:
  combining_reducer(T identity, Combine by)
      : result_reducer(typeid(T)), value_(std::move(identity)), combine_(std::move(by)) {}

  void add(void* result) override {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    value_ = combine_(std::move(value_), std::move(*static_cast<T*>(result)));
  }
  void write(byte_writer& out) override {
    const std::lock_guard lock(mutex_);
    write_value(out, value_);
  }
  void add_written(byte_reader& in) override {
    T value = read_value<T>(in);
    add(&value);
  }
  /// Combines nothing from now on; waits for a running call of `add`.
  void close() noexcept {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  /// Returns the combination of the results so far. No other call may be running.
  [[nodiscard]] T& value() noexcept { return value_; }
  [[nodiscard]] T combine(T a, T b) { return combine_(std::move(a), std::move(b)); }

 private:
  std::mutex mutex_;
  T value_;
  Combine combine_;
  bool closed_ = false;
};

}  // namespace evencube::detail
