// Termination alone: ranks are numbers, messages lie in queues, and what happens next is drawn, or
// everything that can happen next is tried.
#include "termination.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../runtime/repetitions.hpp"
#include "rank_tree.hpp"

namespace evencube {
namespace {

using detail::termination;
using detail::termination_message;
using detail::work_on_its_way;

TEST(rank_tree, reaches_every_rank_once_over_links_of_the_cube) {
  for (unsigned size = 1; size <= 40; ++size) {
    std::set<unsigned> reached{0};
    for (unsigned k = 0; k < size; ++k) {
      detail::for_each_tree_child(k, size, [&](unsigned child) {
        EXPECT_EQ(detail::tree_parent(child), k);
        EXPECT_TRUE(reached.insert(child).second) << child << " of " << size;
        const unsigned link = child ^ k;
        EXPECT_EQ(link & (link - 1), 0U);
      });
    }
    EXPECT_EQ(reached.size(), size);
  }
}

/// A program on some ranks: whoever runs a task may send others.
struct scene {
  unsigned ranks;
  std::vector<termination> detectors;
  std::vector<int> tasks;  // that each rank has; a rank is passive with none
  std::vector<work_on_its_way> counted;
  int may_send;
  // From one rank to another: tasks, and what detectors say.
  std::map<std::pair<unsigned, unsigned>, int> tasks_on_their_way;
  std::map<std::pair<unsigned, unsigned>, std::deque<termination_message>> said;
  // Mutations: also a rank that is not passive answers; receivers are not told apart.
  bool answers_early = false;
  bool counts_together = false;

  scene(unsigned count, int sends) : ranks(count), tasks(count), counted(count), may_send(sends) {
    for (unsigned k = 0; k < count; ++k) detectors.emplace_back(k, count);
  }

  void post(unsigned from, const std::vector<termination::outgoing>& out) {
    for (const auto& [to, what] : out) said[{from, to}].push_back(what);
  }
  void look(unsigned k) {
    if (tasks[k] > 0 && !answers_early) return;
    std::vector<termination::outgoing> out;
    detectors[k].passive(own(k), out);
    post(k, out);
  }
  [[nodiscard]] work_on_its_way own(unsigned k) const {
    work_on_its_way all;
    for (const auto& [to, count] : counted[k]) all[counts_together ? 0 : to] += count;
    std::erase_if(all, [](const auto& each) { return each.second == 0; });
    return all;
  }
  /// What goes along if a message goes to the parent of rank k now.
  std::vector<termination::outgoing> ride(unsigned k, termination& with) const {
    std::vector<termination::outgoing> out;
    if (tasks[k] == 0 || answers_early) with.passive_with_a_message(own(k), out);
    return out;
  }
  void hear(unsigned from, unsigned to) {
    auto found = said.find({from, to});
    const termination_message what = found->second.front();
    found->second.pop_front();
    if (found->second.empty()) said.erase(found);
    std::vector<termination::outgoing> out;
    detectors[to].receive(from, what, out);
    post(to, out);
    look(to);
  }
  void send_task(unsigned from, unsigned to) {
    --may_send;
    ++counted[from][to];
    ++tasks_on_their_way[{from, to}];
  }
  void get_task(unsigned from, unsigned to) {
    auto found = tasks_on_their_way.find({from, to});
    if (--found->second == 0) tasks_on_their_way.erase(found);
    --counted[to][to];
    ++tasks[to];
  }
  void end_task(unsigned k) {
    --tasks[k];
    look(k);
  }

  [[nodiscard]] bool quiet() const {
    for (const int each : tasks) {
      if (each > 0) return false;
    }
    return tasks_on_their_way.empty();
  }
  [[nodiscard]] bool anybody_says_over() const {
    for (const termination& each : detectors) {
      if (each.over()) return true;
    }
    return false;
  }
  [[nodiscard]] bool all_say_over() const {
    for (const termination& each : detectors) {
      if (!each.over()) return false;
    }
    return true;
  }
};

/// Everything that can happen next.
struct event {
  enum class kind { hear, get, send, end, ride } what;
  unsigned a;
  unsigned b;
};

std::vector<event> possible(const scene& now) {
  std::vector<event> found;
  for (const auto& [way, messages] : now.said) {
    found.push_back({event::kind::hear, way.first, way.second});
  }
  for (const auto& [way, count] : now.tasks_on_their_way) {
    found.push_back({event::kind::get, way.first, way.second});
  }
  for (unsigned k = 0; k < now.ranks; ++k) {
    termination tried = now.detectors[k];
    if (!now.ride(k, tried).empty()) found.push_back({event::kind::ride, k, k});
    if (now.tasks[k] == 0) continue;
    found.push_back({event::kind::end, k, k});
    for (unsigned to = 0; to < now.ranks && now.may_send > 0; ++to) {
      if (to != k) found.push_back({event::kind::send, k, to});
    }
  }
  return found;
}

void carry_out(scene& now, const event& one) {
  switch (one.what) {
    case event::kind::hear:
      now.hear(one.a, one.b);
      break;
    case event::kind::get:
      now.get_task(one.a, one.b);
      break;
    case event::kind::send:
      now.send_task(one.a, one.b);
      break;
    case event::kind::end:
      now.end_task(one.a);
      break;
    case event::kind::ride:
      now.post(one.a, now.ride(one.a, now.detectors[one.a]));
      break;
  }
}

/// How often a run said that it was over while it was not (S), over `runs` drawn ones; each must
/// say so in the end (L).
int wrong_ends(unsigned ranks, int runs, const scene& like) {
  int wrong = 0;
  for (int seed = 0; seed < runs; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed) * 31 + ranks);
    const auto draw = [&](std::size_t below) {
      return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
    };
    scene now(ranks, static_cast<int>(draw(40)));
    now.answers_early = like.answers_early;
    now.counts_together = like.counts_together;
    now.tasks[draw(ranks)] = 1 + static_cast<int>(draw(3));
    for (unsigned k = 0; k < ranks; ++k) now.look(k);
    for (int steps = 0;; ++steps) {
      if (now.anybody_says_over() && !now.quiet()) {
        ++wrong;
        break;
      }
      const std::vector<event> next = possible(now);
      if (next.empty()) break;
      if (steps > 100'000) {
        ADD_FAILURE() << "no end with " << ranks << " ranks, seed " << seed;
        break;
      }
      carry_out(now, next[draw(next.size())]);
    }
    if (now.quiet() && !like.answers_early) {
      EXPECT_TRUE(now.all_say_over()) << ranks << " ranks, seed " << seed;
    }
  }
  return wrong;
}

TEST(termination, is_said_when_all_is_done_and_not_before) {
  for (const unsigned ranks : {1U, 2U, 3U, 5U, 8U, 16U}) {
    EXPECT_EQ(wrong_ends(ranks, 500, scene(1, 0)), 0) << ranks << " ranks";
  }
}

TEST(termination, would_be_said_too_early_if_ranks_with_work_answered) {
  scene like(1, 0);
  like.answers_early = true;
  EXPECT_GT(wrong_ends(4, 500, like), 0);
}

TEST(termination, would_be_said_too_early_if_receivers_were_counted_together) {
  scene like(1, 0);
  like.counts_together = true;
  EXPECT_GT(wrong_ends(4, 500, like), 0);
}

/// Of two ranks, the first of which begins: what they say while a task goes to the other.
TEST(termination, takes_one_message_if_counts_go_with_results) {
  scene now(2, 2);
  now.tasks[0] = 1;
  now.send_task(0, 1);
  now.get_task(0, 1);
  now.tasks[0] = 0;  // but it waits for the result, and so asks nobody
  now.send_task(1, 0);
  now.tasks[1] = 0;
  now.post(1, now.ride(1, now.detectors[1]));
  ASSERT_EQ(now.said.size(), 1U);
  now.get_task(1, 0);
  now.hear(1, 0);
  now.end_task(0);
  EXPECT_TRUE(now.detectors[0].over());
  ASSERT_EQ(now.said.size(), 1U);
  now.hear(0, 1);
  EXPECT_TRUE(now.all_say_over());
}

/// A state as a key; detectors stand in a list of those seen.
using state_key = std::vector<std::uint64_t>;

void add_to(state_key& key, const work_on_its_way& counted) {
  key.push_back(counted.size());
  for (const auto& [to, count] : counted) {
    key.insert(key.end(), {to, static_cast<std::uint64_t>(count)});
  }
}

state_key key_of(const scene& now, std::vector<termination>& seen) {
  state_key key;
  for (unsigned k = 0; k < now.ranks; ++k) {
    std::size_t at = 0;
    while (at < seen.size() && !(seen[at] == now.detectors[k])) ++at;
    if (at == seen.size()) seen.push_back(now.detectors[k]);
    key.push_back(at);
    key.push_back(static_cast<std::uint64_t>(now.tasks[k]));
    add_to(key, now.own(k));
  }
  key.push_back(static_cast<std::uint64_t>(now.may_send));
  for (const auto& [way, count] : now.tasks_on_their_way) {
    key.insert(key.end(), {way.first, way.second, static_cast<std::uint64_t>(count)});
  }
  key.push_back(~std::uint64_t{0});
  for (const auto& [way, messages] : now.said) {
    key.insert(key.end(), {way.first, way.second, messages.size()});
    for (const auto& each : messages) {
      key.push_back(static_cast<std::uint64_t>(each.what));
      add_to(key, each.counted);
    }
  }
  return key;
}

/// All states that a scene can come to; false at the first in which somebody is wrong.
std::pair<bool, std::size_t> explore(const scene& first) {
  std::set<state_key> known;
  std::vector<termination> seen;
  std::vector<scene> open{first};
  known.insert(key_of(first, seen));
  while (!open.empty()) {
    const scene now = std::move(open.back());
    open.pop_back();
    if (now.anybody_says_over() && !now.quiet()) return {false, known.size()};
    const std::vector<event> next = possible(now);
    if (next.empty() && !now.all_say_over()) return {false, known.size()};
    for (const event& one : next) {
      scene then = now;
      carry_out(then, one);
      if (known.insert(key_of(then, seen)).second) open.push_back(std::move(then));
    }
  }
  return {true, known.size()};
}

TEST(termination, holds_in_every_state_of_small_programs) {
  for (const auto& [ranks, sends] : {std::pair{2U, 4}, std::pair{3U, 3}, std::pair{4U, 2}}) {
    // A minute and a half under a sanitizer, which finds no more in more states.
    if (test::sanitizer_slowness > 1 && ranks > 2) continue;
    scene first(ranks, sends);
    first.tasks[ranks - 1] = 1;
    for (unsigned k = 0; k < ranks; ++k) first.look(k);
    const auto [holds, states] = explore(first);
    EXPECT_TRUE(holds) << ranks << " ranks";
    EXPECT_GT(states, 100U);
    std::printf("%u ranks, %d messages: %zu states\n", ranks, sends, states);

    scene broken(ranks, sends);
    broken.answers_early = true;
    broken.tasks[ranks - 1] = 1;
    for (unsigned k = 0; k < ranks; ++k) broken.look(k);
    EXPECT_FALSE(explore(broken).first) << ranks << " ranks";
    if (ranks == 2) continue;  // where one receiver is as good as two

    scene together(ranks, sends);
    together.counts_together = true;
    together.tasks[ranks - 1] = 1;
    for (unsigned k = 0; k < ranks; ++k) together.look(k);
    EXPECT_FALSE(explore(together).first) << ranks << " ranks";
  }
}

}  // namespace
}  // namespace evencube
