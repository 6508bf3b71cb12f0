#include "trace_blocks.hpp"

#include <cstring>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "packing.hpp"

namespace evencube::traces {
namespace {

std::array<char, 4> little_endian(std::uint32_t value) {
  std::array<char, 4> bytes;
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

std::uint32_t number(const char* bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return value;
}

std::span<const std::uint8_t> bytes_of(std::span<const char> text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

trace_block_writer::trace_block_writer(const byte_sink& to) : to_(to) {
  to_(bytes_of(trace_magic));
  to_(bytes_of(little_endian(trace_version)));
}

void trace_block_writer::write(const char* kind, const json& payload) {
  const std::vector<std::uint8_t> bytes = json::to_cbor(payload);
  to_(bytes_of({kind, 4}));
  to_(bytes_of(little_endian(static_cast<std::uint32_t>(bytes.size()))));
  to_(bytes_of(little_endian(checksum(bytes))));
  to_(bytes);
}

trace_block_reader::trace_block_reader(std::istream& from, std::uint64_t size, std::string name)
    : from_(from), size_(size), name_(std::move(name)) {
  std::array<char, 12> start;
  if (size_ < start.size()) refuse(size_, "too short to be a trace");
  read(start.data(), start.size(), "the start");
  if (std::memcmp(start.data(), trace_magic.data(), trace_magic.size()) != 0) {
    refuse(0, "not a trace: it does not begin with EVCTRACE");
  }
  const std::uint32_t version = number(start.data() + 8);
  if (version < oldest_trace_version || version > trace_version) {
    refuse(8, "version " + std::to_string(version) + " is not known, " +
                  std::to_string(oldest_trace_version) + " and " + std::to_string(trace_version) +
                  " are");
  }
}

trace_block_reader::block trace_block_reader::next(std::size_t memory) {
  block found;
  found.offset = offset_;
  std::array<char, 12> head;
  read(head.data(), head.size(), "the head of a block");
  found.kind.assign(head.data(), 4);
  const std::uint32_t length = number(head.data() + 4);
  const auto name = "block " + found.kind + " at byte " + std::to_string(found.offset);
  // Checked before memory is taken, because a damaged length must not ask for gigabytes.
  if (length > size_ - offset_) {
    refuse(size_, "cut: " + name + " needs " + std::to_string(length) + " bytes, " +
                      std::to_string(size_ - offset_) + " are left");
  }
  if (length > most_block_bytes) {
    refuse(found.offset, name + " has " + std::to_string(length) + " bytes, at most " +
                             std::to_string(most_block_bytes) + " are allowed");
  }
  std::vector<std::uint8_t> bytes(length);
  read(reinterpret_cast<char*>(bytes.data()), length, name);
  if (checksum(bytes) != number(head.data() + 8)) {
    refuse(found.offset, "damaged: " + name + " does not match its checksum");
  }
  try {
    found.payload = read_cbor(bytes, {.memory = memory});
  } catch (const std::invalid_argument& problem) {
    refuse(found.offset, name + ": " + problem.what());
  }
  if (!found.payload.is_object()) refuse(found.offset, name + " is no map");
  return found;
}

void trace_block_reader::expect_end() {
  if (offset_ != size_) {
    refuse(offset_, std::to_string(size_ - offset_) + " bytes follow the end of the trace");
  }
}

void trace_block_reader::refuse(std::uint64_t offset, const std::string& what) const {
  throw trace_error(name_ + ": byte " + std::to_string(offset) + ": " + what);
}

void trace_block_reader::read(char* into, std::size_t size, const std::string& what) {
  if (size > size_ - offset_) refuse(size_, "cut: the file ends within " + what);
  from_.read(into, static_cast<std::streamsize>(size));
  if (!from_) refuse(offset_, "cannot be read");
  offset_ += size;
}

}  // namespace evencube::traces
