#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include <evencube/balancers/exhaustive.hpp>

#include "experiments.hpp"
#include "support.hpp"

namespace evencube::simulator::reproduce {
namespace {

struct column {
  unsigned dimensions;
  unsigned largest;
  pair_rule rule;
  std::array<std::uint64_t, 5> paper;  // difference 0, 1, 2, 3, 4 and above
};

constexpr std::array columns{
    column{3, 17, pair_rule::dem, {50438, 819747, 211170, 220, 0}},
    column{3, 17, pair_rule::oem, {87034, 925739, 68802, 0, 0}},
    column{4, 12, pair_rule::dem, {148226, 17593176, 12502375, 100973, 77005}},
    column{4, 12, pair_rule::oem, {476485, 24949040, 4996230, 0, 0}},
    column{5, 9, pair_rule::dem, {55412, 117986702, 220341830, 10254632, 1704989}},
    column{5, 9, pair_rule::oem, {889092, 273339227, 63571635, 12543611, 0}}};

std::array<std::uint64_t, 5> five_rows(const difference_counts& counts) {
  std::array<std::uint64_t, 5> rows{counts[0], counts[1], counts[2], counts[3], 0};
  rows[4] = std::accumulate(counts.begin() + 4, counts.end(), std::uint64_t{0});
  return rows;
}

const char* reason(const column& c, std::size_t row, bool equal) {
  if (equal) return "";
  if (c.rule == pair_rule::dem) {
    return "The printed rule (the larger member keeps the odd unit) does not give the paper's DEM "
           "column.";
  }
  if (c.dimensions == 5 && (row == 2 || row == 3)) {
    return "The paper's rows 2 and 3 together are our row 2: no sorted vector of 0 .. 9 ends with "
           "difference 3, though unsorted ones can.";
  }
  return "";
}

}  // namespace

reproduction rim_table_1(const reproduce_options& options) {
  reproduction done;
  done.id = "rim-table-1";
  done.title = "How often each difference is left, over all load vectors";
  done.source = "Rim, Jang, Kim 2003, Table 1, Section 4";
  done.method =
      "All non-decreasing load vectors in id order, balanced lowest dimension first, are counted "
      "by "
      "the difference they end with. The halves of the cube are balanced alone and few different "
      "results come out, so that all pairs of results can be counted instead of all vectors. The "
      "exhaustive worst cases are read off the set of reachable states, over all integer loads.";
  done.parameters = {{"values", "0 .. 17 (8 nodes), 0 .. 12 (16), 0 .. 9 (32)",
                      "inferred: the columns of the paper add up to exactly these counts"}};
  data_table table{
      "differences", {"nodes", "method", "difference", "paper", "ours", "share of vectors"}, {}};
  sampler work(options);
  const std::size_t count = options.long_form ? columns.size() : columns.size() - 2;
  if (!options.long_form) {
    done.method += " The 32-node columns are counted in the long form (--long).";
  }
  for (std::size_t i = 0; i < count; ++i) {
    const column& c = columns[i];
    const sorted_load_table halves(c.rule, c.dimensions, c.largest);
    // More parts than threads, as their sizes differ.
    const std::size_t parts = std::min<std::size_t>(halves.rows(), 64);
    std::vector<difference_counts> counted(parts);
    const auto share = [&](std::size_t done_columns) {
      return static_cast<double>(done_columns) / static_cast<double>(count);
    };
    work.run(parts, share(i), share(i + 1), [&](std::size_t part) {
      counted[part] =
          halves.count(halves.rows() * part / parts, halves.rows() * (part + 1) / parts);
    });
    if (work.stopped()) break;
    difference_counts sum{};
    for (const difference_counts& part : counted) sum += part;
    const auto rows = five_rows(sum);
    const auto nodes = text_of(1U << c.dimensions);
    const std::string method = c.rule == pair_rule::dem ? "DEM" : "OEM";
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const bool equal = rows[row] == c.paper[row];
      const std::string difference = row == 4 ? "4 and above" : text_of(row);
      table.rows.push_back(
          {nodes, method, difference, text_of(c.paper[row]), text_of(rows[row]),
           fixed(static_cast<double>(rows[row]) / static_cast<double>(halves.vectors()), 6)});
      done.verdicts.push_back({nodes + " processors, " + method + ", difference " + difference,
                               text_of(c.paper[row]), text_of(rows[row]),
                               equal ? agreement::equal : agreement::opposite,
                               reason(c, row, equal)});
    }
  }
  done.partial = work.stopped();
  data_table worst{"worst-cases", {"d", "DEM", "OEM", "log N", "ceil(log N / 2)"}, {}};
  bool dem_as_stated = true;
  bool oem_as_stated = true;
  constexpr unsigned largest = 12;
  for (unsigned d = 1; d <= largest; ++d) {
    const load_type dem = worst_difference(pair_rule::dem, d);
    const load_type oem = worst_difference(pair_rule::oem, d);
    dem_as_stated = dem_as_stated && dem == load_type{d};
    oem_as_stated = oem_as_stated && oem == load_type{(d + 1) / 2};
    worst.rows.push_back(
        {text_of(d), std::to_string(dem), std::to_string(oem), text_of(d), text_of((d + 1) / 2)});
  }
  const auto judge = [](bool holds) { return holds ? agreement::equal : agreement::opposite; };
  done.verdicts.push_back({"worst difference of DEM over all loads, d = 1 .. 12", "log N",
                           dem_as_stated ? "log N" : "differs", judge(dem_as_stated), ""});
  done.verdicts.push_back(
      {"worst difference of OEM over all loads, d = 1 .. 12 (Theorem 1)", "at most ceil(log N / 2)",
       oem_as_stated ? "exactly ceil(log N / 2)" : "differs", judge(oem_as_stated), ""});
  done.tables.push_back(table);
  done.tables.push_back(worst);
  done.pictures.push_back({"worst-cases",
                           "Worst difference over all integer loads",
                           "worst-cases",
                           "d",
                           {"DEM", "OEM"},
                           "",
                           "dimensions d",
                           "maximum - minimum load"});
  return done;
}

}  // namespace evencube::simulator::reproduce
