#pragma once

#include <exception>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>

#include <evencube/detail/group.hpp>
#include <evencube/detail/sender_task.hpp>

// A library of senders is known by a class with its names, `Library` below. It has these members:
// sender_tag, receiver_tag, operation_state_tag, scheduler_tag
// set_value_t, set_error_t, set_stopped_t
// completion_signatures<S...>, completions_of<Sender, Env...>, env_of<Queryable>
// sender_algorithm<Sender>                    the tag of the algorithm that made a sender, or void
// forwarding_query_t, get_forward_progress_guarantee_t, get_completion_scheduler_t<Tag>,
// get_completion_domain_t<Tag>
// parallel_progress                           the value of the guarantee
// asks_for_scheduler<Query>                   queries for a scheduler of a receiver's environment
// bulk_chunked_t, bulk_unchunked_t, sync_wait_t, default_domain
// runs_in_parallel<Policy>                    of execution policies
// never_stops<Env>                            the environment's stop token is never stopped
// get_env(q), stop_requested(env), connect(sender, receiver), start(operation): functions

namespace evencube::senders::detail {

using evencube::detail::all_workers;
using evencube::detail::group_core;
using evencube::detail::sender_task;
using evencube::detail::waiting_place;

/// Asks a receiver's environment for the waiting place. The environments of algorithms forward it.
template <typename Library>
struct get_waiting_place_t {
  [[nodiscard]] constexpr bool query(typename Library::forwarding_query_t) const noexcept {
    return true;
  }
};

template <typename Library, typename Env>
waiting_place waiting_place_of(const Env& env) noexcept {
  if constexpr (requires { env.query(get_waiting_place_t<Library>{}); }) {
    return env.query(get_waiting_place_t<Library>{});
  } else {
    return {};
  }
}

/// The error `e` as an exception, as `sync_wait` of the standard throws it.
template <typename Error>
std::exception_ptr as_exception(Error&& e) noexcept {
  using plain = std::remove_cvref_t<Error>;
  if constexpr (std::is_same_v<plain, std::exception_ptr>) {
    return static_cast<Error&&>(e);
  } else if constexpr (std::is_same_v<plain, std::error_code>) {
    return std::make_exception_ptr(std::system_error(e));
  } else {
    return std::make_exception_ptr(static_cast<Error&&>(e));
  }
}

// -- Completion signatures -----------------------------------------------------------------------

/// The values of the only `set_value_t(Values...)` among the signatures, as a tuple.
template <typename Library, typename... Tuples>
struct only_values {
  static_assert(sizeof...(Tuples) == 1, "the sender must complete in one way with values");
};
template <typename Library, typename Tuple>
struct only_values<Library, Tuple> {
  using type = Tuple;
};

template <typename Library, typename Signature>
struct values_of_signature {
  using type = void;
};
template <typename Library, typename... Values>
struct values_of_signature<Library, typename Library::set_value_t(Values...)> {
  using type = std::tuple<std::decay_t<Values>...>;
};

template <typename Library, typename Found, typename... Signatures>
struct find_values;
template <typename Library, typename... Found>
struct find_values<Library, std::tuple<Found...>> : only_values<Library, Found...> {};
template <typename Library, typename... Found, typename First, typename... Signatures>
struct find_values<Library, std::tuple<Found...>, First, Signatures...>
    : std::conditional_t<
          std::is_void_v<typename values_of_signature<Library, First>::type>,
          find_values<Library, std::tuple<Found...>, Signatures...>,
          find_values<Library,
                      std::tuple<Found..., typename values_of_signature<Library, First>::type>,
                      Signatures...>> {};

template <typename Library, typename List>
struct values_of_list;
template <typename Library, template <typename...> class List, typename... Signatures>
struct values_of_list<Library, List<Signatures...>>
    : find_values<Library, std::tuple<>, Signatures...> {};

/// The values with which the sender completes in the environment, as a tuple of decayed types.
template <typename Library, typename Sender, typename Env>
using values_of = typename values_of_list<
    Library, std::remove_cvref_t<typename Library::template completions_of<Sender, Env>>>::type;

/// The signatures of the list and `Another`, each once.
template <typename Another, typename List>
struct with_signature;
template <typename Another, template <typename...> class List, typename... Signatures>
struct with_signature<Another, List<Signatures...>> {
  using type = std::conditional_t<(std::is_same_v<Another, Signatures> || ...), List<Signatures...>,
                                  List<Signatures..., Another>>;
};

}  // namespace evencube::senders::detail
