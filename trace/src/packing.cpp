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

}  // namespace

bool is_packed(std::istream& from) {
  // Without seeking, which the stream may not support.
  const auto first = from.get();
  const bool packed = first == 0x1F && from.peek() == 0x8B;
  from.clear();
  if (first != std::istream::traits_type::eof()) from.unget();
  return packed;
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

struct packer::state {
  z_stream stream{};
  std::array<std::uint8_t, piece> out{};
};

packer::packer(const byte_sink& to) : to_(to), state_(std::make_unique<state>()) {
  if (deflateInit2(&state_->stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window, 9,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

packer::~packer() { deflateEnd(&state_->stream); }

void packer::add(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const auto now = bytes.first(std::min<std::size_t>(bytes.size(), std::size_t{1} << 30));
    // zlib only reads the input; its interface is older than const.
    state_->stream.next_in = const_cast<Bytef*>(now.data());
    state_->stream.avail_in = static_cast<uInt>(now.size());
    deflate_all(Z_NO_FLUSH);
    bytes = bytes.subspan(now.size());
  }
}

void packer::finish() { deflate_all(Z_FINISH); }

void packer::deflate_all(int flush) {
  z_stream& stream = state_->stream;
  do {
    stream.next_out = state_->out.data();
    stream.avail_out = static_cast<uInt>(piece);
    deflate(&stream, flush);
    to_(std::span<const std::uint8_t>(state_->out).first(piece - stream.avail_out));
  } while (stream.avail_out == 0);
}

}  // namespace evencube::traces
