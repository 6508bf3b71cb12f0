#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <evencube/cluster.hpp>
#include <evencube/cluster/local_network.hpp>

#include "payload.hpp"

// Ranks as threads of this process: every message is packed, copied and unpacked as over MPI. The
// time until the loads are even is that of a round under a hold. The other times are those of a run
// in which the ranks compute while rounds begin by themselves.

namespace bench::payload {
namespace {

using clock_type = std::chrono::steady_clock;

double since(clock_type::time_point began) {
  return std::chrono::duration<double>(clock_type::now() - began).count();
}

times once(unsigned ranks, unsigned kib, const settings& how, const std::string& transmission) {
  const std::size_t bytes = std::size_t{kib} << 10;
  evencube::cluster_options options;
  options.balancer = how.balancer;
  options.transmission = transmission;
  // Every task is worth its way, so that only the transmission differs.
  options.message_seconds = 0;
  options.bytes_per_second = 1e15;
  options.local.workers = 1;
  options.local.pin = false;
  evencube::local_network between(ranks);
  std::vector<std::thread> threads;
  std::vector<std::exception_ptr> thrown(ranks);
  std::vector<double> first(ranks, 0);
  double even = 0;
  double all = 0;
  for (unsigned k = 0; k < ranks; ++k) {
    threads.emplace_back([&, k] {
      try {
        evencube::cluster world(between.at(k), options);
        std::atomic<double> own_first{0};
        clock_type::time_point began;
        const auto work =
            world.task<std::vector<char>, void>("work", [&](const std::vector<char>& data) {
              double none = 0;
              own_first.compare_exchange_strong(none, since(began));
              const auto until = clock_type::now() + std::chrono::microseconds(200);
              unsigned sum = 0;
              do {
                for (std::size_t i = 0; i < data.size(); i += 64)
                  sum += static_cast<unsigned char>(data[i]);
              } while (clock_type::now() < until);
              std::atomic_signal_fence(std::memory_order_seq_cst);
              static_cast<void>(sum);
            });
        const auto spawn = [&](evencube::cluster_group& jobs) {
          for (std::size_t i = 0; k == 0 && i < per_place * ranks; ++i) {
            jobs.spawn(work, std::vector<char>(bytes, 1));
          }
        };
        {
          evencube::cluster_group jobs(world);
          {
            evencube::cluster_hold still(world);
            spawn(jobs);
            static_cast<void>(still.loads());  // ranks begin together
            began = clock_type::now();
            static_cast<void>(still.balance());
            static_cast<void>(still.loads());  // until the last rank has what it gets
            if (k == 0) even = since(began);
          }
          jobs.wait();
        }
        static_cast<void>(world.gather(0));
        own_first = 0;
        began = clock_type::now();
        evencube::cluster_group jobs(world);
        spawn(jobs);
        jobs.wait();
        first[k] = own_first;
        if (k == 0) all = since(began);
      } catch (...) {
        thrown[k] = std::current_exception();
      }
    });
  }
  for (std::thread& each : threads) each.join();
  for (const std::exception_ptr& each : thrown) {
    if (each) std::rethrow_exception(each);
  }
  // A rank that got nothing counts until the end.
  std::replace(first.begin() + 1, first.end(), 0.0, all);
  return {*std::max_element(first.begin() + 1, first.end()), even, all};
}

/// Messages between ranks know no batches.
const std::vector<std::string> transmissions_of_ranks{"phased", "direct", "overlapped",
                                                      "pipelined"};

std::vector<row> between_ranks(const settings& how) {
  std::vector<row> rows;
  for (const unsigned ranks : how.ranks) {
    for (const unsigned kib : how.kib) {
      row like{};
      like.between_ranks = true;
      like.places = ranks;
      like.kib = kib;
      for (row& r :
           in_turns(transmissions_of_ranks, how.repetitions, like,
                    [&](const std::string& name) { return once(ranks, kib, how, name); })) {
        rows.push_back(std::move(r));
      }
    }
  }
  return rows;
}

}  // namespace
}  // namespace bench::payload

int main(int argc, char** argv) {
  bench::payload::settings how;
  bool json = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool valued = i + 1 < argc;
    if (word == "--json") {
      json = true;
    } else if (word == "--tiny") {
      how.kib = {1, 16};
      how.ranks = {2};
      how.repetitions = 1;
    } else if (word == "--balancer" && valued) {
      how.balancer = argv[++i];
    } else if (word == "--ranks" && valued) {
      how.ranks = {static_cast<unsigned>(std::clamp(std::atoi(argv[++i]), 2, 64))};
    } else if (word == "--kib" && valued) {
      how.kib = {static_cast<unsigned>(std::clamp(std::atoi(argv[++i]), 1, 65536))};
    } else if (word == "--repetitions" && valued) {
      how.repetitions = static_cast<unsigned>(std::clamp(std::atoi(argv[++i]), 1, 1000));
    } else {
      std::cerr << "rounds between ranks: \"" << word
                << "\" is not understood; allowed are --json, --tiny, --balancer NAME, --ranks "
                   "2..64, --kib 1..65536, --repetitions 1..1000\n";
      return 2;
    }
  }
  try {
    const auto rows = bench::payload::between_ranks(how);
    if (json) {
      std::cout << "{\"benchmark\":\"rounds between ranks\",\"balancer\":\"" << how.balancer
                << "\",\"payloads\":[" << bench::payload::json_of(rows) << "]}\n";
    } else {
      bench::payload::print(rows, how);
    }
  } catch (const std::invalid_argument& problem) {
    std::cerr << "rounds between ranks: " << problem.what() << '\n';
    return 2;
  }
  return 0;
}
