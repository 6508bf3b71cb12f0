#include "stealing.hpp"

#include <evencube/error.hpp>

namespace evencube::detail {

bool stealing::advance() {
  if (needs() != need::now) return false;
  const std::optional<unsigned> victim = thief_->ask(thief::clock::now());
  if (victim) ask(*victim, need::now);
  return victim.has_value();
}

void stealing::handle(wire what, unsigned from, byte_reader& in) {
  if (what == wire::refusal) {
    thief_->refused(from);
  } else if (what == wire::tasks) {
    if (in.get<std::uint32_t>() == stolen) thief_->got_tasks(from);
  } else if (what == wire::steal) {
    if (give_half(from) == 0) refuse(from);
  } else {
    throw error("cluster: a message of another program");
  }
}

}  // namespace evencube::detail
