#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <evencube/balancers/exhaustive.hpp>

#include "../common/program.hpp"

/// The exhaustive table of Rim, Jang, Kim 2003 (Table 1): what OEM leaves of every non-decreasing
/// load vector of a cube.
namespace bench::enumeration {

inline const workload about{
    "enumeration", "vector", {{"nodes", "32", "8", "of the cube", {"8", "16", "32"}}}};

struct column {
  unsigned dimensions;
  unsigned largest;
  evencube::difference_counts counts;  // the paper's; at 32 nodes its rows 2 and 3 are one
};

inline column column_of(const std::string& nodes) {
  if (nodes == "8") return {3, 17, {87034, 925739, 68802}};
  if (nodes == "16") return {4, 12, {476485, 24949040, 4996230}};
  return {5, 9, {889092, 273339227, 76115246}};
}

/// `run_all(parts, body)` calls body(i) for every i < parts. Measured: counting; the tables of the
/// halves, which one thread makes, are ready.
template <typename RunAll>
int measure(program& with, const RunAll& run_all) {
  const column wanted = column_of(with.word("nodes"));
  const evencube::sorted_load_table halves(evencube::pair_rule::oem, wanted.dimensions,
                                           wanted.largest);
  constexpr std::size_t parts = 256;
  std::vector<evencube::difference_counts> counted(parts);
  return with.measure({
      .units = static_cast<double>(halves.vectors()),
      .run =
          [&] {
            return timed([&] {
              run_all(parts, [&](std::size_t part) {
                counted[part] =
                    halves.count(halves.rows() * part / parts, halves.rows() * (part + 1) / parts);
              });
            });
          },
      .verify =
          [&] {
            using evencube::operator+=;
            evencube::difference_counts sum{};
            for (const auto& part : counted) sum += part;
            return sum == wanted.counts ? "" : "the counts are not those of the paper";
          },
  });
}

}  // namespace bench::enumeration
