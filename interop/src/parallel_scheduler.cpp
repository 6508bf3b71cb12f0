// Makes EvenCube the parallel scheduler of the program's libraries of senders
// (EvenCube::parallel_scheduler). It is compiled by the program, which has these libraries.

#include <evencube/interop/detail/parallel_scheduler_backend.hpp>
#include <memory>
#include <mutex>
#include <utility>

#if __has_include(<stdexec/execution.hpp>)
#include <stdexec/execution.hpp>

namespace {

namespace replaced = stdexec::parallel_scheduler_replacement;

struct stdexec_interface {
  using backend = replaced::parallel_scheduler_backend;
  using receiver_proxy = replaced::receiver_proxy;
  using bulk_item_receiver_proxy = replaced::bulk_item_receiver_proxy;
  static bool stop_requested(const receiver_proxy& of) noexcept {
    const auto token = of.try_query<stdexec::inplace_stop_token>(stdexec::get_stop_token);
    return token.has_value() && token->stop_requested();
  }
};

using stdexec_backend = std::shared_ptr<replaced::parallel_scheduler_backend>;

stdexec_backend make_stdexec_backend() {
  return std::make_shared<evencube::senders::detail::parallel_backend<stdexec_interface>>();
}

// The backend in use, which a program may replace while it runs.
struct stdexec_choice {
  std::mutex lock;
  stdexec_backend (*make)() = &make_stdexec_backend;
  stdexec_backend made;
};
stdexec_choice& chosen() {
  static stdexec_choice only;
  return only;
}

}  // namespace

namespace stdexec::parallel_scheduler_replacement {

std::shared_ptr<parallel_scheduler_backend> query_parallel_scheduler_backend() {
  stdexec_choice& of = chosen();
  const std::lock_guard lock(of.lock);
  if (of.made == nullptr) of.made = of.make();
  return of.made;
}

// Not in the standard; stdexec's own backend has it, too.
__parallel_scheduler_backend_factory_t set_parallel_scheduler_backend(
    __parallel_scheduler_backend_factory_t make) {
  stdexec_choice& of = chosen();
  const std::lock_guard lock(of.lock);
  of.made = nullptr;
  return std::exchange(of.make, make);
}

}  // namespace stdexec::parallel_scheduler_replacement
#endif

#if __has_include(<beman/execution/execution.hpp>) && __cplusplus > 202002L  // it needs C++23
#include <beman/execution/execution.hpp>

namespace {

namespace beman_replaced = beman::execution::parallel_scheduler_replacement;

struct beman_interface {
  using backend = beman_replaced::parallel_scheduler_backend;
  using receiver_proxy = beman_replaced::receiver_proxy;
  using bulk_item_receiver_proxy = beman_replaced::bulk_item_receiver_proxy;
  static bool stop_requested(const receiver_proxy& of) noexcept {
    const auto token =
        of.try_query<beman::execution::inplace_stop_token>(beman::execution::get_stop_token);
    return token.has_value() && token->stop_requested();
  }
};

}  // namespace

namespace beman::execution::parallel_scheduler_replacement {

std::shared_ptr<parallel_scheduler_backend> query_parallel_scheduler_backend() {
  static const auto only =
      std::make_shared<evencube::senders::detail::parallel_backend<beman_interface>>();
  return only;
}

}  // namespace beman::execution::parallel_scheduler_replacement
#endif
