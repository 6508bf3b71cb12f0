#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <utility>

#include <evencube/workloads/output_file.hpp>
#include <evencube/workloads/pagerank.hpp>

#include "staged_workload.hpp"
#include "workloads.hpp"

namespace evencube::workloads {
namespace {

constexpr std::string_view pagerank_name = "pagerank";

/// Links and vertices in a quantum of work: some microseconds.
constexpr std::uint64_t steps_per_quantum = 2048;

/// A stage for each iteration, and a task for each block of rows.
class pagerank_program {
 public:
  using result = pagerank_state;

  pagerank_program(std::shared_ptr<const link_graph> graph, const pagerank_settings& settings)
      : graph_{std::move(graph)}, settings_{settings}, blocks_{*graph_, settings} {}

  /// The number of iterations is not known before.
  [[nodiscard]] std::uint64_t expected_tasks() const { return 0; }

  [[nodiscard]] result blank() const {
    result made;
    blocks_.begin(made);
    std::ranges::fill(made.ranks, std::numeric_limits<double>::quiet_NaN());
    return made;
  }

  void compute(result& made, stages& by) const {
    blocks_.begin(made);
    do {
      by(
          blocks_.blocks(), [&](std::size_t block) { blocks_.advance(made, block); },
          [&](std::size_t block) {
            return quanta(blocks_.links_into(block) + settings_.rows, steps_per_quantum);
          });
    } while (blocks_.finish(made));
  }

  [[nodiscard]] verification check(const result& serial, const result& parallel) const {
    const auto [here, there] = std::ranges::mismatch(serial.ranks, parallel.ranks);
    if (here != serial.ranks.end()) {
      return {false, "the rank of vertex " + std::to_string(here - serial.ranks.begin() + 1) +
                         " differs from the serial twin's"};
    }
    const double residual = pagerank_residual(*graph_, settings_.damping, parallel.ranks);
    // The change of the last iteration shrinks by the damping in the next one; the rest is
    // rounding.
    const double allowed = settings_.damping * parallel.change + 1e-13;
    const double sum = std::accumulate(parallel.ranks.begin(), parallel.ranks.end(), 0.0);
    char text[200];
    std::snprintf(text, sizeof text,
                  "ranks equal the serial twin's bit for bit after %u iterations; residual %.2g, "
                  "sum 1 %+.1g",
                  parallel.iterations, residual, sum - 1);
    const bool passed = residual <= allowed && std::abs(sum - 1) <= 1e-9;
    return {passed, passed ? text : "the ranks do not fulfil the equation: " + std::string{text}};
  }

  /// Writes the vertices by rank, the highest rank first; of equal ranks, the first vertex first.
  void write(const result& done, const std::filesystem::path& file) const {
    std::vector<std::uint32_t> order(done.ranks.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::uint32_t vertex) { return done.ranks[vertex]; });
    replace_file(file, [&](const byte_sink& to) {
      std::string text = "vertex,rank,links_in,links_out\n";
      for (const auto vertex : order) {
        char line[120];
        std::snprintf(line, sizeof line, "%u,%.17g,%zu,%u\n", vertex + 1, done.ranks[vertex],
                      graph_->into(vertex).size(), graph_->leaving(vertex));
        text += line;
        if (text.size() > 60000) {
          to(bytes_of(text));
          text.clear();
        }
      }
      to(bytes_of(text));
    });
  }

 private:
  std::shared_ptr<const link_graph> graph_;
  pagerank_settings settings_;
  pagerank_blocks blocks_;
};

std::unique_ptr<workload> make_pagerank(const option_values& options) {
  pagerank_settings settings;
  settings.damping = options.real("damping");
  settings.limit = static_cast<std::uint32_t>(options.whole("iterations"));
  if (settings.limit == 0) settings.limit = pagerank_settings{}.limit;
  settings.rows = static_cast<std::uint32_t>(options.whole("tile"));
  const auto make = [&](link_graph graph) {
    return make_staged(
        pagerank_name, options,
        pagerank_program{std::make_shared<const link_graph>(std::move(graph)), settings});
  };
  if (const auto input = options.file("input")) {
    if (options.given("size") || options.given("seed") || options.given("degree")) {
      throw std::invalid_argument{
          "--size, --degree and --seed apply to the generated graph only and cannot be combined "
          "with --input"};
    }
    return make(read_matrix_market(*input));
  }
  const auto vertices = static_cast<std::uint32_t>(options.whole("size"));
  return make(
      make_power_law_graph(vertices, vertices * options.whole("degree"), options.whole("seed")));
}

}  // namespace

workload_entry pagerank_entry() {
  const pagerank_settings usual;
  return {std::string{pagerank_name},
          "ranks of a graph's vertices by their links, a task per block of rows",
          "CSV of the ranks, the highest first",
          {{"size", "vertices of the generated graph", whole_option{200'000, 1, 100'000'000}},
           {"degree", "links per vertex of the generated graph", whole_option{12, 0, 1000}},
           {"tile", "rows that are one task", whole_option{usual.rows, 1, 1'000'000}},
           {"input", "a Matrix Market file instead of the generated graph", file_option{}},
           {"damping", "chance to follow a link", real_option{usual.damping, 0, 0.999}},
           {"iterations", "at most; 0: 200", whole_option{0, 0, 10'000'000}},
           seed_option()},
          make_pagerank};
}

}  // namespace evencube::workloads
