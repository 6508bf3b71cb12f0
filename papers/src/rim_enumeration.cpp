#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <vector>

#include <evencube/balancers/exhaustive.hpp>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>

#include "kit.hpp"
#include "samples.hpp"

namespace evencube::papers {
namespace {

struct column {
  unsigned dimensions;
  unsigned largest;
  pair_rule printed;
  pair_rule best;
  std::array<std::uint64_t, 5> paper;  // difference 0, 1, 2, 3, 4 and above

  [[nodiscard]] bool read_otherwise() const { return best != printed; }
  [[nodiscard]] const char* method() const { return read_otherwise() ? "DEM" : "OEM"; }
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

/// Counts the vectors of one column under one rule.
rows counted(notebook& book, const column& c, pair_rule rule, double share) {
  const sorted_load_table halves(rule, c.dimensions, c.largest);
  // There are more parts than threads, because the parts' sizes differ.
  const std::size_t parts = std::min<std::size_t>(halves.rows(), 64);
  const auto by_part = book.sample<difference_counts>(parts, share, [&](std::size_t part) {
    return halves.count(halves.rows() * part / parts, halves.rows() * (part + 1) / parts);
  });
  difference_counts sum{};
  for (const difference_counts& part : by_part) sum += part;
  return {sum[0], sum[1], sum[2], sum[3],
          std::accumulate(sum.begin() + 4, sum.end(), std::uint64_t{0})};
}

constexpr const char* not_the_printed_rule =
    "The printed rule (the larger member keeps the odd unit) does not give the paper's DEM column.";
constexpr const char* split_wrongly =
    "Every vector is counted, and the sum of the two rows is the paper's to the last digit: only "
    "the split between them is another one.";

constexpr std::array row_names{"0", "1", "2", "3", "4 and above"};

void add_verdicts(notebook& book, const column& c, const rows& printed, const rows& best) {
  const auto sum = [](const rows& all, std::size_t first, std::size_t last) {
    return std::accumulate(all.begin() + first, all.begin() + last + 1, std::uint64_t{0});
  };
  const auto add_row = [&](const std::string& what, const std::string& paper,
                           const std::string& as_printed, const std::string& as_best) {
    const auto name = fmt::format("{} processors, {}, {}", 1U << c.dimensions, c.method(), what);
    const auto unless_equal = [&](const std::string& ours, const char* why) {
      return ours == paper ? "" : why;
    };
    if (c.read_otherwise()) {
      book.row(name, paper, as_printed, unless_equal(as_printed, not_the_printed_rule), as_best,
               unless_equal(as_best, split_wrongly));
    } else {
      book.row(name, paper, as_printed, unless_equal(as_printed, split_wrongly));
    }
  };
  for (std::size_t row = 0; row < row_names.size(); ++row) {
    const std::size_t next = row + 1;
    // Two rows that the paper splits differently are one verdict, and their sum another one.
    if (next < row_names.size() && best[row] != c.paper[row] && best[next] != c.paper[next] &&
        sum(best, row, next) == sum(c.paper, row, next)) {
      const auto both = [&](const rows& all) { return fmt::format("{}, {}", all[row], all[next]); };
      const auto together = [&](const rows& all) { return fmt::to_string(sum(all, row, next)); };
      const auto names = fmt::format("{}, {}", row_names[row], row_names[next]);
      add_row("differences " + names, both(c.paper), both(printed), both(best));
      add_row("differences " + names + " together", together(c.paper), together(printed),
              together(best));
      ++row;
    } else {
      add_row(fmt::format("difference {}", row_names[row]), fmt::to_string(c.paper[row]),
              fmt::to_string(printed[row]), fmt::to_string(best[row]));
    }
  }
}

void count_columns(notebook& book, data_table& table) {
  const std::size_t count = book.sized(columns.size() - 2, columns.size());
  for (const column& c : std::span{columns}.first(count)) {
    const double share = 0.5 / static_cast<double>(count);
    const rows printed = counted(book, c, c.printed, share);
    const rows best = c.read_otherwise() ? counted(book, c, c.best, share) : printed;
    const auto all = std::accumulate(printed.begin(), printed.end(), std::uint64_t{0});
    for (std::size_t row = 0; row < printed.size(); ++row) {
      add(table, 1U << c.dimensions, c.method(), row_names[row], c.paper[row], printed[row],
          best[row], fixed(static_cast<double>(printed[row]) / static_cast<double>(all), 6));
    }
    add_verdicts(book, c, printed, best);
  }
}

void find_worst_cases(notebook& book, data_table& table) {
  bool dem_as_stated = true;
  bool lower_as_stated = true;
  bool oem_as_stated = true;
  for (unsigned d = 1; d <= 12; ++d) {
    const load_type by_dem = worst_difference(dem, d);
    const load_type by_lower = worst_difference(lower, d);
    const load_type by_oem = worst_difference(oem, d);
    dem_as_stated = dem_as_stated && by_dem == load_type{d};
    lower_as_stated = lower_as_stated && by_lower == load_type{d};
    oem_as_stated = oem_as_stated && by_oem == load_type{(d + 1) / 2};
    add(table, d, by_dem, by_lower, by_oem, d, (d + 1) / 2);
  }
  book.row("worst difference of DEM over all loads, d = 1 .. 12", "log N",
           proven(dem_as_stated, "log N", "differs"), "",
           proven(lower_as_stated, "log N", "differs"));
  book.row("worst difference of OEM over all loads, d = 1 .. 12 (Theorem 1)",
           "at most ceil(log N / 2)", proven(oem_as_stated, "exactly ceil(log N / 2)", "differs"));
}

}  // namespace

void rim_table_1(notebook& book) {
  book.done.method =
      "All non-decreasing load vectors in id order, balanced lowest dimension first, are counted "
      "by the difference they end with. The halves of the cube are balanced alone and few "
      "different results come out, so that all pairs of results can be counted instead of all "
      "vectors. The exhaustive worst cases are read off the set of reachable states, over all "
      "integer loads.";
  if (!book.long_form()) {
    book.done.method += " The 32-node columns are counted in the long form (--long).";
  }
  book.done.parameters = {{"values", "0 .. 17 (8 nodes), 0 .. 12 (16), 0 .. 9 (32)",
                           "inferred: the columns of the paper add up to exactly these counts"}};
  book.choose_best_reading(
      "DEM columns: a pair that differs by at most one unit does nothing; otherwise the lower id "
      "ends with the odd unit (`evencube plan dem --odd lower-if-moving`). The paper prints no "
      "such rule; it gives the columns for 8, 16 and 32 processors to the last digit, except for "
      "the split between differences 3 and 4 and above, where only the sums are right, as in OEM's "
      "rows 2 and 3 for 32. Its worst case over all integer loads is log N, as that of the printed "
      "rule.");
  data_table& differences =
      book.table("differences", {"nodes", "method", "difference", "paper", "as printed",
                                 "best reading", "share of vectors, as printed"});
  data_table& worst = book.table(
      "worst-cases", {"d", "DEM", "DEM, best reading", "OEM", "log N", "ceil(log N / 2)"});
  count_columns(book, differences);
  find_worst_cases(book, worst);
  book.draw("worst-cases", "Worst difference over all integer loads", worst,
            {"dimensions d", {"d"}}, {"maximum - minimum load", {"DEM", "OEM"}});
}

void rim_figure_3(notebook& book) {
  constexpr load_type base = 3;
  constexpr unsigned largest = 12;
  book.done.method =
      "Node k of a d-cube starts with a + popcount(k) units. Partners in every dimension differ by "
      "one unit, so DEM, where the larger member keeps the odd unit, moves nothing. The same loads "
      "are given to OEM.";
  book.done.parameters = {
      {"a (least load)", fmt::to_string(base), "ours; the paper leaves it open"},
      {"d", fmt::format("1 .. {}", largest), "the paper shows d = 4"}};
  data_table& table = book.table(
      "difference", {"d", "nodes", "difference before", "DEM units moved", "DEM difference after",
                     "OEM difference after", "OEM bound ceil(d/2)"});
  const auto by_dem = make_balancer("dem");
  const auto by_oem = make_balancer("oem");
  bool dem_is_log_n = true;
  bool oem_in_bound = true;
  load_type paper_case = 0;
  for (unsigned d = 1; d <= largest; ++d) {
    const topology graph = topology::hypercube(d);
    std::vector<load_type> loads(graph.nodes());
    for (node_id k = 0; k < graph.nodes(); ++k) loads[k] = base + std::popcount(k);
    const load_type moved = task_hops(planned_by(*by_dem, graph, loads));
    const load_type after_dem = left_by(*by_dem, graph, loads);
    const load_type after_oem = left_by(*by_oem, graph, loads);
    dem_is_log_n = dem_is_log_n && moved == 0 && after_dem == load_type{d};
    oem_in_bound = oem_in_bound && after_oem <= load_type{(d + 1) / 2};
    if (d == 4) paper_case = after_dem;
    add(table, d, graph.nodes(), max_difference(loads), moved, after_dem, after_oem, (d + 1) / 2);
  }
  book.row("difference DEM leaves, 16 processors", "4", paper_case,
           "The caption of the figure says 8 processors; its text and numbers are for 16.");
  book.row("DEM moves nothing and leaves log N, d = 1 .. 12", "log N in the worst case",
           proven(dem_is_log_n, "log N, nothing moved", "not always log N"));
  book.row("OEM on the same loads", "at most ceil(log N / 2)",
           proven(oem_in_bound, "within the bound", "above the bound"));
  book.draw("difference", "Loads a + popcount(k): difference after balancing", table,
            {"dimensions d", {"d"}},
            {"maximum - minimum load", {"DEM difference after", "OEM difference after"}});
}

}  // namespace evencube::papers
