#include "neighbour_sharing.hpp"

#include <evencube/error.hpp>

namespace evencube::detail {

bool neighbour_sharing::advance() {
  spawns_ = spawning_.goes_on(take_program_spawns(), spawning::clock::now());
  bool any = give_what_is_owed();
  const std::optional<lifelines::creditor> owed = lines_->first_creditor();
  const auto how = needs(owed ? std::optional(owed->how) : std::nullopt);
  if (!how) return any;
  if (const std::optional<unsigned> other = lines_->ask(*how, lifelines::clock::now())) {
    ask(*other, *how);
    any = true;
  }
  return any;
}

bool neighbour_sharing::give_what_is_owed() {
  bool any = false;
  while (const std::optional<lifelines::creditor> to = lines_->first_creditor()) {
    if (!give(to->rank, to->how)) break;
    lines_->gave(to->rank);
    any = true;
  }
  return any;
}

// A rank whose workers are busy gets no last task, or it would give this task back to the next rank
// that asks. A task that comes to a rank without work would else be sent on to the next rank that
// is owed some, before a worker of this rank has taken it.
bool neighbour_sharing::give(unsigned to, need how) {
  const waiting_tasks here = waiting();
  const auto now = lifelines::clock::now();
  if (here.all == 0 || here.all > here.takers) {
    needed_since_.reset();
  } else {
    if (!needed_since_) needed_since_ = now;
    if (now - *needed_since_ < own_time) return false;
  }
  if (spawns_ || here.movable == 0 || (how == need::soon && here.all < 2)) return false;
  return give_half(to) > 0;
}

void neighbour_sharing::handle(wire what, unsigned from, byte_reader& in) {
  if (what == wire::refusal) {
    lines_->refused(from);
  } else if (what == wire::tasks) {
    if (in.get<std::uint32_t>() == stolen) lines_->got_tasks(from);
  } else if (what != wire::steal) {
    throw error("cluster: a message of another program");
  } else if (const auto how = in.get<need>(); give(from, how)) {
    lines_->gave(from);
  } else {
    lines_->owe(from, how);
    refuse(from);
  }
}

}  // namespace evencube::detail
