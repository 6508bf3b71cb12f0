#include "packing.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>

namespace evencube::traces {
namespace {

constexpr int gzip_window = 15 + 16;  // for zlib: the largest window, with a gzip header
constexpr std::size_t piece = 16384;

struct inflating {
  z_stream stream{};

  inflating() {
    if (inflateInit2(&stream, gzip_window) != Z_OK) throw std::bad_alloc();
  }
  inflating(const inflating&) = delete;
  inflating& operator=(const inflating&) = delete;
  ~inflating() { inflateEnd(&stream); }
};

/// Packs its input and passes it to `to`. The same content gives the same bytes. Call finish()
/// last.
class packer {
 public:
  explicit packer(const byte_sink& to) : to_(to) {
    if (deflateInit2(&stream_, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window, 9,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  packer(const packer&) = delete;
  packer& operator=(const packer&) = delete;
  ~packer() { deflateEnd(&stream_); }

  void add(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
      const auto now = bytes.first(std::min<std::size_t>(bytes.size(), std::size_t{1} << 30));
      // zlib only reads the input; its interface is older than const.
      stream_.next_in = const_cast<Bytef*>(now.data());
      stream_.avail_in = static_cast<uInt>(now.size());
      deflate_all(Z_NO_FLUSH);
      bytes = bytes.subspan(now.size());
    }
  }

  void finish() { deflate_all(Z_FINISH); }

 private:
  void deflate_all(int flush) {
    do {
      stream_.next_out = out_.data();
      stream_.avail_out = static_cast<uInt>(piece);
      deflate(&stream_, flush);
      to_(std::span<const std::uint8_t>(out_).first(piece - stream_.avail_out));
    } while (stream_.avail_out == 0);
  }

  const byte_sink& to_;
  z_stream stream_{};
  std::array<std::uint8_t, piece> out_{};
};

}  // namespace

std::uint32_t checksum(std::span<const std::uint8_t> bytes) {
  return static_cast<std::uint32_t>(crc32_z(crc32_z(0, nullptr, 0), bytes.data(), bytes.size()));
}

std::string unpack(std::istream& from, std::uint64_t size, const std::string& name) {
  const std::uint64_t most = std::min(most_unpacked_bytes, most_unfolding * size + (1U << 20));
  inflating state;
  z_stream& stream = state.stream;
  std::array<char, piece> in;
  std::array<char, piece> out;
  std::string content;
  std::uint64_t left = size;
  int answer = Z_OK;
  const auto refuse = [&](const std::string& why) {
    throw trace_error(name + ": byte " + std::to_string(size - left - stream.avail_in) + ": " +
                      why);
  };
  while (answer != Z_STREAM_END) {
    if (stream.avail_in == 0) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, piece));
      if (count == 0) refuse("cut: the packed trace goes on");
      if (!from.read(in.data(), static_cast<std::streamsize>(count))) refuse("cannot be read");
      left -= count;
      stream.next_in = reinterpret_cast<Bytef*>(in.data());
      stream.avail_in = static_cast<uInt>(count);
    }
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(piece);
    answer = inflate(&stream, Z_NO_FLUSH);
    if (answer == Z_MEM_ERROR) throw std::bad_alloc();
    if (answer != Z_OK && answer != Z_STREAM_END) refuse("damaged: cannot be unpacked");
    const std::size_t made = piece - stream.avail_out;
    if (made > most - content.size()) {
      refuse("unpacks to more than " + std::to_string(most) + " bytes, which is too much for " +
             std::to_string(size));
    }
    content.append(out.data(), made);
  }
  if (left + stream.avail_in > 0) {
    refuse(std::to_string(left + stream.avail_in) + " bytes follow the end of the packed trace");
  }
  return content;
}

void write_packed_trace(const trace& recorded, const byte_sink& to) {
  packer packed(to);
  write_trace(recorded, [&](std::span<const std::uint8_t> bytes) { packed.add(bytes); });
  packed.finish();
}

}  // namespace evencube::traces
