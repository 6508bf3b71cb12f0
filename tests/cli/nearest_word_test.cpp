// What "did you mean" finds: the known word that takes the fewest changes, if it is near enough.

#include "nearest_word.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace evencube::cli {
namespace {

TEST(edit_distance, counts_letters_inserted_left_out_replaced_or_swapped) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("heat", "heat"), 0U);
  EXPECT_EQ(edit_distance("Heat", "hEAT"), 0U);
  EXPECT_EQ(edit_distance("heat", "haet"), 1U);
  EXPECT_EQ(edit_distance("heat", "hat"), 1U);
  EXPECT_EQ(edit_distance("hat", "heat"), 1U);
  EXPECT_EQ(edit_distance("heat", "beat"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("abcd", "badc"), 2U);
}

TEST(nearest_word, is_near_enough_or_none) {
  const std::vector<std::string> known{"dem", "oem", "cwa", "diffusion", "random_stealing"};
  EXPECT_EQ(nearest_word("oen", known), "oem");
  EXPECT_EQ(nearest_word("OEM", known), "oem");
  EXPECT_EQ(nearest_word("difusoin", known), "diffusion");
  EXPECT_EQ(nearest_word("diff", known), "diffusion");  // its beginning
  EXPECT_EQ(nearest_word("di", known), "");             // too short a beginning
  EXPECT_EQ(nearest_word("em", known), "dem");          // of two at one distance the first
  EXPECT_EQ(nearest_word("xyz", known), "");
  EXPECT_EQ(nearest_word("", known), "");
  EXPECT_EQ(nearest_word("oem", {}), "");
  EXPECT_EQ(nearest_word(std::string(100'000, 'o'), known), "");
  EXPECT_EQ(nearest_word("\xff\xfe\xfd", known), "");
}

TEST(unknown_word, names_the_word_what_was_meant_and_all_that_are_known) {
  EXPECT_EQ(unknown_word("balancer", "oen", {"dem", "oem"}),
            "unknown balancer \"oen\"; did you mean \"oem\"? known: dem, oem");
  EXPECT_EQ(unknown_word("balancer", "steal", {"dem", "oem"}),
            "unknown balancer \"steal\"; known: dem, oem");
}

}  // namespace
}  // namespace evencube::cli
