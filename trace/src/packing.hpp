#pragma once

#include <cstdint>
#include <evencube/trace/trace.hpp>
#include <istream>
#include <memory>
#include <span>
#include <string>

namespace evencube::traces {

/// The largest size to which a packed trace may unfold. It may also not exceed `most_unfolding`
/// times its own bytes plus a mebibyte.
inline constexpr std::uint64_t most_unpacked_bytes = std::uint64_t{256} << 20;
inline constexpr std::uint64_t most_unfolding = 64;

/// True if a file with this beginning is packed: it begins with the two bytes of gzip (RFC 1952).
[[nodiscard]] bool is_packed(std::istream& from);

/// Returns the content of the one gzip member that the `size` bytes of `from` are. Throws
/// trace_error, which begins with `name`, if the member is damaged, cut or followed by other bytes,
/// or if it unfolds to too much.
[[nodiscard]] std::string unpack(std::istream& from, std::uint64_t size, const std::string& name);

/// Packs its input and passes it to `to`. The same content gives the same bytes. Call finish()
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
