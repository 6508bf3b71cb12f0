#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "execution.hpp"

namespace evencube::programs {

const local_group* execution::find(int name, const surroundings& around) {
  const local_group* g = around.groups;
  while (g->name != name) g = g->outer;
  return g;
}

void execution::spawn(const step& s, const surroundings& around) {
  const bool refused = around.where < 0 && ends_[at(s.of)].over.load(std::memory_order_acquire);
  if (is_shared(s.target)) {
    shared_group& g = groups_[at(s.target)];
    spawn_into(g.group, g.tickets, s, {.stops = &g.stops, .where = s.of});
    ++handed_over_;
  } else {
    const local_group* const g = find(s.target, around);
    spawn_into(*g->group, *g->tickets, s,
               {.groups = g, .stops = g->stops, .where = s.of, .inside = g->inside});
  }
  if (refused) fail("a runtime that had been stopped took a task from outside");
}

void execution::spawn_into(task_group& group, ledger& tickets, const step& s,
                           const surroundings& around) {
  ticket& t = tickets.add(s.inner[0].id);
  t.barred = around.stops->surely();
  const int copies = mistaken(mistake::drop_task) ? 0 : mistaken(mistake::run_task_twice) ? 2 : 1;
  for (int i = 0; i < copies; ++i) {
    switch (s.size) {
      case small:
        spawn_loaded<small_load>(group, t, s, around);
        break;
      case large:
        spawn_loaded<large_load>(group, t, s, around);
        break;
      case move_only:
        spawn_loaded<move_only_load>(group, t, s, around);
        break;
      case a_coroutine: {
        auto body = run_spawned_coroutine(t, s, around, witness(*this, t));
        if (!is_dropped(t, around)) evencube::spawn(group, std::move(body), options_of(s));
        break;
      }
    }
  }
  t.accepted.store(true, std::memory_order_release);  // pairs with ledger::accepted_ones
}

void execution::check_ended(const std::vector<const ticket*>& tickets, bool stopped) {
  for (const ticket* const t : tickets) {
    const std::string task = "a task, block " + std::to_string(t->block) + ", ";
    if (t->barred && t->runs != 0) fail(task + "ran that was spawned into a stopped group");
    if (stopped && t->runs == 0 && t->destroyed == 1) continue;
    if (!t->ended || t->runs != 1 || t->destroyed != 1) {
      fail("a wait returned when " + task + "had run " + std::to_string(t->runs) + " times" +
           (t->ended ? "" : " and not ended") + ", and its function had been destroyed " +
           std::to_string(t->destroyed) + " times");
    }
  }
}

wait_status execution::wait_limited(task_group& group, const step& how) {
  using std::chrono::microseconds;
  const microseconds limit{how.limit};
  // A limit that passes may do so again and again: then without one.
  for (int times = 0; how.variant != without_limit && times < 4; ++times) {
    const auto ended = how.variant == until_a_time ? group.wait_until(clock::now() + limit)
                                                   : group.wait_for(limit);
    if (ended) return *ended;
    if (how.limit > 1'000'000'000) fail("a wait for a group ended long before its limit");
  }
  return group.wait();
}

execution::wait_end execution::wait_for(task_group& group, const stop_state& stops,
                                        const step& how) {
  if (mistaken(mistake::skip_wait)) return {};
  const bool surely = stops.surely();
  try {
    const bool stopped = wait_limited(group, how) == wait_status::stopped;
    if (surely && !stopped) fail("a wait did not tell that its group was stopped");
    if (stopped && !stops.perhaps()) fail("a wait told of a stop that nobody asked for");
    return {std::nullopt, stopped};
  } catch (const thrown& e) {
    return {e.block, stops.perhaps()};
  }
}

void execution::wait_local(const local_group& g, const step& how) {
  const auto [caught, stopped] = wait_for(*g.group, *g.stops, how);
  const auto tickets = g.tickets->accepted_ones();
  check_ended(tickets, stopped);
  const auto threw = [](const ticket* t) { return t->threw; };
  if (!caught && std::ranges::any_of(tickets, threw)) fail("an exception did not arrive");
  if (caught && std::ranges::none_of(tickets, [block = *caught](const ticket* t) {
        return t->threw && t->block == block;
      })) {
    fail("the exception of block " + std::to_string(*caught) + " came from a group without it");
  }
  if (wrong_.what == mistake::skip_wait) static_cast<void>(wait_for(*g.group, *g.stops));
  g.tickets->clear();
}

void execution::scope(const step& s, const surroundings& around) {
  // Tasks may look at all this until the end.
  ledger tickets;
  std::stop_source source;
  const bool by_source = s.stops == by_token || s.stops == by_token_before;
  // Below what its maker is a part of; only in the same runtime.
  stop_state stops(above(around, s.of));
  const std::shared_ptr<limited> in = s.places != 0 ? arena_of(s) : nullptr;
  local_group here{s.target,
                   nullptr,
                   &tickets,
                   &stops,
                   by_source ? &source : nullptr,
                   around.groups,
                   in != nullptr          ? in.get()
                   : around.where == s.of ? around.inside
                                          : nullptr};
  if (s.stops == by_token_before) {
    stops.begin();
    source.request_stop();
    stops.end();
  }
  try {
    std::optional<task_group> group;
    if (by_source) {
      group.emplace(on(s.of), source.get_token());
    } else if (in != nullptr) {
      group.emplace(in->limit);
    } else {
      group.emplace(on(s.of));
    }
    here.group = &*group;
    run_block(
        s.inner[0],
        {.groups = &here, .stops = around.stops, .where = around.where, .inside = around.inside});
    if (s.variant == by_wait) wait_local(here);
    if (s.inner.size() > 1) {
      renew(here);
      run_block(
          s.inner[1],
          {.groups = &here, .stops = around.stops, .where = around.where, .inside = around.inside});
      wait_local(here);
    }
    if (s.variant == by_exception) throw thrown{-1};
  } catch (const thrown& e) {
    if (s.variant != by_exception || e.block != -1) fail("an exception left a group's block");
  }
  check_ended(tickets.accepted_ones(), stops.perhaps());
}

// Its tasks have ended, and with them all that could have stopped it.
void execution::renew(const local_group& g) {
  if (!mistaken(mistake::keep_stop)) detail::task_group_access::withdraw_stop(*g.group);
  g.stops->withdraw();
}

void execution::stop(const step& s, const surroundings& around) {
  const bool shared = is_shared(s.target);
  const local_group* const local = shared ? nullptr : find(s.target, around);
  stop_state& stops = shared ? groups_[at(s.target)].stops : *local->stops;
  stops.begin();
  if (!mistaken(mistake::forget_stop)) {
    if (shared) {
      groups_[at(s.target)].group.request_stop();
    } else if (local->source != nullptr) {
      // Of several callers only the first returns when all have been told.
      if (!local->source->request_stop()) return;
    } else {
      local->group->request_stop();
    }
  }
  stops.end();
}

void execution::ask_stop(const surroundings& around) {
  const bool surely = around.stops != nullptr && around.stops->surely();
  const bool told = this_task::stop_requested();
  const bool perhaps = around.stops != nullptr && around.stops->perhaps();
  if (surely && !told) fail("a task of a stopped group was not told to stop");
  if (told && !perhaps && !any_stops())
    fail("a task was told to stop, though nobody stopped its group");
}

void execution::wait_shared(const step& how) {
  shared_group& g = groups_[at(how.target)];
  const auto before = g.tickets.accepted_ones();
  const auto [caught, stopped] = wait_for(g.group, g.stops, how);
  check_ended(before, stopped);
  if (!caught) return;
  if (*caught < 0 || !throws_[at(*caught)]) fail("a shared group threw what no task did");
  const std::lock_guard lock(g.mutex);
  g.caught.push_back(*caught);
}

void execution::check_exceptions(const shared_group& g) {
  const auto tickets = g.tickets.accepted_ones();
  check_ended(tickets, g.stops.perhaps());
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
