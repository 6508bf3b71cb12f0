#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace evencube::workloads {

/// Throws image_error for a picture of a size that cannot be worked on at all.
void require_size(std::uint64_t width, std::uint64_t height, const std::string& name);

/// Throws image_error for a picture of more than `most_pixels`, for which its file (of so many
/// bytes; none: nobody knows) is very small.
void require_trust(std::uint64_t width, std::uint64_t height,
                   std::optional<std::uint64_t> file_bytes, std::uint64_t most_pixels,
                   const std::string& name);

}  // namespace evencube::workloads
