// The PGM and PPM reader.

#include <evencube/workloads/image_file.hpp>

#include "support.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evencube;
  try {
    const auto picture = workloads::decode_picture({data, size}, "x", fuzz::trusted_pixels);
    fuzz::require(picture.samples().size() == std::size_t{picture.width()} * picture.height(),
                  "a picture has a sample for each pixel");
  } catch (const workloads::image_error&) {
  }
  return 0;
}
