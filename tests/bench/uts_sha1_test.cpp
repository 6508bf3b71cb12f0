// The hash of the unbalanced trees, against the examples published with the standard.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "uts/config.hpp"

namespace bench::uts {
namespace {

using ::testing::ElementsAre;

// `text`, at most 55 characters, padded as FIPS 180-4, section 5.1.1, says.
block padded(const std::string& text) {
  std::string bytes = text + '\x80';
  bytes.resize(64, '\0');
  block words{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    words[i / 4] |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << (24 - 8 * (i % 4));
  }
  words[15] = static_cast<std::uint32_t>(8 * text.size());
  return words;
}

TEST(uts_sha1, published_examples) {
  EXPECT_THAT(sha1_of_block(padded("abc")),
              ElementsAre(0xa9993e36U, 0x4706816aU, 0xba3e2571U, 0x7850c26cU, 0x9cd0d89dU));
  EXPECT_THAT(sha1_of_block(padded("")),
              ElementsAre(0xda39a3eeU, 0x5e6b4b0dU, 0x3255bfefU, 0x95601890U, 0xafd80709U));
}

TEST(uts_sha1, standard_trees_have_their_published_sizes) {
  for (const char* name : {"T1", "T3"}) {
    const tree in = tree_named(name);
    EXPECT_EQ(count_nodes(in, root_of(in)), in.nodes) << name;
  }
}

}  // namespace
}  // namespace bench::uts
