#pragma once

#include <string>
#include <string_view>

namespace evencube::cli {

/// Text that may come from anybody as a terminal may have it: control characters and what is no
/// UTF-8 appear as \x1b. New lines and tabs stay where `lines` is true.
[[nodiscard]] std::string visible(std::string_view text, bool lines = false);

/// The same, and of a text longer than `most` characters only its beginning and its end.
[[nodiscard]] std::string visible_and_short(std::string_view text, std::size_t most = 1000);

}  // namespace evencube::cli
