#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <evencube/papers/reproduction.hpp>
#include <evencube/workloads/output_file.hpp>

namespace evencube::papers {

/// The experiments that `ids` name, in this order; "all" names every one. Throws
/// std::invalid_argument for an unknown one, and for one that is named twice.
[[nodiscard]] std::vector<const experiment*> choose(std::span<const std::string> ids);

/// Where reproductions are written: a folder for each in `output`, and beside these the page
/// papers.md; the page also to a file of its own if one is named.
class results {
 public:
  /// Throws workloads::output_error unless the results of all of `chosen` can be written: what
  /// takes hours should not fail at its end. Makes the folder; if nothing is written it goes again.
  results(std::filesystem::path output, std::optional<std::filesystem::path> page,
          std::span<const experiment* const> chosen);

  /// Writes the files of a reproduction and returns their folder.
  std::filesystem::path keep(const reproduction& done) const;

  /// Writes the pages of all. A partial page has ".partial" in its name, so that it never replaces
  /// a complete one.
  void write_pages(std::span<const reproduction> done, bool partial) const;

 private:
  workloads::results_folder folder_;
  std::filesystem::path output_;
  std::optional<std::filesystem::path> page_;
};

}  // namespace evencube::papers
