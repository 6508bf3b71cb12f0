#pragma once

#include <atomic>
#include <coroutine>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <evencube/detail/coroutine_loop.hpp>
#include <evencube/error.hpp>
#include <evencube/interop/detail/sender_names.hpp>
#include <evencube/interop/detail/sender_waiting.hpp>

namespace evencube::senders::detail {

/// Starts the operation of a sender when a coroutine awaits it. The coroutine resumes where the
/// operation completes. Tasks that the operation queues in the coroutine's runtime are parts of the
/// coroutine, so a wait for the coroutine runs them.
template <typename Library, typename Sender>
class sender_awaiter {
  struct environment {
    template <typename Query>
      requires Library::template
    asks_for_scheduler<Query> [[nodiscard]] senders::scheduler<Library> query(
        Query) const noexcept {
      return senders::scheduler<Library>(of->runs_on_);
    }
    [[nodiscard]] waiting_place query(get_waiting_place_t<Library>) const noexcept {
      return {nullptr, of->waiter_.root()};
    }
    const sender_awaiter* of;
  };

 public:
  using values_type = values_of<Library, Sender, environment>;

  explicit sender_awaiter(Sender&& sender)
      : operation_(Library::connect(static_cast<Sender&&>(sender), receiver{this})) {}
  sender_awaiter(const sender_awaiter&) = delete;
  sender_awaiter& operator=(const sender_awaiter&) = delete;
  ~sender_awaiter() = default;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <typename Promise>
  bool await_suspend(std::coroutine_handle<Promise> self) noexcept {
    waiter_ = evencube::detail::resumption(self);
    if (const auto* const root = waiter_.root()) {
      runs_on_ = root->workers;
    } else if (const auto* const by = evencube::detail::current_worker) {
      runs_on_ = &by->workers();
    }
    Library::start(operation_);
    // Acquire: pairs with the release of the thread on which the operation has completed. Release:
    // pairs with the acquire there, which then resumes the coroutine.
    return !met_.exchange(true, std::memory_order_acq_rel);
  }
  decltype(auto) await_resume() {
    if (failure_ != nullptr) std::rethrow_exception(std::move(failure_));
    if (!values_.has_value()) throw error("co_await: the awaited operation was stopped");
    return give_back(std::move(*values_));
  }

 private:
  struct receiver {
    using receiver_concept = typename Library::receiver_tag;

    template <typename... Given>
    void set_value(Given&&... given) && noexcept {
      try {
        of->values_.emplace(static_cast<Given&&>(given)...);
      } catch (...) {
        of->failure_ = std::current_exception();
      }
      of->complete();
    }
    template <typename Error>
    void set_error(Error&& e) && noexcept {
      of->failure_ = detail::as_exception(static_cast<Error&&>(e));
      of->complete();
    }
    void set_stopped() && noexcept { of->complete(); }
    [[nodiscard]] environment get_env() const noexcept { return {of}; }

    sender_awaiter* of;
  };

  static void give_back(std::tuple<>&&) noexcept {}
  template <typename Value>
  static Value give_back(std::tuple<Value>&& values) {
    return std::get<0>(std::move(values));
  }
  template <typename First, typename Second, typename... More>
  static std::tuple<First, Second, More...> give_back(std::tuple<First, Second, More...>&& values) {
    return std::move(values);
  }

  void complete() noexcept {
    // As in `await_suspend`: of the two, the second goes on with the coroutine.
    if (met_.exchange(true, std::memory_order_acq_rel)) waiter_.resume();
  }

  evencube::detail::resumption waiter_;
  all_workers* runs_on_ = nullptr;  // null outside of tasks: then its scheduler gives errors
  std::atomic<bool> met_{false};
  std::exception_ptr failure_;
  std::optional<values_type> values_;
  decltype(Library::connect(std::declval<Sender>(), std::declval<receiver>())) operation_;
};

}  // namespace evencube::senders::detail
