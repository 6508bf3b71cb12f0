#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <evencube/balancers/options.hpp>
#include <evencube/balancers/plan_tools.hpp>

#include "kit.hpp"
#include "samples.hpp"

namespace evencube::papers {
namespace {

// Rim, Jang, Kim 2003: the worst case of OEM (Fig. 6), and OEM followed by CWA (Section 5.5).

constexpr load_type most_of_worst = 10;
constexpr std::uint32_t most_draws = 1'000'000;

/// The bound of Theorem 1 on the d-cube.
constexpr load_type bound_of_oem(unsigned d) { return (d + 1) / 2; }

/// A vector of loads on which OEM reaches its bound, and the draw that found it.
struct worst_case {
  std::vector<load_type> loads;
  std::uint32_t draws;
};

/// The first of the random vectors on which OEM reaches its bound; none if there is none.
std::optional<worst_case> first_worst_case(unsigned d, std::uint64_t seed) {
  const topology cube = topology::hypercube(d);
  const auto oem = make_balancer(oem_options{});
  for (std::uint32_t draw = 0; draw < most_draws; ++draw) {
    auto loads = uniform_loads(seed, draw, cube.nodes(), most_of_worst);
    if (left_by(*oem, cube, loads) == bound_of_oem(d))
      return worst_case{std::move(loads), draw + 1};
  }
  return std::nullopt;
}

/// The largest differences that the hybrid left, and whether its ends are OEM and CWA.
struct hybrid_results {
  load_type worst = 0;
  bool same_as_oem = true;
  bool same_as_cwa = true;
};

}  // namespace

void rim_figure_6(notebook& book) {
  constexpr unsigned largest = 6;
  book.done.method =
      "The loads of the figure are in the picture only. Loads are drawn until OEM leaves its "
      "bound, ceil(log N / 2), and the first such vector is shown: it is another worst case than "
      "the paper's and has the same difference.";
  book.done.parameters = {
      {"loads", fmt::format("0 .. {}, drawn independently", most_of_worst), "ours"},
      {"d", fmt::format("1 .. {}", largest), "the paper shows d = 5"}};
  data_table& table = book.table(
      "worst", {"d", "nodes", "draws", "OEM difference after", "ceil(log N / 2)", "loads"});
  const auto found = book.sample<std::optional<worst_case>>(largest, 1, [&](std::size_t i) {
    return first_worst_case(static_cast<unsigned>(i) + 1, book.seed());
  });
  const auto oem = make_balancer(oem_options{});
  bool all = true;
  for (unsigned d = 1; d <= largest; ++d) {
    const auto& worst = found[d - 1];
    all = all && worst;
    if (!worst) continue;
    const topology cube = topology::hypercube(d);
    const load_type left = left_by(*oem, cube, worst->loads);
    add(table, d, cube.nodes(), worst->draws, left, bound_of_oem(d),
        fmt::format("{}", fmt::join(worst->loads, " ")));
    if (d == 5) book.row("difference OEM leaves at worst, 32 processors", "3", left);
  }
  book.row("OEM leaves exactly ceil(log N / 2) on some loads, d = 1 .. 6", "in the worst case",
           proven(all, "one vector for each d", "not for every d"),
           "That no loads leave more is Theorem 1; see the worst cases of rim-table-1.");
}

void rim_hybrid(notebook& book) {
  constexpr unsigned least = 3;
  constexpr unsigned largest = 10;
  const std::size_t samples = book.sized(100, 1'000);
  book.done.method =
      "OEM balances along the first log P dimensions, CWA along the others (the balancer "
      "`hybrid`). Random loads are balanced for every log P; the greatest difference that is left "
      "is compared with the paper's bound, and with a sharper one that follows from Theorem 1: "
      "within a cube of P processors the loads differ by at most ceil(log P / 2), so the averages "
      "of two cubes of CWA do, and rounding adds one.";
  book.done.parameters = {{"loads", "uniform 0 .. 100", "ours"},
                          {"samples per size", fmt::to_string(samples), "ours"},
                          {"N", "8 .. 1024", "ours"}};
  data_table& table =
      book.table("differences", {"nodes", "log P", "information steps", "worst difference seen",
                                 "log P + 1", "ceil(log P / 2) + 1"});
  bool in_bound = true;
  bool in_sharper_bound = true;
  bool ends_agree = true;
  bool steps_as_stated = true;
  for (unsigned d = least; d <= largest; ++d) {
    const topology cube = topology::hypercube(d);
    const auto results = book.sample<hybrid_results>(d + 1, 1.0 / 8, [&](std::size_t exchanged) {
      const auto hybrid =
          make_balancer(hybrid_options{.exchanged = static_cast<unsigned>(exchanged)});
      const auto oem = make_balancer(oem_options{});
      const auto cwa = make_balancer(cwa_options{});
      hybrid_results r;
      for (std::size_t i = 0; i < samples; ++i) {
        const auto loads =
            uniform_loads(book.seed(), static_cast<std::uint32_t>(i), cube.nodes(), 100);
        const auto after = [&](const balancer& by) {
          return final_loads(planned_by(by, cube, loads), loads);
        };
        const auto left = after(*hybrid);
        r.worst = std::max(r.worst, max_difference(left));
        if (exchanged == d) r.same_as_oem = r.same_as_oem && left == after(*oem);
        if (exchanged == 0) r.same_as_cwa = r.same_as_cwa && left == after(*cwa);
      }
      return r;
    });
    for (unsigned log_p = 0; log_p <= d; ++log_p) {
      const hybrid_results& r = results[log_p];
      // The processors of one pattern of the low bits are the cube that CWA makes uniform.
      const unsigned steps = log_p == d ? 0 : 2 * topology::hypercube(d - log_p).diameter();
      const load_type sharper = bound_of_oem(log_p) + 1;
      in_bound = in_bound && r.worst <= load_type{log_p} + 1;
      in_sharper_bound = in_sharper_bound && r.worst <= sharper;
      ends_agree = ends_agree && r.same_as_oem && r.same_as_cwa;
      steps_as_stated = steps_as_stated && steps == 2 * (d - log_p);
      add(table, cube.nodes(), log_p, steps, r.worst, log_p + 1, sharper);
    }
  }
  book.row("maximum difference of OEM with CWA", "log P + 1",
           claim(in_bound, in_sharper_bound ? "never above ceil(log P / 2) + 1"
                           : in_bound       ? "never above log P + 1"
                                            : "above log P + 1"),
           "A sample proves no bound; the sharper one follows from Theorem 1.");
  book.row("steps to collect information, OEM with CWA", "2 log(N/P)",
           proven(steps_as_stated, "2 log(N/P)", "another number"));
  book.row("log P = 0 and log P = log N", "CWA and OEM",
           proven(ends_agree, "the loads of CWA and of OEM", "other loads"));
}

}  // namespace evencube::papers
