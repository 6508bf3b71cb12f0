// The weak memory model by the classic tests of memory models: which outcomes the C++ standard
// allows, and which not. Each scenario calls the outcome in question by `outcome`; a counterexample
// shows that the model has it.

#include <gtest/gtest.h>

#include "explore.hpp"

namespace evencube::explorer {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;
constexpr auto acq_rel = std::memory_order_acq_rel;
constexpr auto seq_cst = std::memory_order_seq_cst;

using var = explored::atomic<int>;

template <unsigned Threads>
struct litmus : scenario {
  var x{0};
  var y{0};
  int seen[6] = {-1, -1, -1, -1, -1, -1};
  [[nodiscard]] unsigned threads() const override { return Threads; }
  static void outcome(bool happened) { require(!happened, "the outcome"); }
};

template <typename Scenario>
bool allows(unsigned old_values = 3) {
  const std::string found =
      explore<Scenario>({.model = memory_model::weak, .preemptions = 6, .old_values = old_values})
          .counterexample;
  if (found.empty()) return false;
  EXPECT_NE(found.find("the outcome"), std::string::npos) << found;
  return true;
}

// -- Message passing ---------------------------------------------------------------------------

template <std::memory_order Store, std::memory_order Load>
struct message_passing : litmus<2> {
  void run(unsigned k) override {
    if (k == 0) {
      x.store(1, relaxed);
      y.store(1, Store);
    } else {
      seen[0] = y.load(Load);
      seen[1] = x.load(relaxed);
    }
  }
  void check() override { outcome(seen[0] == 1 && seen[1] == 0); }
};

TEST(litmus, a_message_needs_a_release_and_an_acquire) {
  EXPECT_TRUE((allows<message_passing<relaxed, relaxed>>()));
  EXPECT_TRUE((allows<message_passing<release, relaxed>>()));
  EXPECT_TRUE((allows<message_passing<relaxed, acquire>>()));
  EXPECT_FALSE((allows<message_passing<release, acquire>>()));
  EXPECT_FALSE((allows<message_passing<seq_cst, seq_cst>>()));
}

TEST(litmus, no_older_values_without_a_budget_for_them) {
  EXPECT_FALSE((allows<message_passing<relaxed, relaxed>>(0)));
}

// What happens before a store is not older than what its reader may read, through a third thread.
struct passed_on : litmus<3> {
  void run(unsigned k) override {
    if (k == 0) {
      x.store(1, relaxed);
      y.store(1, release);
    } else if (k == 1) {
      if (y.load(acquire) == 1) y.store(2, release);
    } else {
      seen[0] = y.load(acquire);
      seen[1] = x.load(relaxed);
    }
  }
  void check() override { outcome(seen[0] == 2 && seen[1] == 0); }
};

TEST(litmus, happens_before_is_transitive) { EXPECT_FALSE(allows<passed_on>()); }

// A value read counts as much as one written: who learns that x was seen as 1 does not see 0.
template <std::memory_order Order>
struct read_and_told : litmus<3> {
  void run(unsigned k) override {
    if (k == 0) {
      x.store(1, relaxed);
    } else if (k == 1) {
      seen[0] = x.load(relaxed);
      y.store(1, Order);
    } else {
      seen[1] = y.load(acquire);
      seen[2] = x.load(relaxed);
    }
  }
  void check() override { outcome(seen[0] == 1 && seen[1] == 1 && seen[2] == 0); }
};

TEST(litmus, reads_are_coherent_over_threads) {
  EXPECT_FALSE(allows<read_and_told<release>>());
  EXPECT_TRUE(allows<read_and_told<relaxed>>());
}

// -- Store buffering ---------------------------------------------------------------------------

template <std::memory_order Store, std::memory_order Load>
struct store_buffering : litmus<2> {
  void run(unsigned k) override {
    var& mine = k == 0 ? x : y;
    var& other = k == 0 ? y : x;
    mine.store(1, Store);
    seen[k] = other.load(Load);
  }
  void check() override { outcome(seen[0] == 0 && seen[1] == 0); }
};
template <std::memory_order Modify, std::memory_order Load>
struct modify_buffering : litmus<2> {
  void run(unsigned k) override {
    var& mine = k == 0 ? x : y;
    var& other = k == 0 ? y : x;
    mine.fetch_or(1, Modify);
    seen[k] = other.load(Load);
  }
  void check() override { outcome(seen[0] == 0 && seen[1] == 0); }
};

TEST(litmus, store_buffering_needs_four_times_seq_cst) {
  EXPECT_FALSE((allows<store_buffering<seq_cst, seq_cst>>()));
  EXPECT_TRUE((allows<store_buffering<release, acquire>>()));
  EXPECT_TRUE((allows<store_buffering<seq_cst, acquire>>()));
  EXPECT_TRUE((allows<store_buffering<release, seq_cst>>()));
  EXPECT_FALSE((allows<modify_buffering<seq_cst, seq_cst>>()));
  // Not on x86, but elsewhere.
  EXPECT_TRUE((allows<modify_buffering<acq_rel, seq_cst>>()));
  EXPECT_TRUE((allows<modify_buffering<acq_rel, acquire>>()));
}

// Two read-modify-writes of one variable are ordered, and who comes second knows what the first did
// before.
struct through_one_word : litmus<2> {
  var word{0};
  void run(unsigned k) override {
    var& mine = k == 0 ? x : y;
    var& other = k == 0 ? y : x;
    mine.store(1, relaxed);
    word.fetch_add(1, acq_rel);
    seen[k] = other.load(relaxed);
  }
  void check() override { outcome(seen[0] == 0 && seen[1] == 0); }
};

TEST(litmus, two_modifications_of_one_word_order_what_is_around_them) {
  EXPECT_FALSE(allows<through_one_word>());
}

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

TEST(litmus, one_variable_is_coherent_even_if_relaxed) {
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

TEST(litmus, who_looks_again_sees_the_newest_value_in_the_end) {
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

TEST(litmus, stores_come_late_unless_they_are_ordered) {
  EXPECT_TRUE(allows<two_plus_two_writes<relaxed>>());
  EXPECT_TRUE(allows<two_plus_two_writes<release>>());
  EXPECT_FALSE(allows<two_plus_two_writes<seq_cst>>());
  EXPECT_TRUE(allows<late_store<relaxed>>());
  EXPECT_FALSE(allows<late_store<release>>());
  EXPECT_TRUE(allows<modified_before<relaxed>>());
  EXPECT_FALSE(allows<modified_before<release>>());
}

TEST(litmus, read_modify_writes_are_not_torn) {
  EXPECT_FALSE(allows<torn_apart>());
  EXPECT_FALSE(allows<only_modified>());
}

// -- Independent reads of independent writes ---------------------------------------------------

template <std::memory_order Store, std::memory_order Load>
struct independent_reads : litmus<4> {
  void run(unsigned k) override {
    if (k < 2) return (k == 0 ? x : y).store(1, Store);
    var& first = k == 2 ? x : y;
    var& second = k == 2 ? y : x;
    seen[2 * k - 4] = first.load(Load);
    seen[2 * k - 3] = second.load(Load);
  }
  void check() override { outcome(seen[0] == 1 && seen[1] == 0 && seen[2] == 1 && seen[3] == 0); }
};

TEST(litmus, independent_reads_of_independent_writes) {
  EXPECT_TRUE((allows<independent_reads<release, acquire>>()));
  EXPECT_TRUE((allows<independent_reads<seq_cst, acquire>>()));
  EXPECT_FALSE((allows<independent_reads<seq_cst, seq_cst>>()));
}

// A seq_cst load sees no older value than an earlier one, though nothing else orders the two.
template <std::memory_order Load>
struct agreed_reads : litmus<3> {
  void run(unsigned k) override {
    if (k == 0) return x.store(1, relaxed);
    if (k == 1) {
      seen[0] = x.load(Load);
      seen[1] = y.load(Load);
    } else {
      y.store(1, Load == relaxed ? relaxed : seq_cst);
      seen[2] = x.load(Load);
    }
  }
  void check() override { outcome(seen[0] == 1 && seen[1] == 0 && seen[2] == 0); }
};

TEST(litmus, seq_cst_loads_agree_on_an_order) {
  EXPECT_TRUE(allows<agreed_reads<relaxed>>());
  EXPECT_FALSE(allows<agreed_reads<seq_cst>>());
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

TEST(litmus, a_release_sequence_goes_on_through_a_read_modify_write) {
  EXPECT_FALSE(allows<sequence_of_three<false>>());
  EXPECT_TRUE(allows<sequence_of_three<true>>());
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

TEST(litmus, data_races_are_found) {
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

TEST(litmus, variables_are_made_before_they_are_used) {
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

TEST(litmus, a_compare_and_swap_that_fails_is_a_load) {
  EXPECT_TRUE(allows<fails_late<relaxed>>());
  EXPECT_FALSE(allows<fails_late<acquire>>());
  EXPECT_FALSE(allows<exactly_one>());
}

}  // namespace
}  // namespace evencube::explorer
