#include "neighbour_sharing.hpp"

#include <evencube/error.hpp>

namespace evencube::detail {

bool neighbour_sharing::advance() {
  const bool gave = give_what_is_owed();
  if (!has_no_tasks(lines_->creditor().has_value())) return gave;
  const std::optional<unsigned> other = lines_->ask(lifelines::clock::now());
  if (other) ask(*other);
  return gave || other.has_value();
}

bool neighbour_sharing::give_what_is_owed() {
  if (spawning_.goes_on(take_program_spawns(), spawning::clock::now())) return false;
  bool any = false;
  while (const std::optional<unsigned> to = lines_->creditor()) {
    if (!give(*to)) break;
    lines_->gave(*to);
    any = true;
  }
  return any;
}

// A task that comes to a rank without work would else be sent on to the next rank that is owed
// some, before a worker of this rank has taken it.
bool neighbour_sharing::give(unsigned to) {
  const auto now = lifelines::clock::now();
  if (!needs_all_its_tasks()) {
    needed_since_.reset();
  } else {
    if (!needed_since_) needed_since_ = now;
    if (now - *needed_since_ < own_time) return false;
  }
  return give_half(to) > 0;
}

void neighbour_sharing::handle(wire what, unsigned from, byte_reader& in) {
  if (what == wire::refusal) {
    lines_->refused(from);
  } else if (what == wire::tasks) {
    if (in.get<std::uint32_t>() == stolen) lines_->got_tasks(from);
  } else if (what != wire::steal) {
    throw error("cluster: a message of another program");
  } else if (give(from)) {
    lines_->gave(from);
  } else {
    lines_->owe(from);
    refuse(from);
  }
}

}  // namespace evencube::detail
