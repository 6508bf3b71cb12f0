// A swarm of particles that drifts through the blocks of a ring, over ranks of a cluster: blocks
// that a plan moves, blocks that stay, and blocks that travel with their tasks to thieves.
//
// usage: cluster_drift [--balance NAME|none|stealing] [--every STEPS] [--steps N] [--blocks N]
//                      [--particles N] [--work N]
//
// Each rank prints a line of JSON. All ways compute the same positions, which are checked.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <evencube/cluster.hpp>
#include <evencube/cluster/objects.hpp>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace {

using evencube::cluster;
using evencube::cluster_context;
using evencube::cluster_group;
using evencube::cluster_object_id;
using clock_type = std::chrono::steady_clock;

struct settings {
  std::string balance = "oem";
  unsigned every = 10;  // steps between two plans
  unsigned steps = 200;
  unsigned blocks = 64;
  unsigned particles = 40'000;
  unsigned work = 60;  // iterations for each particle and step
};

settings settings_of(int argc, char** argv) {
  settings found;
  const std::map<std::string, unsigned*> numbers{{"--every", &found.every},
                                                 {"--steps", &found.steps},
                                                 {"--blocks", &found.blocks},
                                                 {"--particles", &found.particles},
                                                 {"--work", &found.work}};
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    const auto number = numbers.find(name);
    if (name != "--balance" && number == numbers.end()) {
      throw std::invalid_argument("there is no option " + name);
    }
    if (i + 1 == argc) throw std::invalid_argument("no value for " + name);
    const std::string value = argv[i + 1];
    if (name == "--balance") {
      found.balance = value;
      continue;
    }
    unsigned& into = *number->second;
    const char* const end = value.data() + value.size();
    const auto [rest, problem] = std::from_chars(value.data(), end, into);
    if (problem != std::errc() || rest != end || into == 0) {
      throw std::invalid_argument(name + " is " + value + ", allowed are numbers from 1 on");
    }
  }
  return found;
}

struct particle {
  std::uint32_t id = 0;
  float place = 0;  // in blocks, from 0 to their number
  float speed = 0;
  float heat = 0;
};

/// The particles of a part of the ring. What arrives during a step is taken in at the next one.
struct block {
  std::uint32_t index = 0;
  std::vector<particle> here;
  std::vector<particle> arriving[2];

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(index, here, arriving[0], arriving[1]);
  }
};

template <typename Archive>
void serialize(Archive& archive, particle& p) {
  archive(p.id, p.place, p.speed, p.heat);
}

/// A swarm as wide as an eighth of the ring, whose particles are of nearly the same speed.
particle drawn(std::uint32_t id, const settings& with) {
  const auto random = [id](std::uint32_t k) {
    std::uint32_t x = (id * 4 + k) * 2654435761U;
    x ^= x >> 15;
    x *= 2246822519U;
    x ^= x >> 13;
    return static_cast<float>(x % 100'000) / 100'000.0F;
  };
  const auto around = static_cast<float>(with.blocks);
  return {id, around * (random(0) + random(1) + random(2)) / 24, 0.1F + 0.02F * random(3), 0};
}

/// Moves the particles of a block by one step. Returns those that have left it, by their blocks.
std::map<std::uint32_t, std::vector<particle>> advanced(block& b, unsigned step,
                                                        const settings& with) {
  std::vector<particle>& come = b.arriving[step % 2];
  b.here.insert(b.here.end(), come.begin(), come.end());
  come.clear();
  const auto around = static_cast<float>(with.blocks);
  std::map<std::uint32_t, std::vector<particle>> gone;
  std::erase_if(b.here, [&](particle& p) {
    for (unsigned i = 0; i < with.work; ++i) {
      p.heat = std::sqrt(p.heat + static_cast<float>(p.id % 7) + 1);
    }
    p.place += p.speed;
    if (p.place >= around) p.place -= around;
    const auto to = std::min(static_cast<std::uint32_t>(p.place), with.blocks - 1);
    if (to == b.index) return false;
    gone[to].push_back(p);
    return true;
  });
  return gone;
}

std::uint64_t sum_of(const std::vector<particle>& all) {
  std::uint64_t sum = 0;
  for (const particle& p : all) {
    sum += (p.id + 1) * static_cast<std::uint64_t>(p.place * 1024 + p.heat * 64);
  }
  return sum;
}

struct arrival {
  unsigned step = 0;
  std::vector<particle> who;

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(step, who);
  }
};

struct trip {
  block what;
  unsigned step = 0;

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(what, step);
  }
};

int measure(int argc, char** argv, const settings& with) {
  const bool steals = with.balance == "stealing";
  evencube::cluster_options options;
  options.balancer = steals ? "random_stealing" : "none";
  options.local.workers = 1;
  options.local.pin = false;  // ranks of one machine share its processors
  cluster world(argc, argv, options);

  evencube::cluster_objects<block> blocks(world, "blocks");
  std::vector<cluster_object_id> of_index(with.blocks);
  auto arrive = blocks.task<arrival, void>("arrive", [](block& b, const arrival& a) {
    auto& into = b.arriving[a.step % 2];
    into.insert(into.end(), a.who.begin(), a.who.end());
  });
  auto advance =
      blocks.task<unsigned, void>("advance", [&](cluster_context& here, block& b, unsigned step) {
        for (auto& [to, who] : advanced(b, step, with)) {
          blocks.spawn(here, arrive, of_index[to], {step + 1, std::move(who)});
        }
      });
  using leaving = std::map<std::uint32_t, std::vector<particle>>;
  auto travel = world.task<trip, std::pair<block, leaving>>("travel", [&](const trip& t) {
    std::pair<block, leaving> done(t.what, {});
    done.second = advanced(done.first, t.step, with);
    return done;
  });

  const unsigned own = (with.blocks + world.size() - 1) / world.size();
  for (unsigned i = 0; i < with.blocks; ++i) {
    of_index[i] = {i / own, i % own};
    if (i / own == world.rank()) blocks.make({i, {}, {}});
  }
  blocks.for_each([&](cluster_object_id, block& b) {
    for (std::uint32_t id = 0; id < with.particles; ++id) {
      const particle p = drawn(id, with);
      if (std::min(static_cast<std::uint32_t>(p.place), with.blocks - 1) == b.index) {
        b.here.push_back(p);
      }
    }
  });
  blocks.share();
  const std::uint64_t before = world.stats().messages_sent;
  const std::uint64_t bytes_before = world.stats().bytes_sent;
  std::uint64_t moved = 0;
  const auto began = clock_type::now();
  for (unsigned step = 0; step < with.steps; ++step) {
    cluster_group jobs(world);
    if (!steals) {
      blocks.for_each([&](cluster_object_id id, block&) { blocks.spawn(jobs, advance, id, step); });
      jobs.wait();
      if (with.balance != "none" && step % with.every == with.every - 1) {
        moved += blocks.balance(with.balance).moved;
      }
      continue;
    }
    std::map<std::uint32_t, block*> home;
    blocks.for_each([&](cluster_object_id, block& b) {
      home[b.index] = &b;
      jobs.spawn(travel, {b, step});
    });
    std::vector<leaving> gone;
    jobs.wait([&](const trip& t, std::pair<block, leaving>&& done) {
      *home.at(t.what.index) = std::move(done.first);
      gone.push_back(std::move(done.second));
    });
    cluster_group arrivals(world);
    for (leaving& each : gone) {
      for (auto& [to, who] : each) {
        blocks.spawn(arrivals, arrive, of_index[to], {step + 1, std::move(who)});
      }
    }
    arrivals.wait();
  }
  const double took = std::chrono::duration<double>(clock_type::now() - began).count();
  const std::uint64_t messages = world.stats().messages_sent - before;
  const std::uint64_t bytes = world.stats().bytes_sent - bytes_before;

  std::uint64_t sum = 0;
  blocks.for_each([&](cluster_object_id, block& b) {
    for (const auto* part : {&b.here, &b.arriving[0], &b.arriving[1]}) sum += sum_of(*part);
  });
  std::uint64_t all = 0;
  for (const std::uint64_t each : world.gather(sum)) all += each;
  std::uint64_t expected = 0;
  if (world.rank() == 0) {
    block whole{with.blocks, {}, {}};  // of no index: all particles leave it in each step
    for (std::uint32_t id = 0; id < with.particles; ++id) whole.here.push_back(drawn(id, with));
    for (unsigned step = 0; step < with.steps; ++step) {
      for (auto& [to, who] : advanced(whole, step, with)) {
        whole.here.insert(whole.here.end(), who.begin(), who.end());
      }
    }
    expected = sum_of(whole.here);
  }
  expected = world.gather(expected).front();
  std::printf(R"({"rank":%u,"seconds":%.6f,"messages":%llu,"bytes":%llu,"moved":%llu,"right":%s})"
              "\n",
              world.rank(), took, static_cast<unsigned long long>(messages),
              static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(moved),
              all == expected ? "true" : "false");
  return all == expected ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return measure(argc, argv, settings_of(argc, argv));
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 2;
  }
}
