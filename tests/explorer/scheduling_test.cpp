// What threads do besides atomics: timed sleeps, spinning, locks, the clock, and who is woken. And
// schedules by chance.

#include <gtest/gtest.h>

#include <mutex>

#include "explore.hpp"

namespace evencube::explorer {
namespace {

template <typename T>
using var = explored::atomic<T>;
using word = explored::atomic<std::uint32_t>;

struct two_threads : scenario {
  [[nodiscard]] unsigned threads() const override { return 2; }
};

template <typename Scenario>
std::string wrong(const exploration& how = {}) {
  return explore<Scenario>(how).counterexample;
}
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

constexpr memory_model all_models[] = {memory_model::sequential, memory_model::store_buffers,
                                       memory_model::weak};

// -- Timed sleeps ------------------------------------------------------------------------------

template <typename Outcome>
struct timed : two_threads {
  word bell{0};
  bool woken = false;
  std::int64_t slept = 0;
  void run(unsigned k) override {
    if (k == 0) {
      const std::int64_t began = explored::now_ns();
      woken = explored::wait_for(bell, 0, 5000);
      slept = explored::now_ns() - began;
    } else {
      bell.store(1);
      explored::wake(bell, 1);
    }
  }
  void check() override { require(!Outcome()(*this), "the outcome"); }
};
struct woken_at_once {
  bool operator()(const auto& s) const { return s.woken && s.slept == 0; }
};
struct time_over {
  bool operator()(const auto& s) const { return !s.woken && s.slept >= 5000; }
};
struct too_early {
  bool operator()(const auto& s) const { return !s.woken && s.slept < 5000; }
};

TEST(scheduling, a_timed_sleep_ends_by_a_wake_or_by_time) {
  for (const memory_model model : all_models) {
    EXPECT_TRUE(has(wrong<timed<woken_at_once>>({.model = model}), "the outcome"));
    EXPECT_TRUE(has(wrong<timed<time_over>>({.model = model}), "its time is over"));
    EXPECT_EQ(wrong<timed<too_early>>({.model = model}), "");
  }
  // Time that is over before somebody else could have gone on is a preemption.
  EXPECT_EQ(wrong<timed<time_over>>({.preemptions = 0}), "");
}

// Nobody wakes: the sleeps end in the order of their times.
struct alone_in_time : two_threads {
  word bell{0};
  int first = -1;
  void run(unsigned k) override {
    require(!explored::wait_for(bell, 0, k == 0 ? 3000 : 2000), "who woke it?");
    if (first < 0) first = static_cast<int>(k);
  }
  void check() override { require(first == 1, "the longer sleep ended first"); }
};

TEST(scheduling, time_passes_when_all_sleep) {
  EXPECT_EQ(wrong<alone_in_time>({.preemptions = 0}), "");
  EXPECT_TRUE(has(wrong<alone_in_time>({.preemptions = 1}), "ended first"));  // was interrupted
}

// One who told nobody is noticed because of the time alone.
struct mended_by_time : two_threads {
  word bell{0};
  void run(unsigned k) override {
    if (k == 1) return bell.store(1);
    while (bell.load() == 0) explored::wait_for(bell, 0, 1000);
  }
};

TEST(scheduling, what_only_time_mends_is_found_where_no_time_passes) {
  EXPECT_EQ(wrong<mended_by_time>(), "");
  EXPECT_TRUE(has(wrong<mended_by_time>({.time_outs = false}), "nobody can go on"));
}

// -- Deadlocks ---------------------------------------------------------------------------------

struct three_asleep : scenario {
  word bells[3];
  explored::mutex door;
  [[nodiscard]] unsigned threads() const override { return 3; }
  void hang() { explored::wait(bells[1], 0); }
  void run(unsigned k) override {
    if (k == 0) {
      const std::lock_guard<explored::mutex> in(door);
      explored::wait(bells[0], 0);
    } else if (k == 1) {
      bells[2].store(7);
      hang();
    } else if (bells[2].load() == 7) {
      door.lock();
    }
  }
};

TEST(scheduling, a_deadlock_says_where_everybody_sleeps) {
  const std::string found = wrong<three_asleep>({.preemptions = 0});
  EXPECT_TRUE(has(found, "nobody can go on: thread 1 sleeps in run:")) << found;
  EXPECT_TRUE(has(found, "thread 2 sleeps in hang:")) << found;
  EXPECT_TRUE(has(found, ", after run:")) << found;
  EXPECT_TRUE(has(found, "thread 3 waits in run:")) << found;
  EXPECT_TRUE(has(found, "for a lock that thread 1 holds")) << found;
}

// -- Who is woken ------------------------------------------------------------------------------

template <unsigned First>
struct one_of_two : scenario {
  word bell{0};
  var<unsigned> order{0};
  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k < 2) {
      explored::wait(bell, 0);
      unsigned nobody = 0;
      order.compare_exchange_strong(nobody, k + 1);
    } else {
      explored::wake(bell, 1);
      bell.store(1);
      explored::wake(bell, 2);
    }
  }
  void check() override { require(order.load() != First, "the outcome"); }
};

TEST(scheduling, a_wake_finds_any_sleeper) {
  EXPECT_TRUE(has(wrong<one_of_two<1>>({.preemptions = 0}), "the outcome"));
  EXPECT_TRUE(has(wrong<one_of_two<2>>({.preemptions = 0}), "the outcome"));
}

// -- Spinning ----------------------------------------------------------------------------------

struct spins_until_told : two_threads {
  word told{0};
  void run(unsigned k) override {
    if (k == 1) return told.store(1);
    while (told.load(std::memory_order_acquire) == 0) explored::pause();
  }
};
// The two spin for each other in turn; a third thread is between them.
struct spin_in_turn : scenario {
  word turn{0};
  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    for (std::uint32_t round = 0; round < 2; ++round) {
      while (turn.load() != 3 * round + k) explored::pause();
      turn.fetch_add(1);
    }
  }
};
struct spins_for_ever : two_threads {
  word told{0};
  void run(unsigned k) override {
    while (k == 0 && told.load() == 0) explored::pause();
  }
};

TEST(scheduling, who_spins_lets_others_go_on) {
  for (const memory_model model : all_models) {
    EXPECT_EQ(wrong<spins_until_told>({.model = model, .preemptions = 4}), "");
    EXPECT_EQ(wrong<spin_in_turn>({.model = model, .preemptions = 2}), "");
    EXPECT_TRUE(has(wrong<spins_for_ever>({.model = model}), "no end"));
  }
}

// Spinning has an end by a count or by the clock, and what comes then meets everything that the
// other thread may do meanwhile.
template <bool ByClock>
struct gives_up : two_threads {
  word told{0};
  bool gave_up = false;
  void run(unsigned k) override {
    if (k == 1) return told.store(1);
    const std::int64_t until = explored::now_ns() + 50'000;
    for (int i = 0; told.load() == 0; ++i) {
      if (ByClock ? explored::now_ns() >= until : i == 20) {
        gave_up = true;
        return;
      }
      explored::pause();
    }
  }
  void check() override { require(!gave_up, "gave up"); }
};

TEST(scheduling, who_spins_may_give_up_first) {
  EXPECT_EQ(wrong<gives_up<true>>({.preemptions = 0}), "");
  EXPECT_TRUE(has(wrong<gives_up<true>>({.preemptions = 1}), "gave up"));
  EXPECT_EQ(wrong<gives_up<false>>({.preemptions = 0}), "");
  EXPECT_TRUE(has(wrong<gives_up<false>>({.preemptions = 1}), "gave up"));
}

// Somebody spins until another one's timed sleep has ended.
struct spins_through_a_sleep : two_threads {
  word bell{0};
  word told{0};
  void run(unsigned k) override {
    if (k == 1) {
      explored::wait_for(bell, 0, 1'000'000'000);
      return told.store(1);
    }
    while (told.load() == 0) explored::pause();
  }
};

TEST(scheduling, time_passes_while_somebody_spins) {
  EXPECT_EQ(wrong<spins_through_a_sleep>({.preemptions = 2}), "");
}

// -- Locks -------------------------------------------------------------------------------------

template <bool Locks>
struct counts : two_threads {
  explored::mutex door;
  explored::plain<int> count{0};
  void run(unsigned) override {
    for (int i = 0; i < 2; ++i) {
      if (Locks) {
        const std::lock_guard<explored::mutex> in(door);
        ++count;
      } else if (door.try_lock()) {
        count += 1;
        door.unlock();
      }
    }
  }
  void check() override { require(count.get() == 4, "a count is lost"); }
};
struct forgets_to_lock : two_threads {
  explored::mutex door;
  explored::plain<int> count{0};
  void run(unsigned k) override {
    if (k == 0) door.lock();
    ++count;
    if (k == 0) door.unlock();
  }
};
struct locks_twice : two_threads {
  explored::mutex doors[2];
  void run(unsigned k) override {
    const std::lock_guard<explored::mutex> first(doors[k]);
    const std::lock_guard<explored::mutex> second(doors[1 - k]);
  }
};

TEST(scheduling, a_lock_keeps_others_out) {
  for (const memory_model model : all_models) {
    EXPECT_EQ(wrong<counts<true>>({.model = model, .preemptions = 4}), "");
    EXPECT_TRUE(has(wrong<counts<false>>({.model = model}), "a count is lost"));
    EXPECT_TRUE(has(wrong<forgets_to_lock>({.model = model}), "data race"));
    EXPECT_TRUE(has(wrong<locks_twice>({.model = model}), "nobody can go on"));
  }
}

// -- What fails for nothing --------------------------------------------------------------------

template <bool Weak>
struct swaps_once : two_threads {
  word at{0};
  void run(unsigned k) override {
    std::uint32_t expected = 0;
    if (k == 1) return;
    require(Weak ? at.compare_exchange_weak(expected, 1) : at.compare_exchange_strong(expected, 1),
            "failed for nothing");
  }
};

TEST(scheduling, a_weak_compare_and_swap_fails_for_nothing) {
  EXPECT_TRUE(has(wrong<swaps_once<true>>(), "failed for nothing"));
  EXPECT_EQ(wrong<swaps_once<true>>({.failures = 0}), "");
  EXPECT_EQ(wrong<swaps_once<false>>(), "");
}

// -- Schedules by chance -----------------------------------------------------------------------

// Goes wrong only if the second thread looks for the first time in one piece of the first thread's
// steps and for the second time in another, between noise of all sorts.
struct rare : scenario {
  word at{0};
  word noise{0};
  [[nodiscard]] unsigned threads() const override { return 5; }
  void make_noise() {
    for (int i = 0; i < 10; ++i) noise.fetch_add(1, std::memory_order_relaxed);
  }
  void run(unsigned k) override {
    if (k == 1) {
      if (at.load() != 1) return;
      make_noise();
      require(at.load() != 2, "the rare outcome");
      return;
    }
    for (std::uint32_t stage = 1; stage <= 3; ++stage) {
      make_noise();
      if (k == 0) at.store(stage);
    }
  }
};

TEST(scheduling, random_schedules_find_what_is_rare) {
  for (const memory_model model : all_models) {
    const outcome found =
        explore<rare>({.model = model, .preemptions = 3, .random_schedules = 20'000, .seed = 5});
    EXPECT_TRUE(has(found.counterexample, "the rare outcome"));
    EXPECT_TRUE(has(found.counterexample, "random schedule "));
    EXPECT_LT(found.schedules, 20'000U);
    // The same seed, the same schedule.
    const outcome again =
        explore<rare>({.model = model, .preemptions = 3, .random_schedules = 20'000, .seed = 5});
    EXPECT_EQ(again.counterexample, found.counterexample);
    EXPECT_EQ(again.schedules, found.schedules);
  }
}

TEST(scheduling, random_schedules_find_nothing_where_nothing_is_wrong) {
  for (const memory_model model : all_models) {
    const outcome found = explore<counts<true>>({.model = model, .random_schedules = 500});
    EXPECT_EQ(found.counterexample, "");
    EXPECT_EQ(found.schedules, 500U);
  }
}

// What the report says to see a schedule again, the environment is set to.
template <typename Scenario>
void expect_replayed(const exploration& how) {
  const std::string found = wrong<Scenario>(how);
  constexpr const char* variable = "EVENCUBE_EXPLORER_REPLAY";
  const std::size_t at = found.find(variable);
  ASSERT_NE(at, std::string::npos) << found;
  const std::size_t begin = at + std::string(variable).size() + 1;
  setenv(variable, found.substr(begin, found.find('\n', begin) - begin).c_str(), 1);
  const std::string again = wrong<Scenario>(how);
  unsetenv(variable);
  // The same steps and the same end; only the line about how it was found is another one.
  const auto steps = [](const std::string& report) { return report.substr(report.find(":\n")); };
  EXPECT_EQ(steps(again), steps(found));
}

TEST(scheduling, a_counterexample_is_seen_again) {
  for (const memory_model model : all_models) {
    expect_replayed<forgets_to_lock>({.model = model});
    expect_replayed<locks_twice>({.model = model});
    expect_replayed<timed<time_over>>({.model = model});
    expect_replayed<swaps_once<true>>({.model = model});
    expect_replayed<rare>({.model = model, .preemptions = 3, .random_schedules = 20'000});
  }
}

}  // namespace
}  // namespace evencube::explorer
