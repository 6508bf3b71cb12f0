#include <array>

#include <evencube/balancers/topology.hpp>

#include "experiments.hpp"

namespace evencube::papers {
namespace {

/// A row of the paper's table.
struct printed {
  const char* name;
  const char* network;
  const char* distance;
  const char* degrees;  // nodes of degree 1 .. 6
  const char* degree;
};

constexpr std::array networks{
    printed{"4 x 4 mesh", "mesh:4x4", "2.67", "0 4 8 4 0 0", "3.00"},
    printed{"4D hypercube", "hypercube:4", "2.13", "0 0 0 16 0 0", "4.00"},
    printed{"Fibonacci cube", "fibonacci-composite:16", "2.41", "0 5 7 2 1 1", "3.13"},
    printed{"Linear array", "linear:16", "5.67", "2 14 0 0 0 0", "1.88"}};

// The paper rounds half up (2.125 -> 2.13, 3.125 -> 3.13); formatting would round half to even.
std::string rounded(double value) { return fixed(value + 1e-9, 2); }

}  // namespace

void loh_table_1(notebook& book) {
  book.done.method =
      "Computed from the networks themselves; the average distance is over ordered pairs of "
      "different nodes, the composite is the first 16 nodes of a larger Fibonacci cube.";
  data_table& table = book.table(
      "networks", {"network", "average distance", "degree 1", "degree 2", "degree 3", "degree 4",
                   "degree 5", "degree 6", "average degree", "links", "diameter"});
  for (const printed& paper : networks) {
    const topology graph = topology::parse(paper.network);
    auto histogram = graph.degree_histogram();
    const double degree = 2.0 * static_cast<double>(graph.edges()) / graph.nodes();
    add(table, paper.name, fixed(graph.average_distance(), 4), histogram[1], histogram[2],
        histogram[3], histogram[4], histogram[5], histogram[6], fixed(degree, 4), graph.edges(),
        graph.diameter());
    const auto& row = table.rows.back();
    const auto compare = [&](const char* what, const char* theirs, const std::string& ours) {
      book.row(std::string(paper.name) + ", " + what, theirs, ours);
    };
    compare("average distance", paper.distance, rounded(graph.average_distance()));
    compare("nodes of degree 1 .. 6", paper.degrees,
            fmt::format("{}", fmt::join(row.begin() + 2, row.begin() + 8, " ")));
    compare("average degree", paper.degree, rounded(degree));
  }
  book.draw("networks", "Four networks of 16 nodes", table, {"network", {"network"}},
            {"links", {"average distance", "average degree", "diameter"}}, {.bars = true});
}

}  // namespace evencube::papers
