#pragma once

#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>
#include <variant>

#include <evencube/detail/worker.hpp>
#include <evencube/interop/detail/sender_names.hpp>
#include <evencube/parallel_for.hpp>

namespace evencube::senders::detail {

/// The work of a loop whose chunks are calls of call(first, last).
template <typename Call>
struct loop_of_chunks {
  using value = std::monostate;

  [[nodiscard]] value start(std::size_t i) const {
    (*call)(i, i + 1);
    return {};
  }
  void step(value&, std::size_t from, std::size_t n) const { (*call)(from, from + n); }
  void step(value&, std::size_t i) const { (*call)(i, i + 1); }
  void append(value&, value&&) const noexcept {}
  [[nodiscard]] loop_of_chunks local_copy() const { return *this; }

  const Call* call;
  std::size_t grain;
};

/// Calls call(first, last) for chunks that make up [0, count), in parallel if the caller is a
/// worker. A chunk takes some microseconds, so the pieces are not fixed beforehand.
template <typename Call>
void for_chunks(std::size_t count, const Call& call) {
  if (count == 0) return;
  if (evencube::detail::worker* const w = evencube::detail::current_worker) {
    evencube::detail::run_loop(*w, loop_of_chunks<Call>{&call, 0}, count);
  } else {
    call(0, count);
  }
}

/// A sender that runs `bulk_chunked` or `bulk_unchunked` in a loop of the engine, on the worker on
/// which `Child` completes.
template <typename Library, bool Chunked, typename Child, typename Policy, typename Shape,
          typename Function>
class bulk_sender {
  template <typename Receiver>
  struct state {
    template <typename... Values>
    void run(Values&... values) {
      if (shape <= Shape{0}) return;
      const auto call = [&](std::size_t first, std::size_t last) {
        if constexpr (Chunked) {
          function(static_cast<Shape>(first), static_cast<Shape>(last), values...);
        } else {
          for (std::size_t i = first; i < last; ++i) function(static_cast<Shape>(i), values...);
        }
      };
      const auto count = static_cast<std::size_t>(shape);
      if constexpr (Library::template runs_in_parallel<Policy>) {
        for_chunks(count, call);
      } else {
        call(0, count);
      }
    }

    Shape shape;
    Function function;
    Receiver receiver;
  };

  template <typename Receiver>
  struct inner_receiver {
    using receiver_concept = typename Library::receiver_tag;

    template <typename... Values>
    void set_value(Values&&... values) && noexcept {
      state<Receiver>& of = *of_;
      try {
        of.run(values...);
      } catch (...) {
        typename Library::set_error_t{}(std::move(of.receiver), std::current_exception());
        return;
      }
      typename Library::set_value_t{}(std::move(of.receiver), static_cast<Values&&>(values)...);
    }
    template <typename Error>
    void set_error(Error&& e) && noexcept {
      typename Library::set_error_t{}(std::move(of_->receiver), static_cast<Error&&>(e));
    }
    void set_stopped() && noexcept { typename Library::set_stopped_t{}(std::move(of_->receiver)); }
    [[nodiscard]] auto get_env() const noexcept { return Library::get_env(of_->receiver); }

    state<Receiver>* of_;
  };

  template <typename From, typename Receiver>
  class operation {
   public:
    using operation_state_concept = typename Library::operation_state_tag;

    operation(From&& from, Shape shape, Function&& function, Receiver&& receiver)
        : state_{shape, std::move(function), std::move(receiver)},
          inner_(Library::connect(static_cast<From&&>(from), inner_receiver<Receiver>{&state_})) {}
    operation(const operation&) = delete;
    operation& operator=(const operation&) = delete;
    ~operation() = default;

    void start() & noexcept { Library::start(inner_); }

   private:
    state<Receiver> state_;
    decltype(Library::connect(std::declval<From>(),
                              std::declval<inner_receiver<Receiver>>())) inner_;
  };

 public:
  using sender_concept = typename Library::sender_tag;

  bulk_sender(Child child, Shape shape, Function function)
      : child_(std::move(child)), shape_(shape), function_(std::move(function)) {}

  template <typename Self, typename... Env>
  static consteval auto get_completion_signatures() noexcept {
    using child = std::conditional_t<std::is_lvalue_reference_v<Self> || std::is_const_v<Self>,
                                     const Child&, Child>;
    return typename with_signature<
        typename Library::set_error_t(std::exception_ptr),
        std::remove_cvref_t<typename Library::template completions_of<child, Env...>>>::type{};
  }
  [[nodiscard]] auto get_env() const noexcept { return Library::get_env(child_); }

  template <typename Receiver>
  [[nodiscard]] auto connect(Receiver receiver) && {
    return operation<Child, Receiver>(std::move(child_), shape_, std::move(function_),
                                      std::move(receiver));
  }
  template <typename Receiver>
  [[nodiscard]] auto connect(Receiver receiver) const& {
    return operation<const Child&, Receiver>(child_, shape_, Function(function_),
                                             std::move(receiver));
  }

 private:
  Child child_;
  Shape shape_;
  Function function_;
};

}  // namespace evencube::senders::detail
