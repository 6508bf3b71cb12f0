// Random programs over ranks that are threads: each task runs once, each result arrives once at its
// rank, and each group that failed throws on all ranks. In half of the programs a rank stands still
// for a while. mpi_test.py runs such programs over processes, and lets one of these end.
//
// EVENCUBE_RANK_PROGRAMS: the number of programs; EVENCUBE_RANK_SEED: the seed of the first
// program.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/random_program.hpp"
#include "cluster/support.hpp"

namespace evencube {
namespace {

namespace random_ranks = test::random_ranks;

/// Takes no message for a while after `stand_still` was set.
class pausing_transport final : public test::forwarding_transport {
 public:
  pausing_transport(std::unique_ptr<transport> of, std::atomic<bool>& stand_still,
                    std::chrono::milliseconds pause)
      : forwarding_transport(std::move(of)), stand_still_(stand_still), pause_(pause) {}
  bool poll(message& into) override {
    if (stand_still_.exchange(false)) std::this_thread::sleep_for(pause_);
    return of().poll(into);
  }

 private:
  std::atomic<bool>& stand_still_;
  const std::chrono::milliseconds pause_;
};

void run_program(std::uint64_t seed) {
  const random_ranks::program of = random_ranks::drawn_program(seed);
  std::mt19937_64 random(~seed);
  std::atomic<bool> stand_still{false};
  random_ranks::fault harm{static_cast<unsigned>(random() % of.ranks), random() % 30};
  if (random() % 2 == 0) harm.strike = [&] { stand_still = true; };
  const std::chrono::milliseconds pause(1 + random() % 100);
  const test::rank_deadline deadline("the random program of seed " + std::to_string(seed));
  random_ranks::ledger did;
  std::mutex mutex;
  std::vector<std::string> thrown(of.ranks, "nothing");
  random_ranks::restart again{test::fresh_path("random")};
  // Another cluster continues from a checkpoint.
  do {
    local_network between(of.ranks, of.network);
    std::optional<std::size_t> from;
    std::vector<std::thread> threads;
    for (unsigned k = 0; k < of.ranks; ++k) {
      threads.emplace_back([&, k] {
        try {
          std::unique_ptr<transport> over = between.at(k);
          if (harm.strike && k == harm.rank) {
            over = std::make_unique<pausing_transport>(std::move(over), stand_still, pause);
          }
          cluster world(std::move(over), of.options);
          const auto saved = random_ranks::rank_run(world, of, harm, did, mutex, again).run();
          if (k == 0) from = saved;
        } catch (const std::exception& problem) {
          thrown[k] = problem.what();
        }
      });
    }
    for (std::thread& each : threads) each.join();
    again.from = from;
  } while (again.from);
  EXPECT_EQ(thrown, std::vector<std::string>(of.ranks, "nothing"));
  random_ranks::compare(of, did);
  EXPECT_EQ(did.wrong, std::vector<std::string>{});
}

std::uint64_t number_in(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoull(text);
}

TEST(random_ranks, do_everything_once) {
  const std::uint64_t programs = number_in("EVENCUBE_RANK_PROGRAMS", 60);
  const std::uint64_t first = number_in("EVENCUBE_RANK_SEED", 1);
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    run_program(seed);
    if (HasFailure()) {
      FAIL() << "seed " << seed << "; again: EVENCUBE_RANK_PROGRAMS=1 EVENCUBE_RANK_SEED=" << seed;
    }
  }
}

}  // namespace
}  // namespace evencube
