#include "nearest_word.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace evencube::cli {
namespace {

/// No known word is nearly as long, and the work grows with the product of the lengths.
constexpr std::size_t longest = 64;

/// A beginning of this many letters says enough.
constexpr std::size_t shortest_beginning = 3;

std::string small_letters(std::string_view word) {
  std::string made{word};
  std::ranges::transform(made, made.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return made;
}

}  // namespace

std::size_t edit_distance(std::string_view first, std::string_view second) {
  const std::string a = small_letters(first);
  const std::string b = small_letters(second);
  // Row i holds the distances between the first i letters of `a` and the beginnings of `b`.
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  std::vector<std::size_t> before = row;  // row i - 1
  std::vector<std::size_t> older = row;   // row i - 2
  for (std::size_t i = 1; i <= a.size(); ++i) {
    older.swap(before);
    before.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], older[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
  std::string nearest;
  if (word.empty() || word.size() > longest) return nearest;
  const std::string begun = small_letters(word);
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& one : known) {
    const bool begins = word.size() >= shortest_beginning && small_letters(one).starts_with(begun);
    const std::size_t edits = edit_distance(word, one);
    const std::size_t distance = begins ? std::min<std::size_t>(edits, 1) : edits;
    if (distance >= least) continue;
    least = distance;
    nearest = one;
  }
  return nearest;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const std::string nearest = nearest_word(word, known);
  return nearest.empty() ? std::string{} : fmt::format("; did you mean \"{}\"?", nearest);
}

std::string unknown_word(std::string_view kind, std::string_view word,
                         const std::vector<std::string>& known) {
  const std::string meant = suggestion(word, known);
  return fmt::format("unknown {} \"{}\"{} known: {}", kind, word, meant.empty() ? ";" : meant,
                     fmt::join(known, ", "));
}

}  // namespace evencube::cli
