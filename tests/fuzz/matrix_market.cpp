// The reader of Matrix Market files.

#include <evencube/workloads/link_graph.hpp>

#include "support.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evencube;
  try {
    const auto graph = workloads::parse_matrix_market(fuzz::text_of(data, size), "x");
    std::uint64_t leaving = 0;
    for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
      leaving += graph.leaving(vertex);
    }
    fuzz::require(graph.vertices() != 0, "a graph has vertices");
    fuzz::require(leaving == graph.links(), "a link leaves one vertex and comes into one");
  } catch (const workloads::input_error&) {
  }
  return 0;
}
