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

/// Replaces `file` in one step. The bytes go to a new file beside it, which takes its name once all
/// of them are on the disk. Throws output_error otherwise, and nothing is left behind. The user's
/// own file keeps its permissions, except set-user-id, set-group-id and the sticky bit; any other
/// gets those of a new file. A symbolic link is followed and its target is made or replaced. Other
/// hard links keep the old content. In a sticky folder another user's file or link is refused, to
/// root as well.
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

/// Writes `files` (name -> text) into a folder, each in one step like replace_file(), after a check
/// that all of them can be written. The folder is made if it is absent; its parent must exist. Then
/// regular files in it that are not in `files` and whose names end in one of `endings`, the results
/// of an earlier run, are removed. Other files stay. Throws output_error.
void replace_folder(const std::filesystem::path& folder,
                    const std::map<std::string, std::string>& files,
                    std::span<const std::string_view> endings);

/// Whether two names lead to one file, existing or not. Throws output_error for names that lead
/// nowhere.
[[nodiscard]] bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Removes the unfinished file of a call of replace_file() that is under way. For the handler of a
/// signal that ends the program: async-signal-safe.
void discard_drafts() noexcept;

/// Text as bytes.
[[nodiscard]] inline std::span<const std::uint8_t> bytes_of(std::string_view text) noexcept {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace evencube::workloads
