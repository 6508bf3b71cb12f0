#pragma once

#include <stdexec/execution.hpp>
#include <type_traits>
#include <utility>

#include <evencube/detail/awaiting.hpp>
#include <evencube/interop/std_execution.hpp>

// For programs that use NVIDIA's stdexec, version 2026 or later.

namespace evencube {

namespace senders {

/// The names of stdexec, for the templates of <evencube/interop/std_execution.hpp>.
struct stdexec_names {
  /// @cond internal
 private:
  template <typename Sender>
  static constexpr auto algorithm_of() {
    if constexpr (requires { typename stdexec::tag_of_t<Sender>; }) {
      return std::type_identity<stdexec::tag_of_t<Sender>>{};
    } else {
      return std::type_identity<void>{};
    }
  }

 public:
  using sender_tag = stdexec::sender_tag;
  using receiver_tag = stdexec::receiver_tag;
  using operation_state_tag = stdexec::operation_state_tag;
  using scheduler_tag = stdexec::scheduler_tag;
  using set_value_t = stdexec::set_value_t;
  using set_error_t = stdexec::set_error_t;
  using set_stopped_t = stdexec::set_stopped_t;
  template <typename... Signatures>
  using completion_signatures = stdexec::completion_signatures<Signatures...>;
  template <typename Sender, typename... Env>
  using completions_of = stdexec::completion_signatures_of_t<Sender, Env...>;
  template <typename Queryable>
  using env_of = stdexec::env_of_t<Queryable>;
  template <typename Sender>
  using sender_algorithm = typename decltype(algorithm_of<Sender>())::type;

  using forwarding_query_t = stdexec::forwarding_query_t;
  using get_forward_progress_guarantee_t = stdexec::get_forward_progress_guarantee_t;
  static constexpr auto parallel_progress = stdexec::forward_progress_guarantee::parallel;
  template <typename Tag>
  using get_completion_scheduler_t = stdexec::get_completion_scheduler_t<Tag>;
  template <typename Tag>
  using get_completion_domain_t = stdexec::get_completion_domain_t<Tag>;
  template <typename Query>
  static constexpr bool asks_for_scheduler =
      std::is_same_v<Query, stdexec::get_scheduler_t> ||
      std::is_same_v<Query, stdexec::get_start_scheduler_t> ||
      std::is_same_v<Query, stdexec::get_delegation_scheduler_t>;

  using bulk_chunked_t = stdexec::bulk_chunked_t;
  using bulk_unchunked_t = stdexec::bulk_unchunked_t;
  using sync_wait_t = stdexec::sync_wait_t;
  using default_domain = stdexec::default_domain;
  template <typename Policy>
  static constexpr bool runs_in_parallel =
      std::is_constructible_v<Policy, const stdexec::parallel_policy&> ||
      std::is_constructible_v<Policy, const stdexec::parallel_unsequenced_policy&>;
  template <typename Env>
  static constexpr bool never_stops = stdexec::unstoppable_token<stdexec::stop_token_of_t<Env>>;

  template <typename Queryable>
  static auto get_env(const Queryable& of) noexcept {
    return stdexec::get_env(of);
  }
  template <typename Env>
  static bool stop_requested(const Env& env) noexcept {
    return stdexec::get_stop_token(env).stop_requested();
  }
  template <typename Sender, typename Receiver>
  static auto connect(Sender&& sender, Receiver&& receiver) {
    return stdexec::connect(static_cast<Sender&&>(sender), static_cast<Receiver&&>(receiver));
  }
  template <typename Operation>
  static void start(Operation& operation) noexcept {
    stdexec::start(operation);
  }
  /// @endcond
};

}  // namespace senders

/// The workers of a runtime as a scheduler of stdexec (see `senders::scheduler`):
///
///     evencube::stdexec_scheduler workers(rt);
///     stdexec::sync_wait(stdexec::schedule(workers) | stdexec::then(f));
///
/// With this header, coroutines can also await stdexec's senders.
using stdexec_scheduler = senders::scheduler<senders::stdexec_names>;

/// @cond internal
template <>
struct detail::senders_with_tag<stdexec::sender_tag> {
  template <typename Sender>
  using awaiter = senders::detail::sender_awaiter<senders::stdexec_names, Sender>;
};
/// @endcond

}  // namespace evencube
