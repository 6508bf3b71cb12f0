// What stdexec's test_parallel_scheduler_replacement derives its backend from.
#pragma once

#include <evencube/interop/detail/parallel_scheduler_backend.hpp>
#include <exec/static_thread_pool.hpp>
#include <stdexec/execution.hpp>
#include <thread>

namespace foreign {

struct stdexec_interface {
  using backend = stdexec::parallel_scheduler_replacement::parallel_scheduler_backend;
  using receiver_proxy = stdexec::parallel_scheduler_replacement::receiver_proxy;
  using bulk_item_receiver_proxy =
      stdexec::parallel_scheduler_replacement::bulk_item_receiver_proxy;
  static bool stop_requested(const receiver_proxy& of) noexcept {
    const auto token = of.try_query<stdexec::inplace_stop_token>(stdexec::get_stop_token);
    return token.has_value() && token->stop_requested();
  }
};

}  // namespace foreign

namespace stdexec::__parallel_scheduler_default_impl {
using __parallel_scheduler_backend_impl =
    evencube::senders::detail::parallel_backend<foreign::stdexec_interface>;
}  // namespace stdexec::__parallel_scheduler_default_impl
