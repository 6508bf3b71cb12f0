#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace evencube::workloads {

/// Replaces `file` by `bytes` in one step: they go to a temporary file beside it, which takes its
/// name only when all of them are on the disk. Throws image_error and removes the temporary file
/// otherwise. An existing file keeps its permissions; through a symbolic link, its target is
/// replaced.
void replace_file(const std::filesystem::path& file, std::span<const std::uint8_t> bytes);

}  // namespace evencube::workloads
