// The PNG reader. Checksums are put right first, or nothing would get past them. Input that does
// not begin as a PNG is packed into one: five bytes of header, then filters and pixels.

#include <zlib.h>

#include <algorithm>
#include <evencube/workloads/image_file.hpp>

#include "support.hpp"

namespace {

using bytes = std::vector<std::uint8_t>;
constexpr std::uint8_t mark[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

void append(bytes& file, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    file.push_back(static_cast<std::uint8_t>(value >> shift));
  }
}

void append_chunk(bytes& file, const char* name, const bytes& content) {
  append(file, static_cast<std::uint32_t>(content.size()));
  file.insert(file.end(), name, name + 4);
  file.insert(file.end(), content.begin(), content.end());
  append(file, 0);  // mended below
}

bytes packed(const std::uint8_t* data, std::size_t size) {
  bytes file(mark, mark + 8);
  bytes header;
  append(header, data[0]);
  append(header, data[1]);
  header.insert(header.end(), {static_cast<std::uint8_t>(1U << (data[2] % 5)),
                               static_cast<std::uint8_t>(data[3] % 7), 0, 0,
                               static_cast<std::uint8_t>(data[4] % 2)});
  append_chunk(file, "IHDR", header);
  append_chunk(file, "PLTE", bytes(3 * 16, 0x55));
  if (data[2] % 2 == 0) append_chunk(file, "tRNS", bytes(data[3] % 7 == 2 ? 6 : 2, 1));
  uLongf length = compressBound(size - 5);
  bytes pixels(length);
  compress(pixels.data(), &length, data + 5, size - 5);
  pixels.resize(length);
  append_chunk(file, "IDAT", pixels);
  append_chunk(file, "IEND", {});
  return file;
}

void mend(bytes& file) {
  for (std::size_t at = 8; at + 12 <= file.size();) {
    const std::size_t length = evencube::fuzz::big_endian(file.data() + at, 4);
    if (length > file.size() - at - 12) return;
    const auto sum = crc32(0, file.data() + at + 4, static_cast<uInt>(length + 4));
    for (unsigned i = 0; i < 4; ++i) {
      file[at + 8 + length + i] = static_cast<std::uint8_t>(sum >> (24 - 8 * i));
    }
    at += length + 12;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evencube;
  const bool whole = size >= 8 && std::equal(mark, mark + 8, data);
  if (!whole && size < 6) return 0;
  bytes file = whole ? bytes(data, data + size) : packed(data, size);
  mend(file);
  try {
    const auto picture = workloads::decode_picture(file, "x", fuzz::trusted_pixels);
    fuzz::require(picture.samples().size() == std::size_t{picture.width()} * picture.height(),
                  "a picture has a sample for each pixel");
  } catch (const workloads::image_error&) {
  }
  return 0;
}
