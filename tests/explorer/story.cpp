// What the report of a counterexample says.

#include "arena.hpp"
#include "names.hpp"
#include "session.hpp"

namespace evencube::explorer {

void session::note(action what, const location* l, const site& at, std::memory_order order,
                   const std::string& outcome) {
  const arena_scope off(false);
  *story_ += "  thread " + std::to_string(running_) + " " + name_of(at) + " " + name_of(what);
  if (l != nullptr) *story_ += "(" + std::string(name_of(order)) + ") #" + number(l->id_);
  if (!outcome.empty()) *story_ += " " + outcome;
  *story_ += "\n";
}

std::string session::who_sleeps() const {
  std::string asleep;
  for (unsigned k = 1; k <= thread_count_; ++k) {
    const thread& t = threads_[k];
    if (t.state != status::asleep) continue;
    if (!asleep.empty()) asleep += ", ";
    asleep += "thread " + std::to_string(k) + (t.locks ? " waits in " : " sleeps in ") +
              name_of(t.last) + (t.before.line != 0 ? ", after " + name_of(t.before) + "," : "");
    // A bed may be gone while somebody lies in it: its number is still there, in the arena.
    asleep += t.locks ? " for a lock that thread " + std::to_string(t.bed->value_ - 1) + " holds"
                      : " on #" + number(t.bed->id_) + " that is " + number(t.bed->value_);
  }
  return asleep;
}

}  // namespace evencube::explorer
