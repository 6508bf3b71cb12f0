#pragma once

#include <cstdint>

#include <evencube/detail/least.hpp>
#include <evencube/detail/mailbox.hpp>
#include <evencube/detail/signal_word.hpp>

namespace evencube::detail {

/// How other threads reach a worker: its bell, and the tasks that were sent to it
/// (runtime/src/queues/mailbox.md).
template <typename Policy>
class basic_inbox {
 public:
  [[nodiscard]] basic_signal_word<Policy>& bell() noexcept { return bell_; }
  [[nodiscard]] const basic_signal_word<Policy>& bell() const noexcept { return bell_; }

  /// Sends tasks to the worker and rings it. Returns true if it slept. Any thread.
  bool send(const message& sent) noexcept {
    mail_.send(sent);
    return bell_.raise(signal_mail);
  }
  /// Like `send`, for tasks that are older than all tasks that the worker has queued.
  bool send_beneath(const message& sent) noexcept {
    beneath_.send(sent);
    return bell_.raise(signal_mail);
  }

  /// True if no mail is here. Seq_cst, as `basic_mailbox::empty`.
  [[nodiscard]] bool empty() const noexcept { return mail_.empty() && beneath_.empty(); }
  /// Takes what was sent by `send`, or by `send_beneath`. Any thread.
  message take() noexcept { return mail_.take(); }
  message take_beneath() noexcept { return beneath_.take(); }
  /// Takes all mail, for a worker that runs it instead of this one. Any thread.
  message take_all() noexcept {
    message all = mail_.take();
    for (message older = beneath_.take(); !older.empty();) all.add_oldest(older.take_newest());
    return all;
  }

  /// Takes the newest task alone, or 0, for a worker that runs it instead of this one. Any thread.
  /// `left` as in `basic_mailbox::take_one`.
  slot_word take_one(bool& left) noexcept {
    const slot_word one = mail_.take_one(left);
    return one != 0 ? one : beneath_.take_one(left);
  }

  /// The quanta of the mail here; may be out of date at once.
  [[nodiscard]] std::uint64_t quanta() const noexcept {
    return static_cast<std::uint64_t>(
        detail::greatest(mail_.quanta() + beneath_.quanta(), std::int64_t{0}));
  }

 private:
  basic_signal_word<Policy> bell_;
  basic_mailbox<Policy> mail_;
  /// Blocks of tasks that go beneath the queued tasks.
  basic_mailbox<Policy> beneath_;
};

}  // namespace evencube::detail
