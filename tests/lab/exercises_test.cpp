// Every exercise accepts its own solution, and refuses answers that are wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "asking.hpp"
#include "exercises.hpp"

namespace evencube::lab {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json checked(std::string_view name, std::string_view given) {
  return ask({{"ask", "check"}, {"exercise", name}, {"given", given}});
}

TEST(LabExercises, EachAcceptsItsSolution) {
  for (const auto& one : all_exercises()) {
    const auto given = checked(one.name, one.solution);
    EXPECT_EQ(given["right"], true) << one.name << ": " << given;
  }
}

TEST(LabExercises, EachRefusesAnotherAnswer) {
  for (const auto& one : all_exercises()) {
    std::string wrong = "1";
    if (one.asks == "loads") {
      for (node_id k = 1; k < topology::parse(one.topology).nodes(); ++k) wrong += ",1";
    }
    const auto given = checked(one.name, wrong);
    EXPECT_EQ(given["right"], false) << one.name;
    EXPECT_FALSE(given["sentence"].get<std::string>().empty());
  }
}

TEST(LabExercises, AnAnswerOfTheWrongShapeIsRefusedWithASentence) {
  EXPECT_THAT(checked("dem-pair", "17")["error"].get<std::string>(), HasSubstr("2 loads"));
  EXPECT_THAT(checked("pipelining", "7, 8")["error"].get<std::string>(), HasSubstr("one number"));
  EXPECT_THAT(checked("line", "many")["error"].get<std::string>(), HasSubstr("\"many\""));
  EXPECT_THAT(checked("nothing", "1")["error"].get<std::string>(), HasSubstr("\"nothing\""));
}

}  // namespace
}  // namespace evencube::lab
