#include "gathering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "tree_gathering.hpp"

namespace evencube {
namespace {

using detail::gathering;
using detail::message_bytes;
using detail::tree_gathering;

// In whatever order ranks speak and hear, each learns what all have said.
TEST(gathering, tells_every_rank_what_all_say) {
  for (unsigned ranks = 1; ranks <= 33; ++ranks) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::mt19937_64 random(seed * 64 + ranks);
      std::vector<gathering> all;
      for (unsigned k = 0; k < ranks; ++k) all.emplace_back(k, ranks);
      std::vector<unsigned> silent;
      for (unsigned k = 0; k < ranks; ++k) silent.push_back(k);
      std::deque<gathering::outgoing> under_way;
      std::size_t sent = 0;
      const auto post = [&](const std::vector<gathering::outgoing>& out) {
        sent += out.size();
        under_way.insert(under_way.end(), out.begin(), out.end());
      };
      while (!silent.empty() || !under_way.empty()) {
        const auto at = std::uniform_int_distribution<std::size_t>(
            0, silent.size() + under_way.size() - 1)(random);
        std::vector<gathering::outgoing> out;
        if (at < silent.size()) {
          const unsigned k = silent[at];
          silent.erase(silent.begin() + static_cast<std::ptrdiff_t>(at));
          all[k].contribute(message_bytes(k, std::byte{static_cast<unsigned char>(k)}), out);
        } else {
          const auto place = under_way.begin() + static_cast<std::ptrdiff_t>(at - silent.size());
          const gathering::outgoing one = *place;
          under_way.erase(place);
          all[one.to].receive(one.step, one.known, out);
        }
        post(out);
      }
      for (unsigned k = 0; k < ranks; ++k) {
        ASSERT_TRUE(all[k].complete()) << k << " of " << ranks;
        for (unsigned other = 0; other < ranks; ++other) {
          ASSERT_EQ(all[k].all()[other],
                    message_bytes(other, std::byte{static_cast<unsigned char>(other)}));
        }
      }
      // One message per rank and dimension of the full subcube, and two for each rank beyond it.
      const unsigned dimensions = static_cast<unsigned>(std::bit_width(ranks)) - 1;
      const unsigned core = 1U << dimensions;
      ASSERT_EQ(sent, std::size_t{core} * dimensions + 2 * std::size_t{ranks - core});
    }
  }
}

// Over the tree, a rank also learns whether the gathered texts are too long.
TEST(tree_gathering, tells_every_rank_what_all_say) {
  for (unsigned ranks = 1; ranks <= 33; ++ranks) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::mt19937_64 random(seed * 64 + ranks);
      const std::uint64_t most = seed % 2 == 0 ? std::numeric_limits<std::uint64_t>::max() : 300;
      const std::uint64_t lengths = 5 + std::uint64_t{12} * ranks;
      const std::uint64_t together = lengths + std::uint64_t{ranks} * (ranks - 1) / 2;
      std::vector<tree_gathering> all;
      std::vector<unsigned> silent;
      for (unsigned k = 0; k < ranks; ++k) {
        all.emplace_back(k, ranks, most);
        silent.push_back(k);
      }
      std::deque<tree_gathering::outgoing> under_way;
      std::size_t sent = 0;
      while (!silent.empty() || !under_way.empty()) {
        const auto at = std::uniform_int_distribution<std::size_t>(
            0, silent.size() + under_way.size() - 1)(random);
        std::vector<tree_gathering::outgoing> out;
        if (at < silent.size()) {
          const unsigned k = silent[at];
          silent.erase(silent.begin() + static_cast<std::ptrdiff_t>(at));
          all[k].contribute(message_bytes(k, std::byte{static_cast<unsigned char>(k)}), out);
        } else {
          const auto place = under_way.begin() + static_cast<std::ptrdiff_t>(at - silent.size());
          const tree_gathering::outgoing one = *place;
          under_way.erase(place);
          all[one.to].receive(one.down, detail::byte_reader(one.known), out);
        }
        sent += out.size();
        for (const tree_gathering::outgoing& one : out) {
          ASSERT_LE(one.known.size(), std::max(most, lengths));
        }
        under_way.insert(under_way.end(), out.begin(), out.end());
      }
      for (unsigned k = 0; k < ranks; ++k) {
        ASSERT_TRUE(all[k].complete()) << k << " of " << ranks;
        ASSERT_TRUE(all[k].waits_for().empty());
        ASSERT_EQ(all[k].bytes(), together);
        for (unsigned other = 0; other < ranks && together <= most; ++other) {
          ASSERT_EQ(all[k].all()[other],
                    message_bytes(other, std::byte{static_cast<unsigned char>(other)}));
        }
      }
      ASSERT_EQ(sent, 2 * std::size_t{ranks - 1});
    }
  }
}

}  // namespace
}  // namespace evencube
