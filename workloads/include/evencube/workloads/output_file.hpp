#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evencube::workloads {

/// A file that cannot be written. The message begins with its name and says why.
class output_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Takes the next bytes of a file.
using byte_sink = std::function<void(std::span<const std::uint8_t>)>;

/// Throws output_error unless `file` can be written: its folder exists and takes new files, and
/// what stands there already, if anything, is a regular file that may be replaced. Changes nothing.
void require_writable(const std::filesystem::path& file);

/// Replaces `file` in one step: what is to stand in it goes to a file without a name (beside it
/// under another name where the file system has no such files), which takes its name only when all
/// of it is on the disk. Throws output_error otherwise, and nothing is left behind. An existing
/// file keeps its permissions; through a symbolic link, its target is made or replaced; other hard
/// links to what was replaced keep the old content.
void replace_file(const std::filesystem::path& file, std::span<const std::uint8_t> bytes);

/// The same for the bytes that `write` gives to the sink it is called with. Throws what it throws.
void replace_file(const std::filesystem::path& file,
                  const std::function<void(const byte_sink&)>& write);

/// A folder into which results are to go. Where it is missing it is made, with the folders above it
/// if `with_parents`; what was made and is empty in the end is removed.
class results_folder {
 public:
  /// Throws output_error unless there is such a folder then.
  results_folder(const std::filesystem::path& folder, bool with_parents);
  results_folder(results_folder&& other) noexcept : made_{std::exchange(other.made_, {})} {}
  results_folder& operator=(results_folder&& other) noexcept {
    made_.swap(other.made_);
    return *this;
  }
  ~results_folder() { remove_empty(); }

 private:
  void remove_empty() noexcept;

  std::vector<std::filesystem::path> made_;  // the innermost first
};

/// Replaces a folder of results as a whole: it holds either all of `files` (name -> text) or what
/// it held before. Made if absent; its parent must exist. What stood in it before under a name that
/// ends in one of `endings` is gone then, the rest stays. One that cannot be another all at once,
/// being the current folder, or mounted, or where nothing may be put beside it, stays the same and
/// gets each file as a whole. Throws output_error.
void replace_folder(const std::filesystem::path& folder,
                    const std::map<std::string, std::string>& files,
                    std::span<const std::string_view> endings);

/// Whether two names lead to one file, existing or not. Throws output_error for names that lead
/// nowhere.
[[nodiscard]] bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Removes what stands on the disk only until it is complete. For a handler of the signal that ends
/// the program: async-signal-safe.
void discard_drafts() noexcept;

/// Text as bytes.
[[nodiscard]] inline std::span<const std::uint8_t> bytes_of(std::string_view text) noexcept {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace evencube::workloads
