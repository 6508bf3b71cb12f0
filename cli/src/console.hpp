#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace evencube::cli {

/// JSON objects keep their keys in the order in which they were written.
using json = nlohmann::ordered_json;

/// Descriptors 0 to 2 that the caller closed lead nowhere from now on: no file that is opened later
/// takes their place and then messages that were meant for a person. Writing there still fails.
void occupy_standard_streams() noexcept;

/// Writes to stdout, control characters made visible; throws std::runtime_error where that fails (a
/// full disk, a closed pipe).
void print(std::string_view text);

/// One JSON object on one line. Text in it that is no UTF-8 is replaced by U+FFFD; all control
/// characters (C0, DEL, C1) are escaped.
void print_json(const json& object);

/// "evencube: " and the message in one line on stderr, made visible and not too long; the lines of
/// `hint` after it. Where stderr takes nothing there is nobody to tell.
void complain(std::string_view message, std::string_view hint = {}) noexcept;

/// Whether a person looks at stderr.
[[nodiscard]] bool stderr_is_terminal();

/// How much a terminal shows.
struct screen_size {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

/// Of stderr, as it is now; the usual one where that is not known.
[[nodiscard]] screen_size screen_of_stderr();

}  // namespace evencube::cli
