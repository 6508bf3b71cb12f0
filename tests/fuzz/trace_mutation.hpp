#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bounded_cbor.hpp"

namespace evencube::fuzz {

using json = nlohmann::json;

/// Changes one word of a trace and leaves the rest in order. What contradicts itself behind a good
/// head and in columns of one length is never found by changing bytes.
class trace_mutation {
 public:
  explicit trace_mutation(unsigned seed) : random_(seed) {}

  /// The file with a value in one of its blocks changed, the checksum left wrong; empty where no
  /// block can be read.
  std::string changed(std::string_view file) {
    struct range {
      std::size_t begin, size;
    };
    std::vector<range> blocks;
    for (std::size_t at = start; at + frame <= file.size();) {
      const std::size_t size = little_endian(file.substr(at + 4, 4));
      if (size > file.size() - at - frame) break;
      blocks.push_back({at + frame, size});
      at += frame + size;
    }
    if (blocks.empty()) return {};
    const auto [begin, size] = blocks[below(blocks.size())];
    json payload;
    try {
      payload =
          traces::read_cbor({reinterpret_cast<const std::uint8_t*>(file.data()) + begin, size});
    } catch (const std::invalid_argument&) {
      return {};
    }
    change(payload);
    const auto bytes = json::to_cbor(payload);
    std::string result(file.substr(0, begin));
    for (unsigned i = 0; i < 4; ++i) {
      result[begin - 8 + i] = static_cast<char>(bytes.size() >> (8 * i) & 0xFF);
    }
    result.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return result.append(file.substr(begin + size));
  }

 private:
  static constexpr std::size_t start = 12;  // bytes before the first block
  static constexpr std::size_t frame = 12;  // kind, size and checksum of each

  static std::size_t little_endian(std::string_view bytes) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value |= std::size_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    return value;
  }

  std::size_t below(std::size_t count) { return random_() % count; }

  static void collect(json& within, std::vector<json*>& into) {
    into.push_back(&within);
    if (within.is_structured()) {
      for (json& part : within) collect(part, into);
    }
  }

  void change(json& document) {
    std::vector<json*> values;
    collect(document, values);
    json& value = *values[below(values.size())];
    if (below(16) == 0) {
      value = json(*values[below(values.size())]);  // what stands elsewhere
    } else if (value.is_array()) {
      change_array(value);
    } else if (value.is_object()) {
      change_map(value);
    } else if (value.is_number_integer()) {
      change_whole(value);
    } else if (value.is_number_float()) {
      value = std::array{0.0,
                         -1.0,
                         0.5,
                         1e300,
                         std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()}[below(6)];
    } else if (value.is_boolean()) {
      value = !value.get<bool>();
    } else {
      static constexpr std::array names{
          "",       "none",         "oem",       "direct",          "pipelined:2",
          "thread", "on_idle",      "on_demand", "random_stealing", "ring:3",
          "cube:2", "hypercube:24", "optimal",   "sender_initiated"};
      value = names[below(names.size())];
    }
  }

  void change_whole(json& value) {
    static constexpr std::array<std::uint64_t, 10> numbers{
        0, 1, 2, 3, 65536, (1U << 31), 0xFFFFFFFE, 0xFFFFFFFF, 1ULL << 62, 0xFFFFFFFFFFFFFFFF};
    const auto old = value.get<std::uint64_t>();
    switch (below(4)) {
      case 0:
        value = old + 1;
        break;
      case 1:
        value = old - 1;
        break;
      default:
        value = numbers[below(numbers.size())];
    }
  }

  void change_array(json& value) {
    if (value.empty() || below(2) == 0) {
      value.push_back(value.empty() ? json(below(3)) : json(value[below(value.size())]));
    } else {
      value.erase(below(value.size()));
    }
  }

  void change_map(json& value) {
    static constexpr std::array optional{"leader",    "initiator", "mode",  "period",
                                         "threshold", "name",      "names", "regions"};
    if (value.empty() || below(2) == 0) {
      value[optional[below(optional.size())]] = below(3);
    } else {
      value.erase(std::next(value.begin(), static_cast<std::ptrdiff_t>(below(value.size()))));
    }
  }

  std::minstd_rand random_;
};

}  // namespace evencube::fuzz
