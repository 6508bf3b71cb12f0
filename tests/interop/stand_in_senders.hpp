#pragma once

#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <evencube/interop/std_execution.hpp>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

// A library of senders that is just large enough for the scheduler's tests, with the shapes of
// std::execution.

namespace stand_in {

struct sender_tag {};
struct receiver_tag {};
struct operation_state_tag {};
struct scheduler_tag {};

struct set_value_t {
  template <typename Receiver, typename... Values>
  void operator()(Receiver&& receiver, Values&&... values) const noexcept {
    static_cast<Receiver&&>(receiver).set_value(static_cast<Values&&>(values)...);
  }
};
struct set_error_t {
  template <typename Receiver, typename Error>
  void operator()(Receiver&& receiver, Error&& error) const noexcept {
    static_cast<Receiver&&>(receiver).set_error(static_cast<Error&&>(error));
  }
};
struct set_stopped_t {
  template <typename Receiver>
  void operator()(Receiver&& receiver) const noexcept {
    static_cast<Receiver&&>(receiver).set_stopped();
  }
};

template <typename... Signatures>
struct completion_signatures {};
template <typename Sender, typename... Env>
using completion_signatures_of =
    decltype(std::remove_cvref_t<Sender>::template get_completion_signatures<Sender, Env...>());

// -- Environments --------------------------------------------------------------------------------

struct forwarding_query_t {};
struct get_forward_progress_guarantee_t {};
enum class forward_progress_guarantee { concurrent, parallel, weakly_parallel };
template <typename Tag>
struct get_completion_scheduler_t {};
template <typename Tag>
struct get_completion_domain_t {};
struct get_scheduler_t {};
struct get_stop_token_t {};
struct empty_env {};

template <typename Queryable>
auto get_env(const Queryable& of) noexcept {
  if constexpr (requires { of.get_env(); }) {
    return of.get_env();
  } else {
    return empty_env{};
  }
}
template <typename Queryable>
using env_of = decltype(stand_in::get_env(std::declval<const Queryable&>()));
template <typename Env>
concept has_stop_token = requires(const Env& env) { env.query(get_stop_token_t{}); };

// -- Domains -------------------------------------------------------------------------------------

struct default_domain {
  template <typename Tag, typename Sender>
  auto apply_sender(Tag tag, Sender&& sender) const {
    return tag.apply_sender(static_cast<Sender&&>(sender));
  }
};
template <typename Sender>
auto domain_of(const Sender& of) noexcept {
  using query = get_completion_domain_t<set_value_t>;
  if constexpr (requires { stand_in::get_env(of).query(query{}); }) {
    return stand_in::get_env(of).query(query{});
  } else {
    return default_domain{};
  }
}

template <typename Sender, typename Receiver>
auto connect(Sender&& sender, Receiver&& receiver) {
  const auto domain = stand_in::domain_of(sender);
  const auto env = stand_in::get_env(receiver);
  if constexpr (requires {
                  domain.transform_sender(set_value_t{}, static_cast<Sender&&>(sender), env);
                }) {
    return domain.transform_sender(set_value_t{}, static_cast<Sender&&>(sender), env)
        .connect(static_cast<Receiver&&>(receiver));
  } else {
    return static_cast<Sender&&>(sender).connect(static_cast<Receiver&&>(receiver));
  }
}

// -- Algorithms ----------------------------------------------------------------------------------

struct parallel_policy {};
struct sequenced_policy {};
inline constexpr parallel_policy par{};
inline constexpr sequenced_policy seq{};

template <typename Policy, typename Shape, typename Function>
struct bulk_data {
  Policy policy;
  Shape shape;
  Function function;
};

/// A sender of an algorithm without an implementation of its own: a domain transforms it.
template <typename Tag, typename Data, typename Child>
struct algorithm_sender {
  using sender_concept = sender_tag;
  template <typename Self, typename... Env>
  static consteval auto get_completion_signatures() noexcept {
    return completion_signatures_of<Child, Env...>{};
  }
  [[nodiscard]] auto get_env() const noexcept { return stand_in::get_env(child); }

  [[no_unique_address]] Tag tag;
  Data data;
  Child child;
};
template <typename Sender>
struct algorithm_of {
  using type = void;
};
template <typename Tag, typename Data, typename Child>
struct algorithm_of<algorithm_sender<Tag, Data, Child>> {
  using type = Tag;
};

template <bool Chunked>
struct bulk_algorithm {
  template <typename Child, typename Policy, typename Shape, typename Function>
  auto operator()(Child child, Policy policy, Shape shape, Function function) const {
    using data = bulk_data<Policy, Shape, Function>;
    return algorithm_sender<bulk_algorithm, data, Child>{
        *this, data{policy, shape, std::move(function)}, std::move(child)};
  }
};
using bulk_chunked_t = bulk_algorithm<true>;
using bulk_unchunked_t = bulk_algorithm<false>;
inline constexpr bulk_chunked_t bulk_chunked{};
inline constexpr bulk_unchunked_t bulk_unchunked{};

/// Calls function() with the values of the child, and completes with what it returns, an int.
template <typename Child, typename Function>
class then_sender {
  template <typename Receiver>
  struct inner {
    using receiver_concept = receiver_tag;
    template <typename... Values>
    void set_value(Values&&... values) && noexcept {
      std::optional<int> result;
      try {
        result = function(static_cast<Values&&>(values)...);
      } catch (...) {
        set_error_t{}(std::move(receiver), std::current_exception());
        return;
      }
      set_value_t{}(std::move(receiver), *result);
    }
    template <typename Error>
    void set_error(Error&& error) && noexcept {
      set_error_t{}(std::move(receiver), static_cast<Error&&>(error));
    }
    void set_stopped() && noexcept { set_stopped_t{}(std::move(receiver)); }
    [[nodiscard]] auto get_env() const noexcept { return stand_in::get_env(receiver); }
    Receiver receiver;
    Function function;
  };

 public:
  using sender_concept = sender_tag;
  then_sender(Child child, Function function)
      : child_(std::move(child)), function_(std::move(function)) {}
  template <typename Self, typename... Env>
  static consteval auto get_completion_signatures() noexcept {
    return completion_signatures<set_value_t(int), set_error_t(std::exception_ptr),
                                 set_stopped_t()>{};
  }
  [[nodiscard]] auto get_env() const noexcept { return stand_in::get_env(child_); }
  template <typename Receiver>
  auto connect(Receiver receiver) const {
    return stand_in::connect(child_, inner<Receiver>{std::move(receiver), function_});
  }

 private:
  Child child_;
  Function function_;
};
template <typename Child, typename Function>
auto then(Child child, Function function) {
  return then_sender<Child, Function>(std::move(child), std::move(function));
}

/// Waits on a condition variable, as a library does that does not know the scheduler's threads.
struct sync_wait_t {
  struct env {};
  struct state {
    std::mutex lock;
    std::condition_variable changed;
    bool ended = false;
    std::exception_ptr failure;

    void end() {
      const std::lock_guard guard(lock);
      ended = true;
      changed.notify_one();
    }
  };
  template <typename Values>
  struct receiver {
    using receiver_concept = receiver_tag;
    template <typename... Given>
    void set_value(Given&&... given) && noexcept {
      values->emplace(static_cast<Given&&>(given)...);
      of->end();
    }
    void set_error(std::exception_ptr e) && noexcept {
      of->failure = std::move(e);
      of->end();
    }
    void set_stopped() && noexcept { of->end(); }
    [[nodiscard]] env get_env() const noexcept { return {}; }
    state* of;
    std::optional<Values>* values;
  };

  template <typename Sender>
  auto operator()(Sender&& sender) const {
    return stand_in::domain_of(sender).apply_sender(*this, static_cast<Sender&&>(sender));
  }
  template <typename Sender>
  auto apply_sender(Sender&& sender) const;
};
inline constexpr sync_wait_t sync_wait{};

// -- The names -----------------------------------------------------------------------------------

struct names {
  using sender_tag = stand_in::sender_tag;
  using receiver_tag = stand_in::receiver_tag;
  using operation_state_tag = stand_in::operation_state_tag;
  using scheduler_tag = stand_in::scheduler_tag;
  using set_value_t = stand_in::set_value_t;
  using set_error_t = stand_in::set_error_t;
  using set_stopped_t = stand_in::set_stopped_t;
  template <typename... Signatures>
  using completion_signatures = stand_in::completion_signatures<Signatures...>;
  template <typename Sender, typename... Env>
  using completions_of = completion_signatures_of<Sender, Env...>;
  template <typename Queryable>
  using env_of = stand_in::env_of<Queryable>;
  template <typename Sender>
  using sender_algorithm = typename algorithm_of<std::remove_cvref_t<Sender>>::type;
  using forwarding_query_t = stand_in::forwarding_query_t;
  using get_forward_progress_guarantee_t = stand_in::get_forward_progress_guarantee_t;
  static constexpr auto parallel_progress = forward_progress_guarantee::parallel;
  template <typename Tag>
  using get_completion_scheduler_t = stand_in::get_completion_scheduler_t<Tag>;
  template <typename Tag>
  using get_completion_domain_t = stand_in::get_completion_domain_t<Tag>;
  template <typename Query>
  static constexpr bool asks_for_scheduler = std::is_same_v<Query, get_scheduler_t>;
  using bulk_chunked_t = stand_in::bulk_chunked_t;
  using bulk_unchunked_t = stand_in::bulk_unchunked_t;
  using sync_wait_t = stand_in::sync_wait_t;
  using default_domain = stand_in::default_domain;
  template <typename Policy>
  static constexpr bool runs_in_parallel = std::is_same_v<Policy, parallel_policy>;
  template <typename Env>
  static constexpr bool never_stops = !has_stop_token<Env>;

  template <typename Queryable>
  static auto get_env(const Queryable& of) noexcept {
    return stand_in::get_env(of);
  }
  template <typename Env>
  static bool stop_requested(const Env& env) noexcept {
    return env.query(get_stop_token_t{}).stop_requested();
  }
  template <typename Sender, typename Receiver>
  static auto connect(Sender&& sender, Receiver&& receiver) {
    return stand_in::connect(static_cast<Sender&&>(sender), static_cast<Receiver&&>(receiver));
  }
  template <typename Operation>
  static void start(Operation& operation) noexcept {
    operation.start();
  }
};

template <typename Sender>
auto sync_wait_t::apply_sender(Sender&& sender) const {
  using values_type = evencube::senders::detail::values_of<names, Sender, env>;
  state here;
  std::optional<values_type> values;
  auto operation =
      stand_in::connect(static_cast<Sender&&>(sender), receiver<values_type>{&here, &values});
  operation.start();
  std::unique_lock guard(here.lock);
  here.changed.wait(guard, [&] { return here.ended; });
  if (here.failure != nullptr) std::rethrow_exception(here.failure);
  return values;
}

using scheduler = evencube::senders::scheduler<names>;

}  // namespace stand_in

template <>
struct evencube::detail::senders_with_tag<stand_in::sender_tag> {
  template <typename Sender>
  using awaiter = evencube::senders::detail::sender_awaiter<stand_in::names, Sender>;
};
