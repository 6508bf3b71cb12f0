#pragma once

#include <beman/execution/execution.hpp>
#include <type_traits>
#include <utility>

#include <evencube/detail/awaiting.hpp>
#include <evencube/interop/std_execution.hpp>

// For programs that use beman.execution.

namespace evencube {

namespace senders {

/// The names of beman.execution, for the templates of <evencube/interop/std_execution.hpp>.
struct beman_names {
  /// @cond internal
 private:
  template <typename Sender>
  static constexpr auto algorithm_of() {
    if constexpr (requires { typename ::beman::execution::tag_of_t<Sender>; }) {
      return std::type_identity<::beman::execution::tag_of_t<Sender>>{};
    } else {
      return std::type_identity<void>{};
    }
  }

 public:
  using sender_tag = ::beman::execution::sender_tag;
  using receiver_tag = ::beman::execution::receiver_tag;
  using operation_state_tag = ::beman::execution::operation_state_tag;
  using scheduler_tag = ::beman::execution::scheduler_tag;
  using set_value_t = ::beman::execution::set_value_t;
  using set_error_t = ::beman::execution::set_error_t;
  using set_stopped_t = ::beman::execution::set_stopped_t;
  template <typename... Signatures>
  using completion_signatures = ::beman::execution::completion_signatures<Signatures...>;
  template <typename Sender, typename... Env>
  using completions_of = ::beman::execution::completion_signatures_of_t<Sender, Env...>;
  template <typename Queryable>
  using env_of = ::beman::execution::env_of_t<Queryable>;
  template <typename Sender>
  using sender_algorithm = typename decltype(algorithm_of<Sender>())::type;

  using forwarding_query_t = ::beman::execution::forwarding_query_t;
  using get_forward_progress_guarantee_t = ::beman::execution::get_forward_progress_guarantee_t;
  static constexpr auto parallel_progress =
      ::beman::execution::forward_progress_guarantee::parallel;
  template <typename Tag>
  using get_completion_scheduler_t = ::beman::execution::get_completion_scheduler_t<Tag>;
  template <typename Tag>
  using get_completion_domain_t = ::beman::execution::get_completion_domain_t<Tag>;
  template <typename Query>
  static constexpr bool asks_for_scheduler =
      std::is_same_v<Query, ::beman::execution::get_scheduler_t> ||
      std::is_same_v<Query, ::beman::execution::get_start_scheduler_t> ||
      std::is_same_v<Query, ::beman::execution::get_delegation_scheduler_t>;

  using bulk_chunked_t = ::beman::execution::bulk_chunked_t;
  using bulk_unchunked_t = ::beman::execution::bulk_unchunked_t;
  using sync_wait_t = ::beman::execution::sync_wait_t;
  using default_domain = ::beman::execution::default_domain;
  template <typename Policy>
  static constexpr bool runs_in_parallel =
      std::is_constructible_v<Policy, const ::beman::execution::parallel_policy&> ||
      std::is_constructible_v<Policy, const ::beman::execution::parallel_unsequenced_policy&>;
  template <typename Env>
  static constexpr bool never_stops =
      ::beman::execution::unstoppable_token<::beman::execution::stop_token_of_t<Env>>;

  template <typename Queryable>
  static auto get_env(const Queryable& of) noexcept {
    return ::beman::execution::get_env(of);
  }
  template <typename Env>
  static bool stop_requested(const Env& env) noexcept {
    return ::beman::execution::get_stop_token(env).stop_requested();
  }
  template <typename Sender, typename Receiver>
  static auto connect(Sender&& sender, Receiver&& receiver) {
    return ::beman::execution::connect(static_cast<Sender&&>(sender),
                                       static_cast<Receiver&&>(receiver));
  }
  template <typename Operation>
  static void start(Operation& operation) noexcept {
    ::beman::execution::start(operation);
  }
  /// @endcond
};

}  // namespace senders

/// The workers of a runtime as a scheduler of beman.execution (see `senders::scheduler`):
///
///     evencube::beman_scheduler workers(rt);
///     ::beman::execution::sync_wait(::beman::execution::schedule(workers) |
///     ::beman::execution::then(f));
///
/// With this header, coroutines can also await beman.execution's senders.
using beman_scheduler = senders::scheduler<senders::beman_names>;

/// @cond internal
template <>
struct detail::senders_with_tag<::beman::execution::sender_tag> {
  template <typename Sender>
  using awaiter = senders::detail::sender_awaiter<senders::beman_names, Sender>;
};
/// @endcond

}  // namespace evencube
