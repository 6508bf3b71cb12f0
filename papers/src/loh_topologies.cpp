#include <array>

#include <evencube/balancers/topology.hpp>

#include "experiments.hpp"
#include "support.hpp"

namespace evencube::papers {

reproduction loh_table_1(const reproduce_options& options) {
  struct printed {
    const char* name;
    const char* network;
    const char* distance;
    std::array<std::uint64_t, 6> degrees;
    const char* degree;
  };
  constexpr std::array rows{
      printed{"4 x 4 mesh", "mesh:4x4", "2.67", {0, 4, 8, 4, 0, 0}, "3.00"},
      printed{"4D hypercube", "hypercube:4", "2.13", {0, 0, 0, 16, 0, 0}, "4.00"},
      printed{"Fibonacci cube", "fibonacci-composite:16", "2.41", {0, 5, 7, 2, 1, 1}, "3.13"},
      printed{"Linear array", "linear:16", "5.67", {2, 14, 0, 0, 0, 0}, "1.88"}};
  reproduction done;
  done.id = "loh-table-1";
  done.title = "Parameters of the four networks of 16 nodes";
  done.source = "Loh, Hsu, Cai, Sriskanthan 1996, Table 1";
  done.method =
      "Computed from the networks themselves; the average distance is over ordered pairs of "
      "different nodes, the composite is the first 16 nodes of a larger Fibonacci cube.";
  data_table table{"networks",
                   {"network", "average distance", "degree 1", "degree 2", "degree 3", "degree 4",
                    "degree 5", "degree 6", "average degree", "links", "diameter"},
                   {}};
  for (const printed& paper : rows) {
    const topology graph = topology::parse(paper.network);
    const auto histogram = graph.degree_histogram();
    std::vector<std::string> row{paper.name, fixed(graph.average_distance(), 4)};
    std::string found;
    std::string stated;
    std::uint64_t ends = 0;
    for (node_id degree = 1; degree <= 6; ++degree) {
      const auto at = histogram.find(degree);
      const std::uint64_t count = at == histogram.end() ? 0 : at->second;
      ends += degree * count;
      row.push_back(text_of(count));
      found += (degree == 1 ? "" : " ") + text_of(count);
      stated += (degree == 1 ? "" : " ") + text_of(paper.degrees[degree - 1]);
    }
    // The paper rounds half up (2.125 -> 2.13, 3.125 -> 3.13); to_chars would round half to even.
    const auto rounded = [](double value) { return fixed(value + 1e-9, 2); };
    const double degree = static_cast<double>(ends) / graph.nodes();
    row.insert(row.end(), {fixed(degree, 4), text_of(graph.edges()), text_of(graph.diameter())});
    table.rows.push_back(row);
    const auto compare = [&](const char* what, const std::string& theirs, const std::string& ours) {
      done.verdicts.push_back({std::string(paper.name) + ", " + what, theirs, ours,
                               theirs == ours ? agreement::equal : agreement::opposite, ""});
    };
    compare("average distance", paper.distance, rounded(graph.average_distance()));
    compare("nodes of degree 1 .. 6", stated, found);
    compare("average degree", paper.degree, rounded(degree));
  }
  done.tables.push_back(table);
  done.pictures.push_back({"networks",
                           "Four networks of 16 nodes",
                           table.name,
                           "network",
                           {"average distance", "average degree", "diameter"},
                           "",
                           "network",
                           "links",
                           true});
  if (options.progress) options.progress(1);
  return done;
}

}  // namespace evencube::papers
