#pragma once

#include <span>
#include <string>
#include <string_view>

#include "request.hpp"

namespace evencube::lab {

/// One exercise after a worked example of the papers. The planners check the answers.
struct exercise {
  std::string_view name;
  std::string_view title;
  std::string_view question;
  std::string_view source;
  std::string_view topology;
  std::string_view balancer;
  /// Options of the balancer as `name=value`, or empty.
  std::string_view option;
  /// The node that calls the balancer, or -1.
  int initiator;
  /// The loads that the question gives, or empty if the student has to find some.
  std::string_view loads;
  /// What is asked for: "loads" or "number".
  std::string_view asks;
  /// One right answer.
  std::string_view solution;
  std::string_view why;
};

/// The verdict on an answer.
struct verdict {
  bool right;
  std::string sentence;
  /// The loads from which the answer can be watched in the cube view.
  std::vector<load_type> shown;
};

[[nodiscard]] std::span<const exercise> all_exercises();

/// Checks an answer with the planner. Throws refusal, a sentence about the answer, if it is not
/// what the exercise asks for, and for an unknown name.
[[nodiscard]] verdict check_answer(std::string_view name, std::string_view given);

}  // namespace evencube::lab
