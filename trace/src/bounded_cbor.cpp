#include "bounded_cbor.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace evencube::traces {
namespace {

/// The kinds of items: the upper three bits of the first byte of an item.
enum class major : std::uint8_t { whole, negative, bytes, text, array, map, tag, other };

/// The first byte of an item and the number that follows it.
struct head {
  major kind;
  std::uint8_t detail;  // the lower five bits of the first byte
  std::uint64_t value;
};

double half_float(std::uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 0x1F);
  const auto fraction = static_cast<double>(bits & 0x3FF);
  double value = 0;
  if (exponent == 0) {
    value = std::ldexp(fraction, -24);
  } else if (exponent < 31) {
    value = std::ldexp(fraction + 1024, exponent - 25);
  } else {
    value = fraction == 0 ? HUGE_VAL : NAN;
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

class document_reader {
 public:
  document_reader(std::span<const std::uint8_t> bytes, const cbor_limits& limits)
      : bytes_(bytes), limits_(limits) {}

  json read() {
    json document;
    read_item(document);
    while (!open_.empty()) {
      frame& innermost = open_.back();
      if (innermost.missing == 0) {
        open_.pop_back();
        continue;
      }
      --innermost.missing;
      // An open value may move while others are added after it, but only once it is closed.
      json& within = *innermost.value;
      if (within.is_array()) {
        read_item(within.emplace_back());
      } else {
        read_item(member_of(within));
      }
    }
    if (at_ != bytes_.size()) refuse("something follows the end of the document");
    return document;
  }

 private:
  // In a vector that doubled a moment ago, each value takes its memory twice.
  static constexpr std::size_t value_cost = 2 * sizeof(json);
  static constexpr std::size_t block_cost = 64;
  static constexpr std::size_t object_cost = 112;
  static constexpr std::size_t member_cost = 96;

  struct frame {
    json* value;
    std::uint64_t missing;  // items, or pairs of a map
  };

  [[noreturn]] void refuse(const std::string& why) const {
    throw std::invalid_argument("byte " + std::to_string(begun_) + " of it: " + why);
  }

  void charge(std::size_t bytes) {
    taken_ += bytes;
    if (taken_ > limits_.memory) {
      refuse("it would take more than the " + std::to_string(limits_.memory >> 20) +
             " MiB that there are for it");
    }
  }

  std::uint64_t take_number(std::size_t size) {
    if (bytes_.size() - at_ < size) refuse("it ends within an item");
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value = value << 8 | bytes_[at_++];
    return value;
  }

  head take_head() {
    begun_ = at_;
    const auto first = static_cast<std::uint8_t>(take_number(1));
    head item{static_cast<major>(first >> 5), static_cast<std::uint8_t>(first & 0x1F), 0};
    if (item.detail < 24) {
      item.value = item.detail;
    } else if (item.detail < 28) {
      item.value = take_number(std::size_t{1} << (item.detail - 24));
    } else {
      refuse("an item of indefinite length has no place in a trace");
    }
    return item;
  }

  std::string take_text(const head& item) {
    if (item.value > bytes_.size() - at_) refuse("it ends within a text");
    charge(block_cost + item.value);
    const auto* const first = reinterpret_cast<const char*>(bytes_.data() + at_);
    at_ += item.value;
    return {first, static_cast<std::size_t>(item.value)};
  }

  json& member_of(json& map) {
    const head item = take_head();
    if (item.kind != major::text) refuse("a key is no text");
    std::string key = take_text(item);
    charge(member_cost);
    if (map.contains(key)) refuse("the key \"" + key + "\" comes twice");
    return map[std::move(key)];
  }

  void open(json& into, json&& empty, const head& item, std::size_t cost) {
    if (open_.size() == limits_.depth) {
      refuse("more than " + std::to_string(limits_.depth) +
             " arrays and maps stand within each other");
    }
    // Each entry takes at least one byte. Memory is taken only as the entries come.
    if (item.value > bytes_.size() - at_) refuse("it ends within an array or map");
    charge(cost);
    into = std::move(empty);
    open_.push_back({&into, item.value});
  }

  void read_item(json& into) {
    const head item = take_head();
    charge(value_cost);
    switch (item.kind) {
      case major::whole:
        into = item.value;
        return;
      case major::negative:
        if (item.value > 0x7FFFFFFFFFFFFFFF) refuse("a number does not fit 64 bits");
        into = -1 - static_cast<std::int64_t>(item.value);
        return;
      case major::text:
        into = take_text(item);
        return;
      case major::array:
        open(into, json::array(), item, block_cost);
        return;
      case major::map:
        open(into, json::object(), item, object_cost);
        return;
      case major::other:
        read_other(into, item);
        return;
      case major::bytes:
      case major::tag:
        break;
    }
    refuse("byte strings and tags have no place in a trace");
  }

  void read_other(json& into, const head& item) {
    switch (item.detail) {
      case 20:
      case 21:
        into = item.detail == 21;
        return;
      case 22:
        into = nullptr;
        return;
      case 25:
        into = half_float(item.value);
        return;
      case 26:
        into = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(item.value)));
        return;
      case 27:
        into = std::bit_cast<double>(item.value);
        return;
      default:
        refuse("the value " + std::to_string(item.value) + " has no meaning");
    }
  }

  std::span<const std::uint8_t> bytes_;
  cbor_limits limits_;
  std::vector<frame> open_;
  std::size_t at_ = 0;
  std::size_t begun_ = 0;  // the position of the item that is being read
  std::size_t taken_ = 0;
};

}  // namespace

json read_cbor(std::span<const std::uint8_t> bytes, const cbor_limits& limits) {
  return document_reader(bytes, limits).read();
}

}  // namespace evencube::traces
