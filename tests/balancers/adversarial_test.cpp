#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "support.hpp"

/// A seeded search for loads that leave a large difference. The cases it found are kept in
/// golden/worst_cases.txt, one line "balancer network difference loads..." per case. Run this
/// program with EVENCUBE_UPDATE_GOLDEN=1 to write the file again after a rule has changed.
namespace evencube {
namespace {

using testing::loads_type;

const std::string golden_file = std::string(EVENCUBE_GOLDEN_DIR) + "/worst_cases.txt";
constexpr load_type largest_load = 40;

/// Draws the same numbers on every platform, unlike the distributions of the standard library.
std::uint64_t below(std::mt19937_64& random, std::uint64_t bound) { return random() % bound; }

struct found_case {
  load_type difference = -1;
  loads_type loads;
};

/// Hill climbing with restarts: changes one to three loads, and keeps loads that are no easier than
/// before.
found_case climb(std::string_view name, const topology& graph) {
  std::mt19937_64 random(2003);
  const auto made = make_balancer(name);
  plan out;
  const auto rate = [&](const loads_type& loads) {
    made->make_plan({.graph = graph, .loads = loads}, out);
    return max_difference(final_loads(out, loads));
  };
  found_case best;
  for (int restart = 0; restart < 6; ++restart) {
    loads_type loads = testing::random_loads(random, graph.nodes(), largest_load);
    load_type rating = rate(loads);
    for (int step = 0; step < 250; ++step) {
      loads_type next = loads;
      for (std::uint64_t i = 0; i <= below(random, 3); ++i) {
        load_type& load = next[below(random, next.size())];
        load =
            below(random, 2) == 0
                ? static_cast<load_type>(below(random, largest_load + 1))
                : std::clamp<load_type>(load + (below(random, 2) == 0 ? 1 : -1), 0, largest_load);
      }
      const load_type next_rating = rate(next);
      if (next_rating < rating) continue;
      rating = next_rating;
      loads = std::move(next);
    }
    if (rating > best.difference) best = {rating, loads};
  }
  return best;
}

std::string line_of(std::string_view name, const topology& graph, const found_case& found) {
  std::ostringstream line;
  line << name << ' ' << graph.to_string() << ' ' << found.difference;
  for (const load_type load : found.loads) line << ' ' << load;
  return line.str();
}

std::vector<std::string> search_everything() {
  std::vector<std::string> lines;
  for (const auto& entry : registered_balancers()) {
    for (const char* network : {"cube:3", "cube:5", "cube:6", "cube:7", "cube:8", "cube:12",
                                "cube:16", "cube:24", "cube:31", "cube:32"}) {
      const auto graph = topology::parse(network);
      lines.push_back(line_of(entry.name, graph, climb(entry.name, graph)));
    }
  }
  return lines;
}

std::vector<std::string> stored_lines() {
  std::ifstream file(golden_file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

TEST(adversarial, search_finds_what_is_stored) {
  const auto lines = search_everything();
  if (std::getenv("EVENCUBE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream file(golden_file);
    for (const auto& line : lines) file << line << '\n';
    ASSERT_TRUE(file.good()) << golden_file;
  }
  EXPECT_EQ(lines, stored_lines());
}

TEST(adversarial, stored_cases_keep_the_declared_bounds) {
  const auto lines = stored_lines();
  ASSERT_FALSE(lines.empty());
  for (const auto& line : lines) {
    std::istringstream words(line);
    std::string name;
    std::string network;
    load_type difference = 0;
    loads_type loads;
    words >> name >> network >> difference;
    for (load_type load = 0; words >> load;) loads.push_back(load);
    const auto graph = topology::parse(network);
    ASSERT_EQ(loads.size(), graph.nodes());
    EXPECT_EQ(max_difference(testing::balanced(name, graph, loads)), difference) << line;
    const auto descriptor = describe_balancer(name);
    if (!descriptor.guarantees.difference) continue;
    const auto bound = descriptor.guarantees.difference({.graph = graph, .loads = loads},
                                                        complete_options(descriptor, {}));
    if (bound) {
      EXPECT_LE(difference, *bound) << line;
    }
  }
}

}  // namespace
}  // namespace evencube
