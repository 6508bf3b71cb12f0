#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <evencube/workloads/search_tree.hpp>

/// The work of the ranks of a cluster, and of a manager and its workers over plain MPI. Both call
/// the same functions.
namespace bench::ranks {

using evencube::workloads::search_tree;
using evencube::workloads::tree_node;

/// A part of an unbalanced tree: nodes whose subtrees have not been counted.
using tree_part = std::vector<tree_node>;

/// Counts up to `most` nodes, depth first. Nodes that were reached and not counted stay in `part`.
inline std::uint64_t count_some(const search_tree& in, tree_part& part, std::uint64_t most) {
  std::uint64_t count = 0;
  while (!part.empty() && count < most) {
    const tree_node at = part.back();
    part.pop_back();
    ++count;
    const std::size_t children = evencube::workloads::children_of(in, at);
    for (std::size_t i = 0; i < children; ++i) {
      part.push_back(evencube::workloads::child_of(at, i));
    }
  }
  return count;
}

/// Deals a part out into at most `most` parts, so that each part gets nodes of all levels.
inline std::vector<tree_part> dealt(const tree_part& part, std::size_t most) {
  std::vector<tree_part> parts(std::min(most, part.size()));
  for (std::size_t i = 0; i < part.size(); ++i) parts[i % parts.size()].push_back(part[i]);
  return parts;
}

/// A picture of the Mandelbrot set in square tiles. Tiles inside the set are the most expensive.
struct picture {
  unsigned tiles_per_side = 24;
  unsigned pixels = 32;  // pixels per side of a tile
  unsigned most_iterations = 2000;
};

struct tile {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
};

using tile_pixels = std::vector<std::uint16_t>;

inline tile_pixels painted(const picture& of, const tile& at) {
  tile_pixels all;
  all.reserve(std::size_t{of.pixels} * of.pixels);
  const double step = 3.0 / (of.tiles_per_side * of.pixels);
  for (unsigned row = 0; row < of.pixels; ++row) {
    for (unsigned column = 0; column < of.pixels; ++column) {
      const double re = -2.25 + step * (at.x * of.pixels + column);
      const double im = -1.5 + step * (at.y * of.pixels + row);
      double a = 0;
      double b = 0;
      std::uint16_t n = 0;
      while (n < of.most_iterations && a * a + b * b < 4) {
        const double next = a * a - b * b + re;
        b = 2 * a * b + im;
        a = next;
        ++n;
      }
      all.push_back(n);
    }
  }
  return all;
}

inline std::uint64_t sum_of(const tile_pixels& all) {
  std::uint64_t sum = 0;
  for (const std::uint16_t each : all) sum += each;
  return sum;
}

/// Queens in the first `rows` rows of a square board, none of which attacks another. A bit stands
/// for a column of the next row.
struct queens {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;  ///< that have a queen
  std::uint32_t falling = 0;  ///< on a diagonal that falls to the left
  std::uint32_t rising = 0;   ///< on the other diagonal
};

/// Calls `each(next)` for all ways to place one more queen.
template <typename Each>
void place_next(unsigned size, const queens& on, const Each& each) {
  std::uint32_t free = ((1U << size) - 1) & ~(on.columns | on.falling | on.rising);
  while (free != 0) {
    const std::uint32_t at = free & (0 - free);
    free ^= at;
    each(queens{on.rows + 1, on.columns | at, (on.falling | at) << 1, (on.rising | at) >> 1});
  }
}

/// The ways to place queens in all other rows.
inline std::uint64_t count_ways(unsigned size, const queens& on) {
  if (on.rows == size) return 1;
  std::uint64_t count = 0;
  place_next(size, on, [&](const queens& next) { count += count_ways(size, next); });
  return count;
}

/// The settings of a run, given as `--name value`.
struct settings {
  std::string workload = "uts";
  std::string tree = "T3";
  std::uint64_t grain = 2000;  // nodes of a task
  std::string balancer = "oem";
  std::string transmission = "direct";
  double result_seconds = 0.1;  // how long results may wait for further results
  unsigned workers = 1;
  int repetitions = 5;
  std::uint32_t tasks = 1;  // number of empty tasks
  unsigned size = 14;       // number of queens
  unsigned rows = 3;        // of queens that are placed one a task
  picture image;
};

/// Reads the settings. Throws std::invalid_argument that names an unknown setting.
inline settings settings_of(int argc, char** argv) {
  settings found;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--tiny") {
      found.tree = "tiny";
      found.grain = 5;
      found.image = {6, 8, 200};
      found.size = 6;
      found.repetitions = 2;
      continue;
    }
    if (i + 1 == argc) throw std::invalid_argument("no value for " + name);
    const std::string value = argv[++i];
    if (name == "--workload" &&
        (value == "uts" || value == "queens" || value == "tiles" || value == "empty")) {
      found.workload = value;
    } else if (name == "--queens") {
      found.size = static_cast<unsigned>(std::stoul(value));
      if (found.size < 4 || found.size > 20) {
        throw std::invalid_argument("queens are 4 to 20, not " + value);
      }
    } else if (name == "--tree") {
      found.tree = value;
    } else if (name == "--grain") {
      found.grain = std::stoull(value);
    } else if (name == "--balancer") {
      found.balancer = value;
    } else if (name == "--transmission") {
      found.transmission = value;
    } else if (name == "--result-seconds") {
      found.result_seconds = std::stod(value);
    } else if (name == "--workers") {
      found.workers = static_cast<unsigned>(std::stoul(value));
    } else if (name == "--tasks") {
      found.tasks = static_cast<std::uint32_t>(std::stoul(value));
    } else if (name == "--repetitions") {
      found.repetitions = std::stoi(value);
    } else {
      throw std::invalid_argument("unknown: " + name + " " + value);
    }
  }
  return found;
}

/// The result of the serial code: the number of nodes, or the sum of all pixels.
inline std::uint64_t right_result(const settings& of) {
  if (of.workload == "empty") return of.tasks;
  if (of.workload == "queens") return count_ways(of.size, {});
  if (of.workload == "tiles") {
    std::uint64_t sum = 0;
    for (std::uint32_t y = 0; y < of.image.tiles_per_side; ++y) {
      for (std::uint32_t x = 0; x < of.image.tiles_per_side; ++x) {
        sum += sum_of(painted(of.image, {x, y}));
      }
    }
    return sum;
  }
  const search_tree in = evencube::workloads::tree_named(of.tree);
  if (in.nodes != 0) return in.nodes;
  tree_part all{evencube::workloads::root_of(in)};
  return count_some(in, all, ~std::uint64_t{0});
}

/// A rank's report on a run: its seconds and its result for each repetition, and its counters over
/// all repetitions.
struct report {
  std::vector<double> seconds;
  std::vector<std::uint64_t> found;
  std::vector<std::pair<std::string, std::uint64_t>> counts;
};

/// Prints the report as one line of JSON; rank 0 adds the right result.
inline void print(const report& of, const settings& what, unsigned rank) {
  std::string line = "{\"rank\": " + std::to_string(rank);
  if (rank == 0) line += ", \"right\": " + std::to_string(right_result(what));
  const auto list = [&](const std::string& name, const auto& values) {
    line += ", \"" + name + "\": [";
    for (std::size_t i = 0; i < values.size(); ++i) {
      line += (i == 0 ? "" : ", ") + std::to_string(values[i]);
    }
    line += "]";
  };
  list("seconds", of.seconds);
  list("found", of.found);
  for (const auto& [name, count] : of.counts)
    line += ", \"" + name + "\": " + std::to_string(count);
  std::printf("%s}\n", line.c_str());
}

}  // namespace bench::ranks
