#pragma once

#include <cstdint>
#include <evencube/trace/trace.hpp>
#include <istream>
#include <memory>
#include <span>
#include <string>

namespace evencube::traces {

/// A packed trace unfolds to no more than this, and to no more than `most_unfolding` times its own
/// bytes and a mebibyte.
inline constexpr std::uint64_t most_unpacked_bytes = std::uint64_t{256} << 20;
inline constexpr std::uint64_t most_unfolding = 64;

/// Whether a file that begins so is packed: the two bytes of gzip (RFC 1952).
[[nodiscard]] bool is_packed(std::istream& from);

/// The content of the one gzip member that the `size` bytes of `from` are. Throws trace_error,
/// which begins with `name`, if it is damaged, cut, followed by anything or unfolds to too much.
[[nodiscard]] std::string unpack(std::istream& from, std::uint64_t size, const std::string& name);

/// Gives what it is given to `to`, packed; the same bytes for the same content. finish() comes
/// last.
class packer {
 public:
  explicit packer(const byte_sink& to);
  packer(const packer&) = delete;
  packer& operator=(const packer&) = delete;
  ~packer();

  void add(std::span<const std::uint8_t> bytes);
  void finish();

 private:
  struct state;

  void deflate_all(int flush);

  const byte_sink& to_;
  std::unique_ptr<state> state_;
};

}  // namespace evencube::traces
