// Help, version, the list of balancers, and how the program fails.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <evencube/balancers/registry.hpp>

#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(help, every_command_has_one_with_examples) {
  EXPECT_THAT(evencube({"--help"}).out, HasSubstr("Examples:"));
  for (const std::string command :
       {"run", "demo", "plan", "topology", "balancers", "simulate", "reproduce", "whatif"}) {
    const auto result = evencube({command, "--help"});
    EXPECT_EQ(result.status, 0) << command;
    EXPECT_EQ(result.err, "") << command;
    EXPECT_THAT(result.out, HasSubstr("Example")) << command;
    EXPECT_THAT(result.out, HasSubstr("  evencube " + command)) << command;
    EXPECT_THAT(evencube({"--help"}).out, HasSubstr("  " + command)) << command;
  }
}

TEST(version, is_printed) {
  const auto result = evencube({"--version"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, ::testing::MatchesRegex("evencube [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(usage, without_or_with_an_unknown_command_fails_with_a_hint) {
  for (const auto& arguments : {std::vector<std::string>{}, {"fly"}, {"--fly"}}) {
    const auto result = evencube(arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, StartsWith("evencube: "));
    EXPECT_THAT(result.err, HasSubstr("evencube --help"));
  }
}

TEST(balancers_json, lists_the_registry) {
  const auto listed = evencube({"balancers", "--json"}).as_json();
  EXPECT_EQ(keys(listed), (std::set<std::string>{"balancers"}));
  const auto registered = registered_balancers();
  ASSERT_EQ(listed["balancers"].size(), registered.size());
  for (std::size_t index = 0; index < registered.size(); ++index) {
    const auto& entry = listed["balancers"][index];
    EXPECT_EQ(entry["name"], registered[index].name);
    EXPECT_EQ(entry["difference"], registered[index].guarantees.difference_text);
    EXPECT_EQ(entry["options"].size(), registered[index].options.size());
  }
}

TEST(balancers_text, has_a_row_for_each) {
  const auto text = evencube({"balancers"}).out;
  for (const auto& descriptor : registered_balancers()) {
    EXPECT_THAT(text, HasSubstr("\n" + descriptor.name + " "));
    EXPECT_THAT(text, HasSubstr(descriptor.summary));
  }
}

TEST(output, that_cannot_be_written_is_a_failure) {
  const auto result = shell("\"$0\" balancers >/dev/full");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("cannot write to standard output"));
  EXPECT_EQ(shell("\"$0\" --help >/dev/full").status, 1);
}

TEST(environment, that_asks_for_no_number_of_workers_is_refused) {
  for (const char* command : {"run spin --size 1", "topology", "simulate batch"}) {
    const auto result = shell("EVENCUBE_WORKERS=many \"$0\" " + std::string{command});
    EXPECT_EQ(result.status, 2) << command;
    EXPECT_THAT(result.err, HasSubstr("EVENCUBE_WORKERS=many")) << command;
  }
}

}  // namespace
}  // namespace evencube::cli::testing
