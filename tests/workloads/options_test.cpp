// What a registry entry says of its options is what make_workload holds users to.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include <evencube/workloads/workload.hpp>

namespace evencube::workloads {
namespace {

using ::testing::HasSubstr;

const std::vector<workload_option> known{{"size", "", whole_option{5, 2, 9}},
                                         {"rate", "", real_option{0.5, 0, 1}},
                                         {"name", "", text_option{"x"}},
                                         {"input", "", file_option{}}};

std::string refusal(const workload_options& asked) {
  try {
    const option_values values{"weaving", known, asked};
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
  return "";
}

TEST(options, have_defaults) {
  const option_values values{"weaving", known, {}};
  EXPECT_EQ(values.whole("size"), 5U);
  EXPECT_EQ(values.real("rate"), 0.5);
  EXPECT_EQ(values.text("name"), "x");
  EXPECT_EQ(values.file("input"), std::nullopt);
  EXPECT_FALSE(values.given("size"));
}

TEST(options, are_what_was_given) {
  const option_values values{
      "weaving",
      known,
      {.where = placement::one,
       .values = {{"size", 9}, {"rate", 0.0}, {"name", "y"}, {"input", "file"}}}};
  EXPECT_EQ(values.where(), placement::one);
  EXPECT_EQ(values.whole("size"), 9U);
  EXPECT_EQ(values.real("rate"), 0);
  EXPECT_EQ(values.text("name"), "y");
  EXPECT_EQ(values.file("input"), "file");
  EXPECT_TRUE(values.given("size"));
}

TEST(options, out_of_bounds_of_the_wrong_kind_or_unknown_are_refused_by_name) {
  EXPECT_THAT(refusal({.values = {{"size", 1}}}), HasSubstr("--size 1 is not within 2 .. 9"));
  EXPECT_THAT(refusal({.values = {{"size", 10}}}), HasSubstr("--size 10 is not within 2 .. 9"));
  EXPECT_THAT(refusal({.values = {{"rate", 1.5}}}), HasSubstr("--rate 1.5 is not within 0 .. 1"));
  EXPECT_THAT(refusal({.values = {{"rate", -1e-9}}}), HasSubstr("--rate"));
  EXPECT_THAT(refusal({.values = {{"size", 2.0}}}), HasSubstr("--size: must be a whole number"));
  EXPECT_THAT(refusal({.values = {{"name", 2}}}), HasSubstr("--name: must be a text"));
  EXPECT_THAT(refusal({.values = {{"colour", "red"}}}),
              HasSubstr("workload weaving has no option --colour"));
}

TEST(options, that_a_workload_has_not_are_its_own_mistake) {
  const option_values values{"weaving", known, {}};
  EXPECT_THROW(static_cast<void>(values.whole("colour")), std::logic_error);
  EXPECT_THROW(static_cast<void>(values.whole("rate")), std::logic_error);
}

TEST(registry, has_one_kind_for_each_name_of_an_option_and_defaults_within_bounds) {
  std::map<std::string, std::size_t> kinds;
  for (const auto& entry : registered_workloads()) {
    for (const auto& option : entry.options) {
      const auto [known_kind, first] = kinds.emplace(option.name, option.kind.index());
      EXPECT_EQ(known_kind->second, option.kind.index()) << entry.name << " --" << option.name;
      if (const auto* const whole = std::get_if<whole_option>(&option.kind)) {
        EXPECT_LE(0, whole->least) << entry.name << " --" << option.name;
        EXPECT_LE(whole->least, whole->usual) << entry.name << " --" << option.name;
        EXPECT_LE(whole->usual, whole->most) << entry.name << " --" << option.name;
      }
      EXPECT_FALSE(option.help.empty());
    }
  }
}

}  // namespace
}  // namespace evencube::workloads
