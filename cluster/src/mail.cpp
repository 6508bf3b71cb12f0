#include "mail.hpp"

#include <utility>

#include "wire.hpp"

namespace evencube::detail {
namespace {

std::uint64_t* counter_of(cluster_statistics& in, wire what) {
  switch (what) {
    case wire::tasks:
    case wire::taken:
      return &in.task_messages;
    case wire::results:
      return &in.result_messages;
    case wire::loads:
    case wire::round:
    case wire::steal:
    case wire::refusal:
      return &in.balancing_messages;
    case wire::termination:
    case wire::over:
    case wire::failure:
      return &in.termination_messages;
    default:
      return nullptr;
  }
}

}  // namespace

// V in the page. A rank that has said how many messages it has sent sends no more of them.
void mail::post(unsigned to, byte_writer& message) {
  if (silent_) return;
  ++sent_[to];
  outbox_.put(to, message.take());
}

void mail::send_all() {
  outbox_.send_all(core_.most_bytes, [this](unsigned to, message_bytes bytes, wire first) {
    {
      const data_lock lock(core_.mutex);
      ++core_.stats.messages_sent;
      core_.stats.bytes_sent += bytes.size();
      if (std::uint64_t* const kind = counter_of(core_.stats, first)) ++*kind;
    }
    core_.over->send(to, std::move(bytes));
  });
}

}  // namespace evencube::detail
