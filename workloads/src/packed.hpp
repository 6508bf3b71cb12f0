#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <evencube/workloads/carried.hpp>

namespace evencube::workloads {

/// Writes values with their representation in memory.
class packer {
 public:
  /// `bytes`: about the number of bytes to come.
  explicit packer(std::size_t bytes = 64) { out_.reserve(bytes); }

  template <typename T>
  void put(const T& value) {
    put_all(std::span<const T>{&value, 1});
  }
  template <typename T>
  void put_all(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    const auto bytes = std::as_bytes(values);
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }

  [[nodiscard]] task_bytes take() noexcept { return std::move(out_); }

 private:
  task_bytes out_;
};

/// Reads what a packer wrote. Throws std::runtime_error if fewer bytes are left.
class unpacker {
 public:
  explicit unpacker(std::span<const std::byte> from) noexcept : left_{from} {}

  template <typename T>
  [[nodiscard]] T get() {
    T value;
    get_all(std::span<T>{&value, 1});
    return value;
  }
  template <typename T>
  void get_all(std::span<T> into) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    if (left_.size() < into.size_bytes()) throw std::runtime_error{"a task's bytes end too early"};
    if (!into.empty()) std::memcpy(into.data(), left_.data(), into.size_bytes());
    left_ = left_.subspan(into.size_bytes());
  }
  /// Takes all values that are left.
  template <typename T>
  [[nodiscard]] std::vector<T> rest() {
    std::vector<T> all(left_.size() / sizeof(T));
    get_all(std::span{all});
    return all;
  }

 private:
  std::span<const std::byte> left_;
};

/// The number of a task in its stage. A task whose work follows from the options carries nothing
/// else.
struct carried_part {
  std::uint64_t stage;
  std::uint64_t index;
};

/// A run whose tasks are numbered. Each stage has a fixed number of tasks.
class numbered_run final : public carried_run {
 public:
  using maker = std::function<carried_task(const carried_part& part)>;
  using taker = std::function<void(std::span<const std::byte> result)>;

  numbered_run(std::vector<std::size_t> tasks, maker make, taker take, std::function<void()> end)
      : tasks_{std::move(tasks)},
        make_{std::move(make)},
        take_{std::move(take)},
        end_{std::move(end)} {}

  [[nodiscard]] std::optional<carried_task> next() override {
    if (next_.index == tasks_.at(next_.stage)) {
      next_ = {next_.stage + 1, 0};
      return std::nullopt;
    }
    const carried_part part = next_;
    ++next_.index;
    return make_(part);
  }
  void take(std::span<const std::byte> result) override { take_(result); }
  void end() override { end_(); }

 private:
  std::vector<std::size_t> tasks_;
  maker make_;
  taker take_;
  std::function<void()> end_;
  carried_part next_{0, 0};
};

}  // namespace evencube::workloads
