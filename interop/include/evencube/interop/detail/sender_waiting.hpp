#pragma once

#include <exception>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

#include <evencube/detail/group.hpp>
#include <evencube/detail/worker.hpp>
#include <evencube/interop/detail/sender_names.hpp>
#include <evencube/task_group.hpp>

namespace evencube::senders {

template <typename Library>
class scheduler;

namespace detail {

/// A wait of a task for an operation. The operation's tasks belong to the group, so the worker runs
/// them while it waits.
struct wait_in_task {
  explicit wait_in_task(evencube::detail::worker& by) noexcept : group(by.workers(), &by) {}

  /// Called once by the receiver. This object may be destroyed before the call returns.
  void end() noexcept { group.finish(evencube::detail::worker_of(group.its_runtime())); }

  group_core group;
  std::exception_ptr failure;
};

/// The environment of a receiver that waits in a task.
template <typename Library>
struct wait_env {
  template <typename Query>
    requires Library::template
  asks_for_scheduler<Query> [[nodiscard]] senders::scheduler<Library> query(Query) const noexcept {
    return senders::scheduler<Library>(&of->group.its_runtime());
  }
  [[nodiscard]] waiting_place query(get_waiting_place_t<Library>) const noexcept {
    return {&of->group, nullptr};
  }

  wait_in_task* of;
};

template <typename Library, typename Values>
struct wait_receiver {
  using receiver_concept = typename Library::receiver_tag;

  template <typename... Given>
  void set_value(Given&&... given) && noexcept {
    try {
      values->emplace(static_cast<Given&&>(given)...);
    } catch (...) {
      of->failure = std::current_exception();
    }
    of->end();
  }
  template <typename Error>
  void set_error(Error&& e) && noexcept {
    of->failure = detail::as_exception(static_cast<Error&&>(e));
    of->end();
  }
  void set_stopped() && noexcept { of->end(); }
  [[nodiscard]] wait_env<Library> get_env() const noexcept { return {of}; }

  wait_in_task* of;
  std::optional<Values>* values;
};

/// Starts the sender's operation as a part of the calling task, and waits for its end. Meanwhile
/// the worker `by` runs the tasks of the operation.
template <typename Library, typename Sender>
auto sync_wait_in_task(evencube::detail::worker& by, Sender&& sender)
    -> std::optional<values_of<Library, Sender, wait_env<Library>>> {
  using values_type = values_of<Library, Sender, wait_env<Library>>;
  std::optional<values_type> values;
  wait_in_task wait(by);
  {
    auto operation = Library::connect(static_cast<Sender&&>(sender),
                                      wait_receiver<Library, values_type>{&wait, &values});
    wait.group.add(&by);
    // The operation must not be destroyed before it has ended.
    [&]() noexcept {
      Library::start(operation);
      wait.group.wait(&by);
    }();
  }
  if (wait.failure != nullptr) std::rethrow_exception(std::move(wait.failure));
  return values;
}

}  // namespace detail

}  // namespace evencube::senders
