#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace evencube::cli {

/// The least number of letters to insert, leave out, replace or swap with the next one that makes
/// `second` of `first`, whatever the case of the letters. O(first.size() * second.size()).
[[nodiscard]] std::size_t edit_distance(std::string_view first, std::string_view second);

/// The word of `known` that was probably meant by `word`, or an empty text. A word counts if it is
/// within a third of its letters, or if `word` begins it. Of several equally near words, the first
/// one is returned.
[[nodiscard]] std::string nearest_word(std::string_view word,
                                       const std::vector<std::string>& known);

/// `; did you mean "oem"?`, or an empty text if no known word is near.
[[nodiscard]] std::string suggestion(std::string_view word, const std::vector<std::string>& known);

/// `unknown balancer "oen"; did you mean "oem"? known: dem, oem`: a message for a word that is
/// none of `known`. `kind` says what the words name.
[[nodiscard]] std::string unknown_word(std::string_view kind, std::string_view word,
                                       const std::vector<std::string>& known);

}  // namespace evencube::cli
