#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <vector>

#include <evencube/balancers/exhaustive.hpp>

#include "experiments.hpp"
#include "support.hpp"

namespace evencube::papers {
namespace {

struct column {
  unsigned dimensions;
  unsigned largest;
  pair_rule printed;
  pair_rule best;
  std::array<std::uint64_t, 5> paper;  // difference 0, 1, 2, 3, 4 and above
};

constexpr auto dem = pair_rule::dem;
constexpr auto lower = pair_rule::dem_lower;
constexpr auto oem = pair_rule::oem;
constexpr std::array columns{
    column{3, 17, dem, lower, {50438, 819747, 211170, 220, 0}},
    column{3, 17, oem, oem, {87034, 925739, 68802, 0, 0}},
    column{4, 12, dem, lower, {148226, 17593176, 12502375, 100973, 77005}},
    column{4, 12, oem, oem, {476485, 24949040, 4996230, 0, 0}},
    column{5, 9, dem, lower, {55412, 117986702, 220341830, 10254632, 1704989}},
    column{5, 9, oem, oem, {889092, 273339227, 63571635, 12543611, 0}}};

using rows = std::array<std::uint64_t, 5>;

rows five_rows(const difference_counts& counts) {
  rows five{counts[0], counts[1], counts[2], counts[3], 0};
  five[4] = std::accumulate(counts.begin() + 4, counts.end(), std::uint64_t{0});
  return five;
}

agreement judge(bool holds) { return holds ? agreement::equal : agreement::opposite; }

/// Counts the vectors of one column under one rule, its share of the progress given; nothing if it
/// was stopped.
std::optional<rows> counted(sampler& work, const column& c, pair_rule rule, double from,
                            double to) {
  const sorted_load_table halves(rule, c.dimensions, c.largest);
  // More parts than threads, as their sizes differ.
  const std::size_t parts = std::min<std::size_t>(halves.rows(), 64);
  std::vector<difference_counts> by_part(parts);
  work.run(parts, from, to, [&](std::size_t part) {
    by_part[part] = halves.count(halves.rows() * part / parts, halves.rows() * (part + 1) / parts);
  });
  if (work.stopped()) return std::nullopt;
  difference_counts sum{};
  for (const difference_counts& part : by_part) sum += part;
  return five_rows(sum);
}

constexpr const char* not_the_printed_rule =
    "The printed rule (the larger member keeps the odd unit) does not give the paper's DEM column.";
constexpr const char* split_wrongly =
    "The paper's row is off, its sum with the row beside it is right.";

/// A number, or the sum of two rows, beside the paper's; `best` only where its rule is another.
verdict compare(const std::string& what, std::uint64_t paper, std::uint64_t printed,
                std::optional<std::uint64_t> best, const char* printed_why, const char* best_why) {
  verdict made{what, text_of(paper), text_of(printed), judge(printed == paper),
               printed == paper ? "" : printed_why};
  if (best) {
    made.best = {text_of(*best), judge(*best == paper), *best == paper ? "" : best_why};
  }
  return made;
}

void add_verdicts(const column& c, const rows& printed, const rows& best, reproduction& done) {
  const auto where = text_of(1U << c.dimensions) + " processors, " +
                     (c.printed == oem ? "OEM" : "DEM") + ", difference ";
  const bool other = c.best != c.printed;
  const char* why = other ? not_the_printed_rule : split_wrongly;
  const auto add = [&](const std::string& difference, auto&& of) {
    done.verdicts.push_back(compare(where + difference, of(c.paper), of(printed),
                                    other ? std::optional{of(best)} : std::nullopt, why,
                                    split_wrongly));
  };
  for (std::size_t row = 0; row < printed.size(); ++row) {
    add(row == 4 ? "4 and above" : text_of(row), [row](const rows& of) { return of[row]; });
  }
  // Where the paper splits two rows otherwise than it counts them.
  if (other && c.dimensions > 3) {
    add("3 and above", [](const rows& of) { return of[3] + of[4]; });
  }
  if (!other && c.dimensions == 5) {
    add("2 and 3", [](const rows& of) { return of[2] + of[3]; });
  }
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
  done.best_reading =
      "DEM columns: a pair that differs by at most one unit does nothing; otherwise the lower id "
      "ends with the odd unit (`evencube plan dem --odd lower-if-moving`). The paper prints no "
      "such "
      "rule; it gives the columns for 8, 16 and 32 processors to the last digit, but for the split "
      "between differences 3 and 4 and above, where only the sums are right, as in OEM's rows 2 "
      "and "
      "3 for 32. Its worst case over all integer loads is log N, as that of the printed rule.";
  data_table table{"differences",
                   {"nodes", "method", "difference", "paper", "as printed", "best reading",
                    "share of vectors, as printed"},
                   {}};
  sampler work(options);
  const std::size_t count = options.long_form ? columns.size() : columns.size() - 2;
  if (!options.long_form) {
    done.method += " The 32-node columns are counted in the long form (--long).";
  }
  for (std::size_t i = 0; i < count; ++i) {
    const column& c = columns[i];
    const auto share = [&](double columns_done) {
      return columns_done / static_cast<double>(count);
    };
    const auto begin = static_cast<double>(i);
    const auto printed = counted(work, c, c.printed, share(begin), share(begin + 0.5));
    const auto best = c.best == c.printed
                          ? printed
                          : counted(work, c, c.best, share(begin + 0.5), share(begin + 1));
    if (!printed || !best) break;
    const auto all = std::accumulate(printed->begin(), printed->end(), std::uint64_t{0});
    for (std::size_t row = 0; row < printed->size(); ++row) {
      table.rows.push_back(
          {text_of(1U << c.dimensions), c.printed == oem ? "OEM" : "DEM",
           row == 4 ? "4 and above" : text_of(row), text_of(c.paper[row]), text_of((*printed)[row]),
           text_of((*best)[row]),
           fixed(static_cast<double>((*printed)[row]) / static_cast<double>(all), 6)});
    }
    add_verdicts(c, *printed, *best, done);
  }
  done.partial = work.stopped();
  data_table worst{
      "worst-cases", {"d", "DEM", "DEM, best reading", "OEM", "log N", "ceil(log N / 2)"}, {}};
  bool dem_as_stated = true;
  bool lower_as_stated = true;
  bool oem_as_stated = true;
  constexpr unsigned largest = 12;
  for (unsigned d = 1; d <= largest; ++d) {
    const load_type by_dem = worst_difference(dem, d);
    const load_type by_lower = worst_difference(lower, d);
    const load_type by_oem = worst_difference(oem, d);
    dem_as_stated = dem_as_stated && by_dem == load_type{d};
    lower_as_stated = lower_as_stated && by_lower == load_type{d};
    oem_as_stated = oem_as_stated && by_oem == load_type{(d + 1) / 2};
    worst.rows.push_back({text_of(d), std::to_string(by_dem), std::to_string(by_lower),
                          std::to_string(by_oem), text_of(d), text_of((d + 1) / 2)});
  }
  const auto worst_of = [](bool as_stated) { return as_stated ? "log N" : "differs"; };
  done.verdicts.push_back({"worst difference of DEM over all loads, d = 1 .. 12", "log N",
                           worst_of(dem_as_stated), judge(dem_as_stated), "",
                           other_finding{worst_of(lower_as_stated), judge(lower_as_stated)}});
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

}  // namespace evencube::papers
