#include <gtest/gtest.h>

#include "explore.hpp"

namespace evencube::explorer {
namespace {

template <typename T>
using var = explored::atomic<T>;

struct two_threads : scenario {
  [[nodiscard]] unsigned threads() const override { return 2; }
};

// Each thread raises its flag and reads the other's flag. Under sequential consistency at least one
// thread sees the other's flag.
template <std::memory_order Order>
struct flags : two_threads {
  var<int> flag[2];
  int seen[2] = {0, 0};
  void run(unsigned k) override {
    flag[k].store(1, Order);
    seen[k] = flag[1 - k].load(Order);
  }
  void check() override { require(seen[0] + seen[1] != 0, "neither saw the other"); }
};

TEST(explorer, store_buffers_hide_a_release_store_from_the_other_thread) {
  using released = flags<std::memory_order_release>;
  EXPECT_EQ(explore<released>().counterexample, "");
  const outcome found = explore<released>({.model = memory_model::store_buffers});
  EXPECT_NE(found.counterexample.find("neither saw the other"), std::string::npos);
}

TEST(explorer, store_buffers_empty_at_a_sequentially_consistent_store) {
  EXPECT_EQ(explore<flags<std::memory_order_seq_cst>>(
                {.model = memory_model::store_buffers, .preemptions = 6})
                .counterexample,
            "");
}

// A missing release never shows on x86; it shows in the relation of happens-before.
template <std::memory_order Order>
struct message : two_threads {
  explored::plain<int> text{0};
  var<int> sent{0};
  void run(unsigned k) override {
    if (k == 0) {
      text = 42;
      sent.store(1, Order);
    } else if (sent.load(std::memory_order_acquire) != 0) {
      require(text == 42, "the text is not there");
    }
  }
};

TEST(explorer, a_message_needs_a_release) {
  EXPECT_EQ(explore<message<std::memory_order_release>>().counterexample, "");
  const outcome found = explore<message<std::memory_order_relaxed>>();
  EXPECT_NE(found.counterexample.find("data race"), std::string::npos);
  EXPECT_NE(found.counterexample.find("EVENCUBE_EXPLORER_REPLAY=sequential:"), std::string::npos);
}

// A read-modify-write by a third thread continues the release sequence; a store ends it.
template <bool Stores>
struct passed_on : scenario {
  explored::plain<int> text{0};
  var<int> sent{0};
  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k == 0) {
      text = 42;
      sent.store(1, std::memory_order_release);
    } else if (k == 1) {
      if constexpr (Stores) {
        if (sent.load(std::memory_order_relaxed) == 1) sent.store(2, std::memory_order_relaxed);
      } else {
        sent.fetch_add(1, std::memory_order_relaxed);
      }
    } else if (sent.load(std::memory_order_acquire) == 2) {
      require(text == 42, "the text is not there");
    }
  }
};

TEST(explorer, a_release_sequence_goes_on_through_a_read_modify_write) {
  EXPECT_EQ(explore<passed_on<false>>().counterexample, "");
  EXPECT_NE(explore<passed_on<true>>().counterexample.find("data race"), std::string::npos);
}

// Two threads that add by a load and a store lose an addition only if one thread is interrupted.
struct torn_counter : two_threads {
  var<int> count{0};
  void run(unsigned) override { count.store(count.load() + 1); }
  void check() override { require(count.load() == 2, "an addition is lost"); }
};

TEST(explorer, a_counterexample_has_the_fewest_preemptions) {
  EXPECT_EQ(explore<torn_counter>({.preemptions = 0}).counterexample, "");
  const outcome found = explore<torn_counter>({.preemptions = 5});
  EXPECT_EQ(found.preemptions, 1U);
  EXPECT_NE(found.counterexample.find("an addition is lost"), std::string::npos);
}

struct counter : two_threads {
  var<int> count{0};
  void run(unsigned) override { count.fetch_add(1); }
  void check() override { require(count.load() == 2, "an addition is lost"); }
};

TEST(explorer, a_mutation_tears_a_read_modify_write) {
  EXPECT_EQ(explore<counter>().counterexample, "");
  EXPECT_NE(explore<counter>({.mutations = {{harm::tear, "run", action::fetch_add}}})
                .counterexample.find("an addition is lost"),
            std::string::npos);
}

// The sleeper checks the word and then sleeps; the kernel checks it once more.
template <bool Wakes>
struct sleeper : two_threads {
  var<std::uint32_t> word{0};
  void run(unsigned k) override {
    if (k == 0) {
      while (word.load() == 0) explored::wait(word, 0);
    } else {
      word.store(1);
      if (Wakes) explored::wake(word, 1);
    }
  }
};

TEST(explorer, a_sleep_that_nobody_ends_is_found) {
  EXPECT_EQ(explore<sleeper<true>>({.preemptions = 4}).counterexample, "");
  EXPECT_NE(explore<sleeper<false>>().counterexample.find("thread 1 sleeps"), std::string::npos);
}

struct dropped : two_threads {
  std::unique_ptr<var<int>> shared = std::make_unique<var<int>>(0);
  void run(unsigned k) override {
    if (k == 0) {
      shared->store(1);
    } else if (shared->load() == 1) {
      shared.reset();
    }
  }
};
struct dropped_too_early : two_threads {
  std::unique_ptr<var<int>> shared = std::make_unique<var<int>>(0);
  void run(unsigned k) override {
    var<int>* const mine = shared.get();
    if (k == 0) {
      mine->load();
      shared.reset();
    } else if (mine != nullptr) {
      mine->load();
      mine->load();
    }
  }
};

TEST(explorer, memory_that_is_gone_is_not_touched) {
  EXPECT_EQ(explore<dropped>().counterexample, "");
  EXPECT_NE(explore<dropped_too_early>().counterexample.find("memory that is gone"),
            std::string::npos);
}

struct endless : two_threads {
  var<int> never{0};
  void run(unsigned k) override {
    while (k == 0 && never.load() == 0) {
    }
  }
};

TEST(explorer, a_loop_without_end_is_found) {
  EXPECT_NE(explore<endless>().counterexample.find("no end"), std::string::npos);
}

// All orders of three times three steps, with the largest possible number of interruptions: the 9!
// / 3!^3 interleavings collapse to a few states.
struct nine_steps : scenario {
  var<int> sum{0};
  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    for (int i = 0; i < 3; ++i) sum.fetch_add(1 << (8 * k), std::memory_order_relaxed);
  }
  void check() override { require(sum.load() == 0x030303, "an addition is lost"); }
};

TEST(explorer, known_states_are_not_explored_again) {
  const outcome all = explore<nine_steps>({.preemptions = 9});
  EXPECT_EQ(all.counterexample, "");
  EXPECT_LT(all.schedules, 20'000U);
}

}  // namespace
}  // namespace evencube::explorer
