#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <stdexcept>
#include <string_view>

namespace evencube::workloads {

/// A file that cannot be written. The message begins with its name and says why.
class output_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws output_error unless `file` can be written: its folder exists and takes new files, and
/// what stands there already, if anything, is a regular file that may be replaced. Changes nothing.
void require_writable(const std::filesystem::path& file);

/// Replaces `file` in one step: what is to stand in it goes to a temporary file beside it, which
/// takes its name only when all of it is on the disk. Throws output_error and removes the temporary
/// file otherwise. An existing file keeps its permissions; through a symbolic link, its target is
/// replaced.
void replace_file(const std::filesystem::path& file, std::span<const std::uint8_t> bytes);

/// The same for what `write` writes to the temporary file, whose path it gets. Throws what it
/// throws.
void replace_file(const std::filesystem::path& file,
                  const std::function<void(const std::filesystem::path&)>& write);

/// Text as bytes.
[[nodiscard]] inline std::span<const std::uint8_t> bytes_of(std::string_view text) noexcept {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace evencube::workloads
