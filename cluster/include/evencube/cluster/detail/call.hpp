#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <utility>

#include <evencube/cluster/detail/reducer.hpp>
#include <evencube/cluster/detail/saved_state.hpp>
#include <evencube/cluster/detail/serial.hpp>

namespace evencube {

class cluster_context;

namespace detail {

/// The result of a task that returns void.
struct no_result {};

template <typename Result>
using kept_result = std::conditional_t<std::is_void_v<Result>, no_result, Result>;

/// The function that a wait calls with results of one type, together with arguments of one type.
struct result_taker {
  std::type_index argument;
  std::type_index result;
  void* function;
  void (*call)(void* function, const void* argument, void* result);
};

class cluster_call;

/// What the holder of a `cluster_future` gets. The rank's mutex guards it until it is ready.
struct call_future {
  bool ready = false;
  std::unique_ptr<cluster_call> call;  // with the result, unless that came
  message_bytes bytes;                 // of a result that came
  bool came = false;
  std::exception_ptr failure;
};

/// The argument of a task and, when the task has run, its result.
class cluster_call {
 public:
  cluster_call() = default;
  cluster_call(const cluster_call&) = delete;
  cluster_call& operator=(const cluster_call&) = delete;
  virtual ~cluster_call() = default;

  virtual void run(cluster_context& here) = 0;
  virtual void write_argument(byte_writer& out) const = 0;
  virtual void write_result(byte_writer& out) const = 0;
  virtual void read_result(byte_reader& in) = 0;
  /// Calls the taker with the argument and the result if their types match, and returns true if
  /// they do.
  virtual bool give(const result_taker& to) = 0;
  /// Gives the result to the reducer if the reducer takes its type, and returns true if it does.
  virtual bool reduce(result_reducer& into) = 0;
  /// Returns the result, when there is one.
  [[nodiscard]] virtual void* result() = 0;

  /// Gets the result in place of takers, on the rank that spawned the task; null for most tasks.
  std::shared_ptr<call_future> future;
};

/// The name of a type as the compiler writes it, and its size, by which ranks compare their types.
template <typename T>
[[nodiscard]] std::string shown_type() {
  if constexpr (std::is_void_v<T>) {
    return "void";
  } else {
    return std::string(typeid(T).name()) + " (" + std::to_string(sizeof(T)) + " bytes)";
  }
}

/// A registered task: the data that must be equal on all ranks, and a function that reads a call of
/// it.
struct cluster_task_type {
  std::string name;
  /// The types of the argument and the result (`shown_type`).
  std::string signature;
  std::function<std::unique_ptr<cluster_call>(byte_reader&)> read;
  std::type_index argument;
  std::type_index result;
  task_saving saving = {};
};

template <typename Argument, typename Result>
using cluster_function = std::function<Result(cluster_context&, const Argument&)>;

template <typename Argument, typename Result>
class typed_call final : public cluster_call {
 public:
  typed_call(std::shared_ptr<const cluster_function<Argument, Result>> function, Argument argument)
      : function_(std::move(function)), argument_(std::move(argument)) {}

  [[nodiscard]] const Argument& argument() const noexcept { return argument_; }

  void run(cluster_context& here) override {
    if constexpr (std::is_void_v<Result>) {
      (*function_)(here, argument_);
      result_.emplace();
    } else {
      result_.emplace((*function_)(here, argument_));
    }
  }
  void write_argument(byte_writer& out) const override { detail::write_value(out, argument_); }
  void write_result(byte_writer& out) const override {
    if constexpr (!std::is_void_v<Result>) detail::write_value(out, *result_);
  }
  void read_result(byte_reader& in) override {
    if constexpr (std::is_void_v<Result>) {
      result_.emplace();
    } else {
      result_.emplace(detail::read_value<Result>(in));
    }
  }
  bool give(const result_taker& to) override {
    if (to.argument != typeid(Argument) || to.result != typeid(kept_result<Result>)) return false;
    to.call(to.function, &argument_, &*result_);
    return true;
  }
  bool reduce(result_reducer& into) override {
    if (into.type() != typeid(kept_result<Result>)) return false;
    into.add(&*result_);
    return true;
  }
  [[nodiscard]] void* result() override { return &*result_; }

 private:
  const std::shared_ptr<const cluster_function<Argument, Result>> function_;
  const Argument argument_;
  std::optional<kept_result<Result>> result_;
};

/// The argument types of a function that takes results. A generic function has none.
template <typename F>
struct taker_of : taker_of<decltype(&F::operator())> {};
template <typename F, typename A, typename R>
struct taker_of<void (F::*)(A, R)> {
  using argument = std::remove_cvref_t<A>;
  using result = std::remove_cvref_t<R>;
  static constexpr bool has_result = true;
};
template <typename F, typename A, typename R>
struct taker_of<void (F::*)(A, R) const> : taker_of<void (F::*)(A, R)> {};
template <typename F, typename A>
struct taker_of<void (F::*)(A)> {
  using argument = std::remove_cvref_t<A>;
  using result = no_result;
  static constexpr bool has_result = false;
};
template <typename F, typename A>
struct taker_of<void (F::*)(A) const> : taker_of<void (F::*)(A)> {};

template <typename F>
[[nodiscard]] result_taker make_taker(F& function) {
  using types = taker_of<F>;
  return {typeid(typename types::argument), typeid(typename types::result),
          const_cast<void*>(static_cast<const void*>(&function)),
          [](void* f, const void* argument, void* result) {
            auto& call = *static_cast<F*>(f);
            const auto& a = *static_cast<const typename types::argument*>(argument);
            if constexpr (types::has_result) {
              call(a, std::move(*static_cast<typename types::result*>(result)));
            } else {
              call(a);
            }
          }};
}

}  // namespace detail
}  // namespace evencube
