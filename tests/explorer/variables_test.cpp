// What the policy's variables are in expressions, and what threads have for themselves.

#include <gtest/gtest.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

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

// Two threads are inside of handlers at once, and each keeps its own exception.
struct handles : two_threads {
  word steps{0};
  void run(unsigned k) override {
    try {
      throw std::runtime_error(k == 0 ? "first" : "second");
    } catch (const std::exception& e) {
      steps.fetch_add(1);
      try {
        throw;
      } catch (const std::exception& same) {
        steps.fetch_add(1);
        require(&same == &e, "another thread's exception");
        require(std::string(same.what()) == (k == 0 ? "first" : "second"), "another text");
      }
      steps.fetch_add(1);
    }
    require(std::uncaught_exceptions() == 0, "an exception is left over");
  }
};
struct throws : two_threads {
  word steps{0};
  void run(unsigned k) override {
    if (k == 1 && steps.load() == 1) throw std::runtime_error("too bad");
    steps.store(1);
  }
};

TEST(variables, threads_have_their_own_exceptions) {
  EXPECT_EQ(wrong<handles>({.preemptions = 4}), "");
  EXPECT_TRUE(has(wrong<throws>(), "an exception leaves thread 2: too bad"));
}

struct pair_of {
  std::uint32_t first;
  std::uint32_t second;
};
template <std::memory_order Order>
struct hands_over_a_pair : two_threads {
  explored::plain<pair_of> pair{{0, 0}};
  explored::plain<pair_of> copy{pair};
  explored::plain<pair_of*> place{nullptr};
  pair_of there{1, 2};
  word told{0};
  void run(unsigned k) override {
    if (k == 0) {
      pair = pair_of{3, 4};
      copy = pair;
      place = &there;
      told.store(1, Order);
    } else if (told.load(std::memory_order_acquire) == 1) {
      const pair_of seen = copy;
      require(seen.first == 3 && pair.get().second == 4, "another pair");
      require(place->second == 2 && place != nullptr, "another place");
    }
  }
};

TEST(variables, plain_structs_are_handed_over) {
  EXPECT_EQ(wrong<hands_over_a_pair<std::memory_order_release>>(), "");
  EXPECT_TRUE(has(wrong<hands_over_a_pair<std::memory_order_relaxed>>(), "data race"));
}

enum class colour : std::uint8_t { red = 1, blue = 2 };
struct all_kinds : two_threads {
  var<bool> flag{false};
  var<colour> paint{colour::red};
  var<std::int64_t> sum{-1};
  var<std::uint8_t> small{250};
  int places[4] = {0, 1, 2, 3};
  var<int*> at{places};
  void run(unsigned k) override {
    if (k == 1) return;
    require(!flag.exchange(true) && flag.load(), "bool");
    colour c = colour::blue;
    require(!paint.compare_exchange_strong(c, colour::blue) && c == colour::red, "enum");
    require(paint.compare_exchange_strong(c, colour::blue, std::memory_order_acq_rel), "enum");
    require(sum.fetch_sub(5) == -1 && sum.fetch_add(-4) == -6 && sum.load() == -10, "signed");
    require(small.fetch_add(10) == 250 && small.load() == 4, "wraps");
    require(small.fetch_xor(6) == 4 && small.load() == 2, "xor");
    require(small.fetch_or(1) == 2 && small.fetch_and(2) == 3 && small.load() == 2, "or, and");
    require(at.fetch_add(3) == places && *at.load() == 3, "pointer");
    require(at.fetch_sub(1) == places + 3 && *at.load() == 2, "pointer");
  }
};

TEST(variables, atomics_of_all_kinds) { EXPECT_EQ(wrong<all_kinds>({.failures = 0}), ""); }

// The memory of one run is another thing in the next, arrays too, whose lengths a sanitizer guards.
template <std::size_t Count>
struct array_of : two_threads {
  std::unique_ptr<word[]> words = std::make_unique<word[]>(Count);
  void run(unsigned k) override { words[Count - 1 - k].fetch_add(1); }
  void check() override {
    require(words[Count - 1].load() + words[Count - 2].load() == 2, "an addition is lost");
  }
};

TEST(variables, arrays_of_atomics) {
  EXPECT_EQ(wrong<array_of<2>>(), "");
  EXPECT_EQ(wrong<array_of<20>>(), "");
  EXPECT_EQ(wrong<array_of<3>>(), "");
}

struct too_many : scenario {
  [[nodiscard]] unsigned threads() const override { return max_threads; }
  void run(unsigned) override {}
};

TEST(variables, there_is_a_most_of_threads) {
  EXPECT_TRUE(has(wrong<too_many>(), "more threads than the explorer has"));
}

}  // namespace
}  // namespace evencube::explorer
