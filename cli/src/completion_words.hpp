#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace evencube::cli {

/// What may stand in the place of an option's value, or of an argument without a name. What else
/// there is, such as numbers, a shell cannot know.
struct completion_words {
  /// One that ends in ':' or '=' goes on.
  std::vector<std::string> words;
  /// Several of them may stand there, with commas between them.
  bool list = false;
  /// So may the name of a file.
  bool files = false;
};

/// Without words for an option that takes files or numbers, or nothing.
[[nodiscard]] completion_words words_for(const CLI::App& program, const CLI::App& command,
                                         const CLI::Option& option);

/// The commands that the help lists.
[[nodiscard]] std::vector<const CLI::App*> listed_commands(const CLI::App& program);

}  // namespace evencube::cli
