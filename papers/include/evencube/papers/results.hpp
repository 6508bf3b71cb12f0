#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <evencube/papers/reproduction.hpp>
#include <evencube/workloads/output_file.hpp>

namespace evencube::papers {

/// Returns the experiments that `ids` name, in the order of `ids`; "all" names every experiment.
/// Throws std::invalid_argument for an unknown id, and for an id that is given twice.
[[nodiscard]] std::vector<const experiment*> choose(std::span<const std::string> ids);

/// Writes reproductions to the folder `output`: a folder for each reproduction, and the page
/// papers.md. If `page` names a file, the page is also written there.
class results {
 public:
  /// Makes the output folder; if nothing is written, the destructor removes it. Throws
  /// workloads::output_error unless the results of all `chosen` experiments can be written, so an
  /// experiment that takes hours does not fail at its end.
  results(std::filesystem::path output, std::optional<std::filesystem::path> page,
          std::span<const experiment* const> chosen);

  /// Writes the files of a reproduction and returns their folder.
  std::filesystem::path keep(const reproduction& done) const;

  /// Writes the page of all reproductions. A partial page has ".partial" in its name, so it never
  /// replaces a complete page.
  void write_pages(std::span<const reproduction> done, bool partial) const;

 private:
  workloads::results_folder folder_;
  std::filesystem::path output_;
  std::optional<std::filesystem::path> page_;
};

}  // namespace evencube::papers
