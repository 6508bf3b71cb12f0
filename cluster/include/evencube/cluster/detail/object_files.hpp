#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <evencube/cluster/detail/bytes.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube::detail {

/// A part of a checkpoint: the file of one rank.
struct checkpoint_part {
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;
};

/// What the file at the path of a checkpoint says: which files belong to it.
struct checkpoint {
  std::uint64_t generation = 0;  ///< of the files' names; 0 if there is no checkpoint
  std::string name;              ///< of the objects
  std::string type;
  std::vector<checkpoint_part> parts;
};

/// Returns the name of a part.
[[nodiscard]] EVENCUBE_EXPORT std::string part_name(const std::string& path,
                                                    std::uint64_t generation, std::size_t part);
/// Writes a part. Throws evencube::error, which names the file and the reason.
EVENCUBE_EXPORT checkpoint_part write_part(const std::string& file,
                                           std::span<const std::byte> bytes);
/// Reads a part and compares it with what the checkpoint says. Throws evencube::error.
[[nodiscard]] EVENCUBE_EXPORT message_bytes read_part(const std::string& file,
                                                      const checkpoint_part& expected);
/// Removes a part, if it exists.
EVENCUBE_EXPORT void remove_part(const std::string& file) noexcept;
/// Removes all parts at `path` but those of `of`: of earlier checkpoints, and of such as were not
/// completed.
EVENCUBE_EXPORT void remove_other_parts(const std::string& path, const checkpoint& of) noexcept;
/// Makes `of` the checkpoint at `path`, in one step. Throws evencube::error.
EVENCUBE_EXPORT void write_checkpoint(const std::string& path, const checkpoint& of);
/// Returns the checkpoint at `path`, with `generation` 0 if no file is there. Throws
/// evencube::error for a file that cannot be read or is no checkpoint.
[[nodiscard]] EVENCUBE_EXPORT checkpoint read_checkpoint(const std::string& path);

}  // namespace evencube::detail
