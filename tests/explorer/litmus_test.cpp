// The weak memory model by the classic tests: what loads of several variables may give.

#include "litmus.hpp"

namespace evencube::explorer {
namespace {

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

}  // namespace
}  // namespace evencube::explorer
