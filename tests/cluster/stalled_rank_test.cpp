// A rank that stands still, as a stopped process does, does not keep the others from sharing work.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/support.hpp"
#include "thief.hpp"

namespace evencube {
namespace {

/// Looks for no message while its rank stands still.
class stalling_transport final : public test::forwarding_transport {
 public:
  stalling_transport(std::unique_ptr<transport> of, const std::atomic<bool>& still)
      : forwarding_transport(std::move(of)), still_(still) {}

  [[nodiscard]] bool any_thread_may_call() const noexcept override { return true; }
  bool poll(message& into) override {
    still_.wait(true);
    return of().poll(into);
  }

 private:
  const std::atomic<bool>& still_;
};

// Each of the first tasks ends when one has begun on every rank that goes on.
void share_while_one_stands_still(const std::string& balancer, unsigned ranks, unsigned stalled) {
  const std::string what =
      balancer + ", rank " + std::to_string(stalled) + " of " + std::to_string(ranks);
  const test::rank_deadline deadline(what);
  local_network between(ranks);
  std::atomic<bool> still{false};
  std::atomic<bool> never{false};
  std::atomic<unsigned> begun{0};
  const unsigned spawning = stalled == 0 ? 1 : 0;
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < ranks; ++k) {
    threads.emplace_back([&, k] {
      cluster world(
          std::make_unique<stalling_transport>(between.at(k), k == stalled ? still : never),
          test::small_ranks(balancer));
      auto meet = world.task<int, unsigned>("meet", [&](cluster_context& here, int) {
        if (++begun == ranks - 1) {
          still = false;
          still.notify_all();
        }
        while (begun < ranks - 1) std::this_thread::yield();
        return here.rank();
      });
      cluster_group(world).wait();
      cluster_group jobs(world);
      if (k == spawning) {
        still = true;
        for (unsigned i = 0; i < 8 * ranks; ++i) jobs.spawn(meet, static_cast<int>(i));
      }
      std::set<unsigned> ran;
      jobs.wait([&](int, unsigned on) { ran.insert(on); });
      if (k == spawning) {
        EXPECT_GE(ran.size(), ranks - 1) << what;
      }
    });
  }
  for (std::thread& each : threads) each.join();
}

TEST(stalled_ranks, do_not_stop_balancing) {
  for (const std::string balancer : {"oem", "cwa", "lifelines", "random_stealing"}) {
    for (const unsigned ranks : {3U, 4U, 6U}) {
      for (unsigned stalled = 0; stalled < ranks; ++stalled) {
        share_while_one_stands_still(balancer, ranks, stalled);
      }
    }
  }
}

using detail::thief;
constexpr thief::clock::time_point start{};

TEST(thieves, ask_each_other_rank_before_they_pause) {
  thief one(2, 4);
  std::set<unsigned> asked;
  auto now = start + std::chrono::hours(1);
  for (int i = 0; i < 200; ++i, now += std::chrono::seconds(1)) {
    const std::optional<unsigned> victim = one.ask(now);
    if (!victim) continue;
    EXPECT_FALSE(one.ask(now)) << "has not answered yet";
    asked.insert(*victim);
    one.refused(*victim);
  }
  EXPECT_EQ(asked, (std::set<unsigned>{0, 1, 3}));
  for (int i = 0; i < 3; ++i) {
    if (const auto victim = one.ask(now)) one.refused(*victim);
  }
  EXPECT_FALSE(one.ask(now)) << "all have refused";
  EXPECT_TRUE(one.ask(now + thief::longest_pause));
}

TEST(thieves, ask_others_while_one_owes_an_answer) {
  thief one(0, 3);
  auto now = start + std::chrono::hours(1);
  const unsigned silent = one.ask(now).value();
  EXPECT_FALSE(one.ask(now + thief::patience / 2));
  now += thief::patience;
  for (int i = 0; i < 10; ++i, now += thief::longest_pause) {
    EXPECT_EQ(one.ask(now), 3 - silent);
    one.got_tasks(3 - silent);
  }
  EXPECT_EQ(one.ask(now), 3 - silent);
  EXPECT_FALSE(one.ask(now + thief::patience)) << "both owe an answer";
  one.refused(silent);
  now += 2 * thief::patience;
  EXPECT_FALSE(one.ask(now)) << "the only rank that may be asked has refused";
  EXPECT_EQ(one.ask(now + thief::longest_pause), silent);
}

TEST(thieves, ask_nobody_if_there_is_nobody) { EXPECT_FALSE(thief(0, 1).ask(start)); }

}  // namespace
}  // namespace evencube
