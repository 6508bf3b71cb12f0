#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace evencube::cli {

/// JSON objects keep their keys in the order in which they were written.
using json = nlohmann::ordered_json;

/// Writes to stdout; throws std::runtime_error where that fails (a full disk, a closed pipe).
void print(std::string_view text);

/// One JSON object on one line.
void print_json(const json& object);

/// Whether a person looks at stderr.
[[nodiscard]] bool stderr_is_terminal();

}  // namespace evencube::cli
