#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "execution.hpp"

namespace evencube::programs {

const local_group* execution::find(int name, const local_group* groups) {
  while (groups->name != name) groups = groups->outer;
  return groups;
}

void execution::spawn(const step& s, const local_group* groups) {
  if (s.target < static_cast<int>(groups_.size())) {
    shared_group& g = groups_[at(s.target)];
    spawn_into(g.group, g.tickets, s, nullptr);
    ++handed_over_;
  } else {
    const local_group* const g = find(s.target, groups);
    spawn_into(*g->group, *g->tickets, s, g);
  }
}

void execution::spawn_into(task_group& group, ledger& tickets, const step& s,
                           const local_group* groups) {
  ticket& t = tickets.add(s.inner[0].id);
  const int copies = mistaken(mistake::drop_task) ? 0 : mistaken(mistake::run_task_twice) ? 2 : 1;
  for (int i = 0; i < copies; ++i) {
    switch (s.size) {
      case small:
        spawn_loaded<small_load>(group, t, s, groups);
        break;
      case large:
        spawn_loaded<large_load>(group, t, s, groups);
        break;
      case move_only:
        spawn_loaded<move_only_load>(group, t, s, groups);
        break;
    }
  }
  t.accepted.store(true, std::memory_order_release);  // pairs with ledger::accepted_ones
}

void execution::check_ended(const std::vector<const ticket*>& tickets) {
  for (const ticket* const t : tickets) {
    if (!t->ended || t->runs != 1) {
      fail("a wait returned when a task, block " + std::to_string(t->block) + ", had run " +
           std::to_string(t->runs) + " times" + (t->ended ? "" : " and not ended"));
    }
  }
}

std::optional<int> execution::wait_for(task_group& group) {
  if (mistaken(mistake::skip_wait)) return std::nullopt;
  try {
    group.wait();
  } catch (const thrown& e) {
    return e.block;
  }
  return std::nullopt;
}

void execution::wait_local(const local_group& g) {
  const std::optional<int> caught = wait_for(*g.group);
  const auto tickets = g.tickets->accepted_ones();
  check_ended(tickets);
  const auto threw = [](const ticket* t) { return t->threw; };
  if (!caught && std::ranges::any_of(tickets, threw)) fail("an exception did not arrive");
  if (caught && std::ranges::none_of(
                    tickets, [&](const ticket* t) { return t->threw && t->block == *caught; })) {
    fail("the exception of block " + std::to_string(*caught) + " came from a group without it");
  }
  if (wrong_.what == mistake::skip_wait) static_cast<void>(wait_for(*g.group));
  g.tickets->clear();
}

void execution::scope(const step& s, const local_group* groups) {
  ledger tickets;
  local_group here{s.target, nullptr, &tickets, groups};  // tasks may look at it until the end
  try {
    task_group group(on(s.of));
    here.group = &group;
    run_block(s.inner[0], &here);
    if (s.variant == by_wait) wait_local(here);
    if (s.variant == by_exception) throw thrown{-1};
  } catch (const thrown& e) {
    if (s.variant != by_exception || e.block != -1) fail("an exception left a group's block");
  }
  check_ended(tickets.accepted_ones());
}

void execution::wait_shared(int index) {
  shared_group& g = groups_[at(index)];
  const auto before = g.tickets.accepted_ones();
  const std::optional<int> caught = wait_for(g.group);
  check_ended(before);
  if (!caught) return;
  if (*caught < 0 || !throws_[at(*caught)]) fail("a shared group threw what no task did");
  const std::lock_guard lock(g.mutex);
  g.caught.push_back(*caught);
}

void execution::check_exceptions(const shared_group& g) {
  const auto tickets = g.tickets.accepted_ones();
  check_ended(tickets);
  std::vector<int> threw;
  for (const ticket* const t : tickets) {
    if (t->threw) threw.push_back(t->block);
  }
  if (!threw.empty() && g.caught.empty()) fail("an exception of a shared group did not arrive");
  for (const int block : g.caught) {
    const auto one = std::ranges::find(threw, block);
    if (one == threw.end()) {
      fail("the exception of block " + std::to_string(block) +
           " arrived twice, or came from a group without it");
    } else {
      threw.erase(one);
    }
  }
}

}  // namespace evencube::programs
