// How ranks leave: with few messages, and not before everything on its way to them has come.
#include "departure.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/support.hpp"
#include "outbox.hpp"
#include "wire.hpp"

namespace evencube {
namespace {

using detail::departure;

/// Ranks that send messages until they leave, in an order that is drawn. Messages of different
/// pairs overtake each other.
struct scene {
  explicit scene(unsigned ranks) : sent(ranks), received(ranks), closed(ranks, false) {
    for (unsigned k = 0; k < ranks; ++k) all.emplace_back(k, ranks);
  }

  void post(unsigned from, const std::vector<departure::outgoing>& out) {
    for (const departure::outgoing& one : out) {
      // As bytes, as they travel.
      detail::byte_writer bytes;
      one.what.write(bytes);
      const detail::message_bytes written = bytes.take();
      detail::byte_reader in(written);
      said[{from, one.to}].push_back(departure::message::read(in));
      ++messages;
    }
  }
  void advance(unsigned k) {
    std::vector<departure::outgoing> out;
    all[k].advance(sent[k], out);
    post(k, out);
  }

  std::vector<departure> all;
  std::vector<departure::counts> sent;
  std::vector<std::uint64_t> received;
  std::vector<bool> closed;
  std::map<std::pair<unsigned, unsigned>, int> on_their_way;
  std::map<std::pair<unsigned, unsigned>, std::deque<departure::message>> said;
  std::map<unsigned, std::map<std::uint32_t, std::uint64_t>> heard;
  std::size_t messages = 0;
};

void leave_in_some_order(unsigned ranks, std::uint64_t seed, bool tells) {
  std::mt19937_64 random(seed * 1000 + ranks);
  scene now(ranks);
  const auto drawn = [&](std::size_t below) { return static_cast<unsigned>(random() % below); };
  unsigned open = ranks;
  for (int steps = 0; open > 0; ++steps) {
    ASSERT_LT(steps, 10'000'000);
    const unsigned k = drawn(ranks);
    switch (drawn(5)) {
      case 0:
        if (!now.all[k].leaves() && drawn(20) == 0) now.all[k].leave(k + 7);
        now.advance(k);
        break;
      case 1: {
        const unsigned to = drawn(ranks);
        if (to == k || now.all[k].is_silent()) break;
        ++now.sent[k][to];
        ++now.on_their_way[{k, to}];
        break;
      }
      case 2:
        if (now.on_their_way.empty()) break;
        {
          auto one = now.on_their_way.begin();
          std::advance(one, drawn(now.on_their_way.size()));
          const unsigned to = one->first.second;
          ASSERT_FALSE(now.closed[to]) << "a message has come after the end";
          ++now.received[to];
          if (--one->second == 0) now.on_their_way.erase(one);
        }
        break;
      case 3:
        if (now.said.empty()) break;
        {
          auto one = now.said.begin();
          std::advance(one, drawn(now.said.size()));
          const auto [from, to] = one->first;
          ASSERT_FALSE(now.closed[to]) << "a word has come after the end";
          const departure::message message = std::move(one->second.front());
          one->second.pop_front();
          if (one->second.empty()) now.said.erase(one);
          std::vector<departure::outgoing> out;
          for (const auto& [rank, calls] : message.leavers) now.heard[to][rank] = calls;
          now.all[to].receive(message, out);
          now.post(to, out);
          now.advance(to);
        }
        break;
      default:
        if (tells && now.all[k].has_news()) {
          std::vector<departure::outgoing> out;
          now.all[k].tell_news(out);
          now.post(k, out);
        }
        if (!now.closed[k] && now.all[k].is_over(now.received[k])) {
          now.closed[k] = true;
          --open;
        }
    }
  }
  ASSERT_TRUE(now.said.empty());
  ASSERT_TRUE(now.on_their_way.empty());
  if (!tells) {
    ASSERT_EQ(now.messages, 2 * std::size_t{ranks - 1});
  }
  for (const auto& [rank, leavers] : now.heard) {
    for (const auto& [other, calls] : leavers) ASSERT_EQ(calls, other + 7);
  }
}

TEST(departures, end_when_nothing_is_on_its_way) {
  for (const unsigned ranks : {1U, 2U, 3U, 4U, 7U, 8U, 16U, 21U}) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      leave_in_some_order(ranks, seed, seed % 2 == 0);
      if (HasFatalFailure()) FAIL() << ranks << " ranks, seed " << seed;
    }
  }
}

// A rank that stays hears of one that leaves, wherever both are.
TEST(departures, are_told_to_ranks_that_stay) {
  constexpr unsigned ranks = 11;
  for (unsigned leaver = 0; leaver < ranks; ++leaver) {
    scene now(ranks);
    now.all[leaver].leave(3);
    now.advance(leaver);
    for (bool any = true; any;) {
      any = false;
      for (unsigned k = 0; k < ranks; ++k) {
        if (!now.all[k].has_news()) continue;
        std::vector<departure::outgoing> out;
        now.all[k].tell_news(out);
        now.post(k, out);
        any = true;
      }
      while (!now.said.empty()) {
        auto one = now.said.begin();
        const unsigned to = one->first.second;
        const departure::message message = std::move(one->second.front());
        one->second.pop_front();
        if (one->second.empty()) now.said.erase(one);
        for (const auto& [rank, calls] : message.leavers) now.heard[to][rank] = calls;
        std::vector<departure::outgoing> out;
        now.all[to].receive(message, out);
        now.post(to, out);
        any = true;
      }
    }
    for (unsigned k = 0; k < ranks; ++k) {
      if (k == leaver) continue;
      ASSERT_EQ(now.heard[k], (std::map<std::uint32_t, std::uint64_t>{{leaver, 3}})) << k;
    }
  }
}

/// Counts the messages of a kind that its rank sends.
class counting_transport final : public test::forwarding_transport {
 public:
  struct counters {
    std::atomic<std::size_t> leave{0};
    std::atomic<std::size_t> calls{0};
  };
  counting_transport(std::unique_ptr<transport> of, counters& into)
      : forwarding_transport(std::move(of)), into_(into) {}

  void send(unsigned to, std::vector<std::byte> bytes) override {
    detail::for_each_part(bytes, [this](std::span<const std::byte> part) {
      const auto kind = static_cast<detail::wire>(part.front());
      if (kind == detail::wire::leave) ++into_.leave;
      if (kind == detail::wire::calls) ++into_.calls;
    });
    of().send(to, std::move(bytes));
  }

 private:
  counters& into_;
};

TEST(ranks, begin_and_end_with_few_messages) {
  for (const unsigned ranks : {64U, 128U}) {
    const test::rank_deadline deadline(std::to_string(ranks) + " ranks leave");
    local_network between(ranks);
    counting_transport::counters sent;
    std::atomic<unsigned> done{0};
    std::vector<std::thread> threads;
    for (unsigned k = 0; k < ranks; ++k) {
      threads.emplace_back([&, k] {
        cluster world(std::make_unique<counting_transport>(between.at(k), sent),
                      test::small_ranks("none"));
        cluster_group(world).wait();
        ++done;
        done.notify_all();
        for (unsigned seen = done; seen < ranks; seen = done) done.wait(seen);
      });
    }
    for (std::thread& each : threads) each.join();
    // The comparison of the registrations; then all leave. If some come late, others say that
    // they leave: after 100 ms, after 200 ms, and so on.
    EXPECT_EQ(sent.calls, 2 * std::size_t{ranks - 1});
    EXPECT_GE(sent.leave, 2 * std::size_t{ranks - 1});
    EXPECT_LE(sent.leave, 20 * std::size_t{ranks});
    std::printf("%u ranks leave with %zu messages\n", ranks, sent.leave.load());
  }
}

}  // namespace
}  // namespace evencube
