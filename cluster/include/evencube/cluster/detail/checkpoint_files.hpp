#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
  std::string content;           ///< what it contains, in words, with the names of all types
  std::vector<checkpoint_part> parts;
};

/// The ranks that save or load together, and how each of them learns what all of them give.
struct checkpoint_ranks {
  unsigned rank;
  unsigned size;
  std::function<std::vector<message_bytes>(message_bytes)> gather;
};

/// Returns the name of a part.
[[nodiscard]] EVENCUBE_EXPORT std::string part_name(const std::string& path,
                                                    std::uint64_t generation, std::size_t part);
/// Returns the checkpoint at `path`, with `generation` 0 if no file is there. Throws
/// evencube::error for a file that cannot be read or is no checkpoint.
[[nodiscard]] EVENCUBE_EXPORT checkpoint read_checkpoint(const std::string& path);

/// Calls f and returns the text of its exception, or an empty text.
[[nodiscard]] EVENCUBE_EXPORT std::string problem_of(const std::function<void()>& f);
/// Returns the first rank's problem that is not empty. Collective.
[[nodiscard]] EVENCUBE_EXPORT std::string first_problem(const std::string& own,
                                                        const checkpoint_ranks& ranks);

/// Replaces the checkpoint at `path`, in one step, by one with the part that `written` returns on
/// each rank. Collective. Throws evencube::error on all ranks, and keeps the previous checkpoint,
/// if `own_problem` of a rank is not empty, if `written` throws, if a file cannot be written, or if
/// the previous checkpoint has another content.
EVENCUBE_EXPORT void save_parts(const std::string& path, const std::string& content,
                                const std::string& own_problem, const checkpoint_ranks& ranks,
                                const std::function<message_bytes()>& written);

/// What has become of `load_parts`, equal on all ranks.
struct loaded_parts {
  bool found = false;
  std::string problem;  // if it is not empty, nothing may be made of what was read
};
/// Reads the checkpoint at `path`. Each part is read on one rank: `read` gets its number, the
/// number of parts, and its bytes. Collective.
[[nodiscard]] EVENCUBE_EXPORT loaded_parts
load_parts(const std::string& path, const std::string& content, const std::string& own_problem,
           const checkpoint_ranks& ranks,
           const std::function<void(std::size_t, std::size_t, const message_bytes&)>& read);

}  // namespace evencube::detail
