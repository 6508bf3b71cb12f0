// The weak memory model by the classic tests: coherence, the order of stores, and what releases.

#include <memory>

#include "litmus.hpp"

namespace evencube::explorer {
namespace {

// -- Coherence ---------------------------------------------------------------------------------

struct reads_read : litmus<2> {
  void run(unsigned k) override {
    if (k == 0) {
      x.store(1, relaxed);
      x.store(2, relaxed);
    } else {
      for (int i = 0; i < 3; ++i) seen[i] = x.load(relaxed);
    }
  }
  void check() override { outcome(seen[0] > seen[1] || seen[1] > seen[2]); }
};
struct reads_its_own : litmus<2> {
  void run(unsigned k) override {
    if (k == 0) {
      x.store(1, relaxed);
      seen[0] = x.load(relaxed);
      seen[1] = x.load(relaxed);
    } else {
      x.store(2, relaxed);
    }
  }
  void check() override { outcome(seen[0] == 0 || (seen[0] == 2 && seen[1] == 1)); }
};
struct writes_write : litmus<2> {
  void run(unsigned k) override {
    if (k == 0) {
      x.store(1, relaxed);
      x.store(2, relaxed);
    } else {
      seen[0] = x.load(relaxed);
      x.store(3, relaxed);
    }
  }
  void check() override { outcome(x.load() == 1 || (seen[0] == 2 && x.load() == 2)); }
};
// Two who look see the stores in the same order.
struct two_look : litmus<4> {
  void run(unsigned k) override {
    if (k < 2) return x.store(static_cast<int>(k) + 1, relaxed);
    seen[2 * k - 4] = x.load(relaxed);
    seen[2 * k - 3] = x.load(relaxed);
  }
  void check() override { outcome(seen[0] == 1 && seen[1] == 2 && seen[2] == 2 && seen[3] == 1); }
};

TEST(litmus_writes, one_variable_is_coherent_even_if_relaxed) {
  EXPECT_FALSE(allows<reads_read>());
  EXPECT_FALSE(allows<reads_its_own>());
  EXPECT_FALSE(allows<writes_write>());
  EXPECT_FALSE(allows<two_look>());
}

// A value is not read again and again for ever.
struct looks_often : litmus<2> {
  void run(unsigned k) override {
    if (k == 0) return x.store(1, relaxed);
    while (x.load(relaxed) == 0) explored::pause();
  }
};

TEST(litmus_writes, who_looks_again_sees_the_newest_value_in_the_end) {
  EXPECT_FALSE(allows<looks_often>());
}

// The first store of one comes after the second of the other, both ways round.
template <std::memory_order Order>
struct two_plus_two_writes : litmus<2> {
  void run(unsigned k) override {
    var& first = k == 0 ? x : y;
    var& second = k == 0 ? y : x;
    first.store(1, Order);
    second.store(2, Order);
  }
  void check() override { outcome(x.load() == 1 && y.load() == 1); }
};
// The second thread's store comes before one that the first made earlier than what the second saw.
template <std::memory_order Order>
struct late_store : litmus<2> {
  void run(unsigned k) override {
    if (k == 0) {
      x.store(1, relaxed);
      y.store(1, Order);
    } else {
      seen[0] = y.load(acquire);
      x.store(2, relaxed);
    }
  }
  void check() override { outcome(seen[0] == 1 && x.load() == 1); }
};
// Nothing comes between a read-modify-write and what it read.
struct torn_apart : litmus<2> {
  void run(unsigned k) override {
    if (k == 0) {
      seen[0] = x.fetch_add(1, relaxed);
    } else {
      x.store(5, relaxed);
    }
  }
  void check() override { outcome(seen[0] == 0 && x.load() == 1); }
};
// A read-modify-write comes before a store that was made earlier.
template <std::memory_order Order>
struct modified_before : litmus<2> {
  void run(unsigned k) override {
    if (k == 0) {
      x.store(5, relaxed);
      y.store(1, Order);
    } else {
      seen[0] = y.load(acquire);
      seen[1] = x.fetch_add(1, relaxed);
    }
  }
  void check() override { outcome(seen[0] == 1 && seen[1] == 0 && x.load() == 5); }
};
// Each finds another store: three of a kind with one store among them.
struct only_modified : litmus<3> {
  void run(unsigned k) override {
    if (k == 0) x.store(10, relaxed);
    seen[k] = x.fetch_add(1, relaxed);
  }
  void check() override { outcome(seen[1] == seen[2] || seen[0] == seen[1] || seen[0] == seen[2]); }
};

TEST(litmus_writes, stores_come_late_unless_they_are_ordered) {
  EXPECT_TRUE(allows<two_plus_two_writes<relaxed>>());
  EXPECT_TRUE(allows<two_plus_two_writes<release>>());
  EXPECT_FALSE(allows<two_plus_two_writes<seq_cst>>());
  EXPECT_TRUE(allows<late_store<relaxed>>());
  EXPECT_FALSE(allows<late_store<release>>());
  EXPECT_TRUE(allows<modified_before<relaxed>>());
  EXPECT_FALSE(allows<modified_before<release>>());
}

TEST(litmus_writes, read_modify_writes_are_not_torn) {
  EXPECT_FALSE(allows<torn_apart>());
  EXPECT_FALSE(allows<only_modified>());
}

// -- Release sequences and data races ----------------------------------------------------------

template <bool Stores>
struct sequence_of_three : litmus<3> {
  void run(unsigned k) override {
    if (k == 0) {
      x.store(1, relaxed);
      y.store(1, release);
    } else if (k == 1) {
      if constexpr (Stores) {
        if (y.load(relaxed) == 1) y.store(2, relaxed);
      } else {
        y.fetch_add(1, relaxed);
      }
    } else {
      seen[0] = y.load(acquire);
      seen[1] = x.load(relaxed);
    }
  }
  void check() override { outcome(seen[0] == 2 && seen[1] == 0); }
};

TEST(litmus_writes, a_release_sequence_goes_on_through_a_read_modify_write) {
  EXPECT_FALSE(allows<sequence_of_three<false>>());
  EXPECT_TRUE(allows<sequence_of_three<true>>());
}

// One that comes before a store that releases continues what it reads, and not that store.
struct continues_what_it_read : litmus<3> {
  var z{0};
  void run(unsigned k) override {
    if (k == 0) {
      y.store(1, relaxed);
      x.store(1, release);
      z.store(1, relaxed);
    } else if (k == 1) {
      seen[0] = z.load(relaxed);
      seen[1] = x.exchange(5, relaxed);
    } else {
      seen[2] = x.load(acquire);
      seen[3] = y.load(relaxed);
    }
  }
  void check() override { outcome(seen[0] == 1 && seen[1] == 0 && seen[2] == 5 && seen[3] == 0); }
};

TEST(litmus_writes, a_read_modify_write_continues_what_it_read) {
  EXPECT_TRUE(allows<continues_what_it_read>());
}

// The text belongs to the second of two stores.
template <std::memory_order Order>
struct rises_twice : litmus<2> {
  explored::plain<int> text{0};
  void run(unsigned k) override {
    if (k == 0) {
      x.store(1, relaxed);
      text = 42;
      x.store(2, Order);
    } else if (x.load(acquire) == 2) {
      require(text == 42, "the text is not there");
    }
  }
};
// The flag is down again when the other word says so: only an older value lets the reader in.
template <std::memory_order Order>
struct late_reader : litmus<2> {
  explored::plain<int> text{0};
  void run(unsigned k) override {
    if (k == 0) {
      x.store(1, release);
      x.store(0, relaxed);
      y.store(1, Order);
      text = 2;
    } else if (y.load(acquire) == 1 && x.load(acquire) == 1) {
      require(text == 0, "the text is another one");
    }
  }
};

TEST(litmus_writes, data_races_are_found) {
  const exploration how{.model = memory_model::weak};
  EXPECT_EQ(explore<rises_twice<release>>(how).counterexample, "");
  EXPECT_NE(explore<rises_twice<relaxed>>(how).counterexample.find("data race"), std::string::npos);
  EXPECT_NE(explore<late_reader<relaxed>>(how).counterexample.find("data race"), std::string::npos);
  EXPECT_EQ(explore<late_reader<release>>(how).counterexample, "");
  EXPECT_EQ(explore<late_reader<relaxed>>().counterexample, "");
}

// What is made by one thread and handed to another without order.
template <std::memory_order Order>
struct handed_over : litmus<2> {
  std::unique_ptr<var> made;
  explored::atomic<var*> handed{nullptr};
  void run(unsigned k) override {
    if (k == 0) {
      made = std::make_unique<var>(7);
      handed.store(made.get(), Order);
    } else if (var* const found = handed.load(acquire); found != nullptr) {
      require(found->load(relaxed) == 7, "the value is not there");
    }
  }
};

TEST(litmus_writes, variables_are_made_before_they_are_used) {
  for (const memory_model model : {memory_model::sequential, memory_model::weak}) {
    EXPECT_EQ(explore<handed_over<release>>({.model = model}).counterexample, "");
    EXPECT_NE(explore<handed_over<relaxed>>({.model = model}).counterexample.find("data race"),
              std::string::npos);
  }
}

// -- Compare-and-swap --------------------------------------------------------------------------

// One that fails is a load, and may find an older value.
template <std::memory_order Order>
struct fails_late : litmus<2> {
  void run(unsigned k) override {
    if (k == 0) {
      x.store(5, relaxed);
      y.store(1, release);
    } else {
      seen[0] = y.load(Order);
      int expected = 7;
      require(!x.compare_exchange_strong(expected, 8, relaxed, relaxed), "no 7 was there");
      seen[1] = expected;
    }
  }
  void check() override { outcome(seen[0] == 1 && seen[1] == 0); }
};
// One that succeeds does not overlook another.
struct exactly_one : litmus<2> {
  void run(unsigned k) override {
    int expected = 0;
    seen[k] = x.compare_exchange_strong(expected, 1, relaxed, relaxed) ? 1 : 0;
  }
  void check() override { outcome(seen[0] + seen[1] != 1); }
};

TEST(litmus_writes, a_compare_and_swap_that_fails_is_a_load) {
  EXPECT_TRUE(allows<fails_late<relaxed>>());
  EXPECT_FALSE(allows<fails_late<acquire>>());
  EXPECT_FALSE(allows<exactly_one>());
}

}  // namespace
}  // namespace evencube::explorer
