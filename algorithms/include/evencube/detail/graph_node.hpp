#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace evencube::detail {

/// An edge from one node to another.
struct graph_edge {
  static constexpr std::int64_t always = -1;
  /// The result of a node that was skipped: none of its edges is taken.
  static constexpr std::int64_t skipped = -2;
  /// The result of a node whose number no edge can require.
  static constexpr std::int64_t none = -3;
  /// The choice of an edge along which a value goes.
  static constexpr std::int64_t value = -4;

  std::uint32_t from;
  std::uint32_t to;
  /// The number that `from` must give for the edge to be taken. `always` and `value` require none.
  std::int64_t choice;
  /// For a value: which argument of `to` it is, from 0 on.
  std::uint32_t argument = 0;

  [[nodiscard]] bool conditional() const noexcept { return choice >= 0; }
};

/// Converts a condition to a number. Throws std::invalid_argument if the number cannot be chosen.
template <typename Choice>
std::int64_t choice_of(Choice choice) {
  if constexpr (std::is_enum_v<Choice>) {
    return detail::choice_of(static_cast<std::underlying_type_t<Choice>>(choice));
  } else {
    const auto number = static_cast<std::int64_t>(choice);  // negative if it is too large
    if (number < 0) {
      throw std::invalid_argument("task_graph: the choice " + std::to_string(choice) +
                                  " is not allowed; at least 0, at most 2^63 - 1");
    }
    return number;
  }
}

/// The values of one run: one block of memory for all of them, and for each value a flag, true once
/// the value has been made.
struct graph_values {
  std::byte* memory = nullptr;
  bool* made = nullptr;
};

/// The function of a node. All runs share it; its results belong to the run.
class graph_callable {
 public:
  graph_callable() = default;
  graph_callable(const graph_callable&) = delete;
  graph_callable& operator=(const graph_callable&) = delete;
  virtual ~graph_callable() = default;

  /// Calls the function and returns the number that it chose, or one of the constants of
  /// `graph_edge`.
  virtual std::int64_t call(const graph_values& values) = 0;
  /// Destroys the value of this run, which is not needed any more.
  virtual void destroy(const graph_values& values) noexcept = 0;
  [[nodiscard]] virtual std::size_t value_size() const noexcept = 0;
  [[nodiscard]] virtual std::size_t value_alignment() const noexcept = 0;

  /// The number of arguments made of the value. If it is 0, the value is not kept.
  std::uint32_t uses = 0;
  /// True if the one argument made of the value may change it.
  bool taken = false;
  /// The place of the value in the memory of a run, and the number of its flag.
  std::size_t offset = 0;
  std::uint32_t flag = 0;
};

/// A function that returns a T, an object or void.
template <typename T>
class graph_giver : public graph_callable {
 public:
  [[nodiscard]] T& value(const graph_values& values) const noexcept {
    return *std::launder(static_cast<T*>(static_cast<void*>(values.memory + offset)));
  }
  void destroy(const graph_values& values) noexcept final {
    if (!values.made[flag]) return;
    values.made[flag] = false;
    value(values).~T();
  }
  [[nodiscard]] std::size_t value_size() const noexcept final { return sizeof(T); }
  [[nodiscard]] std::size_t value_alignment() const noexcept final { return alignof(T); }

 protected:
  /// Calls the function, keeps the value if it is used, and returns the number behind it.
  template <typename Call>
  std::int64_t keep(const graph_values& values, const Call& call) const {
    if (uses == 0) {
      const T given = call();
      return number_behind(given);
    }
    T* const given = ::new (static_cast<void*>(values.memory + offset)) T(call());
    values.made[flag] = true;
    return number_behind(*given);
  }

 private:
  static std::int64_t number_behind([[maybe_unused]] const T& given) noexcept {
    if constexpr (std::is_enum_v<T> || std::integral<T>) {
      const auto number = static_cast<std::int64_t>(given);  // negative if it is too large
      return number < 0 ? graph_edge::none : number;
    } else {
      return graph_edge::none;
    }
  }
};

template <>
class graph_giver<void> : public graph_callable {
 public:
  void destroy(const graph_values& /*values*/) noexcept final {}
  [[nodiscard]] std::size_t value_size() const noexcept final { return 0; }
  [[nodiscard]] std::size_t value_alignment() const noexcept final { return 1; }

 protected:
  template <typename Call>
  std::int64_t keep(const graph_values& /*values*/, const Call& call) const {
    call();
    return graph_edge::none;
  }
};

/// The value of a node as an argument of another one: shared by all functions that use it, or taken
/// by one.
template <typename T, bool Taken>
struct graph_argument {
  using type = std::conditional_t<Taken, T&&, const T&>;
  static constexpr bool taken = Taken;

  [[nodiscard]] type get(const graph_values& values) const noexcept {
    return static_cast<type>(from->value(values));
  }

  graph_giver<T>* from;
  const void* graph;
  std::uint32_t number;
};

/// The function of a node, and the nodes from which its arguments come.
template <typename F, typename T, typename... Arguments>
class graph_call final : public graph_giver<T> {
 public:
  template <typename G>
  explicit graph_call(G&& function, const std::tuple<Arguments...>& arguments)
      : function_(std::forward<G>(function)), arguments_(arguments) {}

  std::int64_t call(const graph_values& values) override {
    return this->keep(values, [&]() -> T {
      return std::apply(
          [&](const Arguments&... arguments) -> T { return function_(arguments.get(values)...); },
          arguments_);
    });
  }

 private:
  F function_;
  [[no_unique_address]] std::tuple<Arguments...> arguments_;
};

}  // namespace evencube::detail
