#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bridge.hpp"

namespace evencube::lab {

inline nlohmann::json ask(const nlohmann::json& request) {
  return nlohmann::json::parse(answer(request.dump()));
}

/// The sentence with which a request is refused; empty if it is not.
inline std::string refusal_of(const nlohmann::json& request) {
  const auto given = ask(request);
  return given.contains("error") ? given["error"].get<std::string>() : "";
}

}  // namespace evencube::lab
