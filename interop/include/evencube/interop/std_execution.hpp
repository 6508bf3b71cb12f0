#pragma once

#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>

#include <evencube/interop/detail/sender_awaiter.hpp>
#include <evencube/interop/detail/sender_bulk.hpp>
#include <evencube/interop/detail/sender_names.hpp>
#include <evencube/interop/detail/sender_waiting.hpp>
#include <evencube/priority.hpp>
#include <evencube/runtime.hpp>
#include <evencube/schedule.hpp>

// A scheduler for sender libraries (P2300). Programs include the header for their library:
// <evencube/interop/stdexec.hpp> or <evencube/interop/beman_execution.hpp>.

namespace evencube::senders {

/// The execution domain of algorithms that run on a runtime's scheduler. `bulk`, `bulk_chunked` and
/// `bulk_unchunked` become loops of the runtime. In a task, `sync_wait` runs the work that it waits
/// for.
template <typename Library>
struct domain {
  /// Returns the sender that runs `sender`'s algorithm in its receiver's environment.
  template <typename Sender, typename Env>
    requires std::is_same_v<typename Library::template sender_algorithm<Sender>,
                            typename Library::bulk_chunked_t> ||
             std::is_same_v<typename Library::template sender_algorithm<Sender>,
                            typename Library::bulk_unchunked_t>
  static constexpr auto transform_sender(typename Library::set_value_t, Sender&& sender,
                                         const Env&) {
    constexpr bool chunked = std::is_same_v<typename Library::template sender_algorithm<Sender>,
                                            typename Library::bulk_chunked_t>;
    auto&& [tag, data, child] = sender;
    auto&& [policy, shape, function] = data;
    using made = detail::bulk_sender<Library, chunked, std::remove_cvref_t<decltype(child)>,
                                     std::remove_cvref_t<decltype(policy)>,
                                     std::remove_cvref_t<decltype(shape)>,
                                     std::remove_cvref_t<decltype(function)>>;
    if constexpr (std::is_lvalue_reference_v<Sender>) {
      return made(child, shape, function);
    } else {
      return made(std::move(child), shape, std::move(function));
    }
  }

  /// Waits for the sender and returns its values. A waiting task runs the work that it waits for,
  /// so the wait ends even with one worker. Other threads wait as the library defines.
  template <typename Sender>
  static auto apply_sender(typename Library::sync_wait_t wait, Sender&& sender)
      -> std::optional<detail::values_of<Library, Sender, detail::wait_env<Library>>> {
    if (evencube::detail::worker* const by = evencube::detail::current_worker) {
      return detail::sync_wait_in_task<Library>(*by, static_cast<Sender&&>(sender));
    }
    return typename Library::default_domain{}.apply_sender(wait, static_cast<Sender&&>(sender));
  }
};

/// A scheduler for a sender library; it runs work on a runtime's workers. A scheduler is small, can
/// be copied freely, and compares equal to schedulers with the same runtime and priority. The
/// runtime must outlive the work scheduled on it; the scheduler may outlive the runtime.
template <typename Library>
class scheduler {
  struct attributes {
    [[nodiscard]] scheduler query(
        typename Library::template get_completion_scheduler_t<typename Library::set_value_t>)
        const noexcept {
      return of;
    }
    [[nodiscard]] domain<Library> query(
        typename Library::template get_completion_domain_t<typename Library::set_value_t>)
        const noexcept {
      return {};
    }
    scheduler of;
  };

  /// The operation state, which is itself the queued task, so nothing is allocated.
  template <typename Receiver>
  class operation : detail::sender_task {
   public:
    using operation_state_concept = typename Library::operation_state_tag;

    operation(const scheduler& on, Receiver&& receiver)
        : detail::sender_task(on.of_, on.level_, &tell), receiver_(std::move(receiver)) {
      evencube::detail::require_open(on.of_, on.runtime_id_, "schedule");
    }
    operation(const operation&) = delete;
    operation& operator=(const operation&) = delete;
    ~operation() = default;

    /// Queues the task without ever waiting, not even for space in the queue.
    void start() & noexcept {
      if (stopped()) return;
      const detail::all_workers* const of = workers();
      try {
        evencube::detail::queue_sender(
            *this, detail::waiting_place_of<Library>(Library::get_env(receiver_)));
      } catch (...) {
        refused(of);
      }
    }

   private:
    // This object may be destroyed as soon as the receiver is notified.
    static void tell(detail::sender_task& t) noexcept {
      auto& self = static_cast<operation&>(t);
      if (!self.stopped()) typename Library::set_value_t{}(std::move(self.receiver_));
    }
    /// Completes with `set_stopped` and returns true if a stop was requested.
    bool stopped() noexcept {
      using env = typename Library::template env_of<Receiver>;
      if constexpr (!Library::template never_stops<env>) {
        if (Library::stop_requested(Library::get_env(receiver_))) {
          typename Library::set_stopped_t{}(std::move(receiver_));
          return true;
        }
      }
      return false;
    }

    /// Called in an exception handler when no memory is left or the runtime was stopped after
    /// `connect`. The program ends if the caller is not a worker and the receiver has no
    /// `set_stopped`.
    void refused(const detail::all_workers* of) {
      using env = typename Library::template env_of<Receiver>;
      const evencube::detail::worker* const by = evencube::detail::current_worker;
      if (by != nullptr && &by->workers() == of) {
        typename Library::set_value_t{}(std::move(receiver_));
      } else if constexpr (Library::template never_stops<env>) {
        throw;
      } else {
        typename Library::set_stopped_t{}(std::move(receiver_));
      }
    }

    Receiver receiver_;
  };

  /// The sender that `schedule` returns.
  class sender {
   public:
    using sender_concept = typename Library::sender_tag;

    template <typename, typename... Env>
    static consteval auto get_completion_signatures() noexcept {
      using values = typename Library::set_value_t();
      if constexpr ((Library::template never_stops<Env> || ...)) {
        return typename Library::template completion_signatures<values>{};
      } else {
        return
            typename Library::template completion_signatures<values,
                                                             typename Library::set_stopped_t()>{};
      }
    }
    [[nodiscard]] attributes get_env() const noexcept { return {on_}; }
    template <typename Receiver>
    [[nodiscard]] operation<Receiver> connect(Receiver receiver) const {
      return operation<Receiver>(on_, std::move(receiver));
    }

   private:
    friend scheduler;
    explicit sender(const scheduler& on) noexcept : on_(on) {}

    scheduler on_;
  };

 public:
  using scheduler_concept = typename Library::scheduler_tag;

  /// Makes a scheduler for the runtime `of`; its tasks have the priority `level`. Throws
  /// std::invalid_argument for a value that is not a priority.
  explicit scheduler(runtime& of, priority level = priority::normal)
      : scheduler(&evencube::detail::workers_of(of)) {
    evencube::detail::check_priority(level);
    level_ = level;
  }

  /// Returns a sender that completes in a task of the runtime. The sender completes with
  /// `set_stopped` if a stop is requested through the receiver environment's token before `start`
  /// or before the task begins, or if the runtime was stopped after `connect`. `connect` throws
  /// evencube::error if the runtime was destroyed or stopped. The sender never completes with an
  /// error, so std::execution::task_scheduler accepts the scheduler.
  [[nodiscard]] sender schedule() const noexcept { return sender(*this); }

  /// Returns the progress guarantee: each worker makes progress while it has a task.
  [[nodiscard]] auto query(typename Library::get_forward_progress_guarantee_t) const noexcept {
    return Library::parallel_progress;
  }
  /// Returns this scheduler, because its senders complete on it.
  [[nodiscard]] scheduler query(
      typename Library::template get_completion_scheduler_t<typename Library::set_value_t>)
      const noexcept {
    return *this;
  }
  /// Returns the domain of algorithms on this scheduler.
  [[nodiscard]] domain<Library> query(
      typename Library::template get_completion_domain_t<typename Library::set_value_t>)
      const noexcept {
    return {};
  }

  /// Returns true if both schedulers have the same runtime and the same priority.
  friend bool operator==(const scheduler& a, const scheduler& b) noexcept {
    return a.runtime_id_ == b.runtime_id_ && a.level_ == b.level_;
  }

 private:
  friend detail::wait_env<Library>;
  template <typename, typename>
  friend class detail::sender_awaiter;

  explicit scheduler(detail::all_workers* of) noexcept
      : of_(of), runtime_id_(of != nullptr ? evencube::detail::runtime_id_of(*of) : 0) {}

  detail::all_workers* of_;
  std::uint64_t runtime_id_;
  priority level_ = priority::normal;
};

}  // namespace evencube::senders
