// Lifelines alone: ranks are numbers, messages lie in queues, what happens next is drawn, and time
// is given.
#include "lifelines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "../runtime/repetitions.hpp"

namespace evencube {
namespace {

using detail::lifelines;
using detail::need;
using std::chrono::milliseconds;

constexpr lifelines::clock::time_point start{};

TEST(lifelines, ask_the_neighbours_and_then_others_ever_more_rarely) {
  lifelines one(5, 8);
  auto now = start + std::chrono::hours(1);
  for (const unsigned neighbour : {4U, 7U, 1U}) {
    EXPECT_EQ(one.ask(need::now, now), neighbour);
    EXPECT_FALSE(one.ask(need::now, now)) << "has not answered yet";
    one.refused(neighbour);
  }
  auto pause = lifelines::patience;
  for (const unsigned other : {6U, 0U, 2U, 3U}) {
    EXPECT_FALSE(one.ask(need::now, now + pause - milliseconds{1}));
    now += pause;
    EXPECT_EQ(one.ask(need::now, now), other);
    one.refused(other);
    pause *= 2;
  }
  EXPECT_FALSE(one.ask(need::now, now + std::chrono::hours(1))) << "all owe tasks";
  one.got_tasks(7);
  EXPECT_EQ(one.ask(need::now, now), 7U);
}

TEST(lifelines, ask_the_neighbours_in_turn_if_all_give) {
  lifelines one(5, 8);
  for (const unsigned neighbour : {4U, 7U, 1U, 4U, 7U}) {
    EXPECT_EQ(one.ask(need::now, start), neighbour);
    one.got_tasks(neighbour);
  }
}

TEST(lifelines, ask_another_rank_if_one_does_not_answer) {
  lifelines one(0, 4);
  EXPECT_EQ(one.ask(need::now, start), 1U);
  EXPECT_FALSE(one.ask(need::now, start + lifelines::patience / 2));
  EXPECT_EQ(one.ask(need::now, start + lifelines::patience), 2U);
  one.refused(1);
  EXPECT_FALSE(one.ask(need::now, start + lifelines::patience)) << "the last one has not answered";
  one.got_tasks(2);
  EXPECT_EQ(one.ask(need::now, start + lifelines::patience), 2U) << "the other one owes tasks";
}

TEST(lifelines, ask_again_when_tasks_are_needed_now) {
  lifelines one(0, 4);
  for (const unsigned neighbour : {1U, 2U}) {
    EXPECT_EQ(one.ask(need::soon, start), neighbour);
    one.refused(neighbour);
  }
  EXPECT_FALSE(one.ask(need::soon, start + std::chrono::hours(1))) << "asks no others";
  for (const unsigned neighbour : {1U, 2U}) {
    EXPECT_EQ(one.ask(need::now, start), neighbour);
    one.refused(neighbour);
  }
  EXPECT_FALSE(one.ask(need::now, start));
  EXPECT_FALSE(one.ask(need::soon, start)) << "they know more than that";
}

TEST(lifelines, remember_in_order_whom_they_owe) {
  lifelines one(0, 8);
  EXPECT_FALSE(one.first_creditor());
  const auto first = [&] { return one.first_creditor()->rank; };
  for (const unsigned other : {4U, 1U, 4U, 2U}) one.owe(other, need::soon);
  EXPECT_EQ(first(), 4U);
  one.owe(1, need::now);
  EXPECT_EQ(first(), 1U) << "needs tasks now";
  one.owe(1, need::soon);
  EXPECT_EQ(first(), 1U);
  one.gave(1);
  EXPECT_EQ(first(), 4U);
  one.gave(2);
  one.gave(4);
  EXPECT_FALSE(one.first_creditor());
}

TEST(lifelines, ask_nobody_if_there_is_nobody) {
  EXPECT_FALSE(lifelines(0, 1).ask(need::now, start));
}

/// Ranks with tasks that never end. Each runs one and has others that have not begun.
struct scene {
  enum class kind : std::uint8_t { question, refusal, tasks };
  struct message {
    kind what;
    need how = need::now;
    int tasks = 0;
  };

  scene(unsigned count, std::uint64_t seed)
      : ranks(count), random(seed), waiting(count), runs(count) {
    for (unsigned k = 0; k < count; ++k) lines.emplace_back(k, count);
  }

  void send(unsigned from, unsigned to, message what) {
    sent += 1;
    on_their_way[{from, to}].push_back(what);
  }
  bool give_half(unsigned from, unsigned to, need how) {
    if (waiting[from] < (how == need::now || gives_last ? 1 : 2)) return false;
    const int half = (waiting[from] + 1) / 2;
    waiting[from] -= half;
    send(from, to, {kind::tasks, how, half});
    lines[from].gave(to);
    return true;
  }
  void turn(unsigned rank) {
    if (!runs[rank] && waiting[rank] > 0) {
      runs[rank] = true;
      --waiting[rank];
    }
    while (const auto to = lines[rank].first_creditor()) {
      if (!give_half(rank, to->rank, to->how)) break;
    }
    if (waiting[rank] > 0) return;
    const auto owed = lines[rank].first_creditor();
    const need how = !runs[rank] || (owed && owed->how == need::now) ? need::now : need::soon;
    if (const std::optional<unsigned> other = lines[rank].ask(how, now)) {
      send(rank, *other, {kind::question, how});
    }
  }
  void deliver(unsigned from, unsigned to, message what) {
    switch (what.what) {
      case kind::question:
        if (give_half(to, from, what.how)) break;
        if (!forgets) lines[to].owe(from, what.how);
        send(to, from, {kind::refusal});
        break;
      case kind::refusal:
        lines[to].refused(from);
        break;
      case kind::tasks:
        waiting[to] += what.tasks;
        lines[to].got_tasks(from);
        break;
    }
    turn(to);
  }
  /// Goes on for a time. Messages to the rank `still` stay on their way.
  void run(lifelines::clock::duration time, std::optional<unsigned> still = std::nullopt) {
    for (const auto end = now + time; now < end; now += milliseconds{5}) {
      for (unsigned k = 0; k < ranks; ++k) {
        if (k != still) turn(k);
      }
      for (;;) {
        std::vector<std::pair<unsigned, unsigned>> links;
        for (const auto& [link, messages] : on_their_way) {
          if (!messages.empty() && link.second != still) links.push_back(link);
        }
        if (links.empty() || random() % 64 == 0) break;
        const auto [from, to] = links[random() % links.size()];
        const message next = on_their_way[{from, to}].front();
        on_their_way[{from, to}].pop_front();
        deliver(from, to, next);
      }
    }
  }

  // Faults: busy ranks get last tasks, and a rank that has refused owes nothing.
  bool gives_last = false;
  bool forgets = false;

  unsigned ranks;
  std::mt19937_64 random;
  std::vector<lifelines> lines;
  std::vector<int> waiting;
  std::vector<bool> runs;
  std::map<std::pair<unsigned, unsigned>, std::deque<message>> on_their_way;
  std::uint64_t sent = 0;
  lifelines::clock::time_point now = start + std::chrono::hours(1);
};

TEST(lifelines, bring_a_task_to_every_rank) {
  for (unsigned ranks = 1; ranks <= 40; ++ranks) {
    for (int seed = 0; seed < test::repetitions(5); ++seed) {
      scene s(ranks, static_cast<std::uint64_t>(seed));
      // Some ranks ask before there is anything.
      s.run(milliseconds{seed % 3 * 20});
      s.waiting[s.random() % ranks] = static_cast<int>(2 * ranks);
      s.run(std::chrono::seconds{1});
      for (unsigned k = 0; k < ranks; ++k) {
        ASSERT_TRUE(s.runs[k]) << "rank " << k << " of " << ranks << ", seed " << seed;
      }
    }
  }
}

TEST(lifelines, bring_tasks_past_a_rank_that_stands_still) {
  for (unsigned ranks = 3; ranks <= 16; ++ranks) {
    for (unsigned still = 0; still < ranks; ++still) {
      scene s(ranks, still);
      s.run(milliseconds{20});  // the rank stands still after it has asked, and is owed tasks
      // A rank that still owes tasks to that one sends it half of what it has.
      s.waiting[(still + 1) % ranks] = 10'000;
      s.run(std::chrono::minutes{2}, still);
      for (unsigned k = 0; k < ranks; ++k) {
        if (k == still) continue;
        ASSERT_TRUE(s.runs[k]) << "rank " << k << " of " << ranks << ", not of " << still;
      }
    }
  }
}

TEST(lifelines, leave_tasks_where_they_are_while_all_ranks_are_busy) {
  for (unsigned ranks = 2; ranks <= 40; ++ranks) {
    for (int seed = 0; seed < test::repetitions(5); ++seed) {
      scene s(ranks, static_cast<std::uint64_t>(seed));
      s.runs.assign(ranks, true);
      for (unsigned k = 0; k < ranks; ++k) s.waiting[k] = static_cast<int>(s.random() % 4);
      s.run(std::chrono::seconds{1});
      // No rank has many while a neighbour has none, and nothing moves any more.
      const std::uint64_t sent = s.sent;
      const std::vector<int> before = s.waiting;
      s.run(std::chrono::seconds{20});
      EXPECT_EQ(s.sent, sent) << ranks << " ranks, seed " << seed;
      EXPECT_EQ(s.waiting, before) << ranks << " ranks, seed " << seed;
      for (unsigned k = 0; k < ranks; ++k) {
        for (unsigned bit = 1; bit < ranks; bit <<= 1) {
          const unsigned other = k ^ bit;
          if (other < ranks && before[k] == 0) {
            EXPECT_LE(before[other], 1);
          }
        }
      }
    }
  }
}

TEST(lifelines, are_silent_while_nothing_changes) {
  for (const unsigned ranks : {2U, 5U, 16U, 33U, 64U}) {
    scene s(ranks, ranks);
    s.run(std::chrono::seconds{20});
    // A question and a refusal for each neighbour, and for each doubling of the patience.
    const unsigned dimensions = static_cast<unsigned>(std::bit_width(ranks - 1));
    EXPECT_LE(s.sent, std::uint64_t{2} * ranks * (dimensions + 12)) << ranks << " ranks";
    const std::uint64_t before = s.sent;
    s.run(std::chrono::seconds{20});
    EXPECT_LE(s.sent - before, std::uint64_t{2} * ranks) << ranks << " ranks";
  }
}

/// All states to which a scene can come if messages and turns take place in any order, at one
/// moment: every rank answers before its patience ends. Running tasks may end and spawn others.
class all_states {
 public:
  /// Returns false if some run never ends, or if one ends while a rank has nothing to do and
  /// another one has a task to give.
  bool hold_from(const scene& now, int ends, int spawns) {
    const auto [place, is_new] = known_.try_emplace(key_of(now, ends, spawns), on_the_path);
    if (!is_new) return place->second != on_the_path;
    bool any = false;
    bool all_hold = true;
    const auto go_on = [&](const scene& then, int ends_left, int spawns_left) {
      if (key_of(then, ends_left, spawns_left) == place->first) return;
      any |= ends_left == ends && spawns_left == spawns;
      all_hold = all_hold && hold_from(then, ends_left, spawns_left);
    };
    for (const auto& [link, messages] : now.on_their_way) {
      if (messages.empty()) continue;
      scene then = now;
      then.on_their_way[link].pop_front();
      then.deliver(link.first, link.second, messages.front());
      go_on(then, ends, spawns);
    }
    for (unsigned k = 0; k < now.ranks; ++k) {
      scene then = now;
      then.turn(k);
      go_on(then, ends, spawns);
      if (!now.runs[k]) continue;
      if (ends > 0) {
        scene ended = now;
        ended.runs[k] = false;
        go_on(ended, ends - 1, spawns);
      }
      if (spawns > 0) {
        scene spawned = now;
        ++spawned.waiting[k];
        go_on(spawned, ends, spawns - 1);
      }
    }
    place->second = done;
    return all_hold && (any || !somebody_waits_in_vain(now));
  }
  [[nodiscard]] std::size_t count() const { return known_.size(); }

 private:
  using key = std::vector<std::uint64_t>;
  enum place_of_state : std::uint8_t { on_the_path, done };

  static bool somebody_waits_in_vain(const scene& now) {
    const bool has_tasks = std::ranges::any_of(now.waiting, [](int tasks) { return tasks > 0; });
    return has_tasks && std::ranges::any_of(now.runs, [](bool runs) { return !runs; });
  }
  key key_of(const scene& now, int ends, int spawns) {
    key made{static_cast<std::uint64_t>(ends), static_cast<std::uint64_t>(spawns)};
    for (unsigned k = 0; k < now.ranks; ++k) {
      const auto found = std::ranges::find(lines_, now.lines[k]);
      made.push_back(static_cast<std::uint64_t>(found - lines_.begin()));
      if (found == lines_.end()) lines_.push_back(now.lines[k]);
      made.push_back(static_cast<std::uint64_t>(now.waiting[k]));
      made.push_back(now.runs[k] ? 1 : 0);
    }
    for (const auto& [link, messages] : now.on_their_way) {
      if (messages.empty()) continue;
      made.insert(made.end(), {link.first, link.second, messages.size()});
      for (const scene::message& each : messages) {
        made.push_back(static_cast<std::uint64_t>(each.what));
        made.push_back(static_cast<std::uint64_t>(each.how));
        made.push_back(static_cast<std::uint64_t>(each.tasks));
      }
    }
    return made;
  }

  std::map<key, place_of_state> known_;
  std::vector<lifelines> lines_;
};

TEST(lifelines, hold_in_every_state_of_small_scenes) {
  struct size {
    unsigned ranks;
    int tasks, ends, spawns;
  };
  for (const auto& [ranks, tasks, ends, spawns] :
       {size{2, 4, 4, 2}, size{3, 3, 2, 1}, size{4, 3, 0, 0}}) {
    const auto first = [&, count = ranks, at_first = tasks] {
      scene made(count, 0);
      made.waiting[count - 1] = at_first;
      return made;
    };
    all_states states;
    EXPECT_TRUE(states.hold_from(first(), ends, spawns)) << ranks << " ranks";
    std::printf("%u ranks: %zu states\n", ranks, states.count());
    scene greedy = first();
    greedy.gives_last = true;
    EXPECT_FALSE(all_states().hold_from(greedy, ends, spawns)) << ranks << " ranks";
    scene forgetful = first();
    forgetful.forgets = true;
    EXPECT_FALSE(all_states().hold_from(forgetful, ends, spawns)) << ranks << " ranks";
  }
}

}  // namespace
}  // namespace evencube
