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

/// Thrown if a file cannot be written. The message begins with the file's name and gives the
/// reason.
class output_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A function that receives the next bytes of a file.
using byte_sink = std::function<void(std::span<const std::uint8_t>)>;

/// Throws output_error unless `file` can be written: its folder must exist and allow new files, and
/// `file`, if it exists, must be a regular file that may be replaced. Changes nothing.
void require_writable(const std::filesystem::path& file);

/// Replaces `file` in one step. The bytes are written to a new file in the same folder, which is
/// renamed to `file` once all bytes are on disk. If this fails, throws output_error and removes the
/// new file.
///
/// The user's own file keeps its permissions, except set-user-id, set-group-id and the sticky bit;
/// any other file gets the permissions of a new file. A symbolic link is followed, and its target
/// is created or replaced. Other hard links keep the old content. In a sticky folder, another
/// user's file or link is never replaced, even by root.
void replace_file(const std::filesystem::path& file, std::span<const std::uint8_t> bytes);

/// Replaces `file` like the function above, with the bytes that `write` passes to its sink. Also
/// throws whatever `write` throws.
void replace_file(const std::filesystem::path& file,
                  const std::function<void(const byte_sink&)>& write);

/// A folder for results. The constructor creates the folder if it is missing, and also missing
/// parents if `with_parents` is true. The destructor removes created folders that are still empty.
class results_folder {
 public:
  /// Throws output_error if the folder does not exist and cannot be created.
  results_folder(const std::filesystem::path& folder, bool with_parents);
  results_folder(results_folder&& other) noexcept : made_{std::exchange(other.made_, {})} {}
  results_folder& operator=(results_folder&& other) noexcept {
    made_.swap(other.made_);
    return *this;
  }
  ~results_folder() { remove_empty(); }

 private:
  void remove_empty() noexcept;

  std::vector<std::filesystem::path> made_;  // the innermost folder first
};

/// Writes `files` (name -> contents) into a folder, after checking that all of them can be written.
/// Each file is replaced in one step, as by replace_file(). A missing folder is created; its parent
/// must exist. Then removes earlier runs' regular files: those not in `files` whose names end in
/// one of `endings`. Other files stay. Throws output_error.
void replace_folder(const std::filesystem::path& folder,
                    const std::map<std::string, std::string>& files,
                    std::span<const std::string_view> endings);

/// Returns true if two names refer to the same file, which need not exist. Throws output_error for
/// a name that cannot be resolved.
[[nodiscard]] bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Removes the unfinished file of a replace_file() call in progress. Async-signal-safe, for
/// handlers of signals that end the program.
void discard_drafts() noexcept;

/// Returns the bytes of a string.
[[nodiscard]] inline std::span<const std::uint8_t> bytes_of(std::string_view text) noexcept {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace evencube::workloads
