#include <algorithm>
#include <stdexcept>

#include <evencube/workloads/link_graph.hpp>

#include "random_bits.hpp"

namespace evencube::workloads {
namespace {

/// In [0, 1).
double fraction_of(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

/// Puts items into order by key(item) < keys, those of one key as they were.
template <typename Key>
std::vector<graph_link> ordered(const std::vector<graph_link>& links, std::uint32_t keys, Key key) {
  std::vector<std::uint64_t> place(std::size_t{keys} + 1);
  for (const auto& link : links) ++place[key(link) + std::size_t{1}];
  for (std::size_t k = 0; k < keys; ++k) place[k + 1] += place[k];
  std::vector<graph_link> sorted(links.size());
  for (const auto& link : links) sorted[place[key(link)]++] = link;
  return sorted;
}

}  // namespace

link_graph::link_graph(std::uint32_t vertices, std::vector<graph_link> links)
    : begins_(std::size_t{vertices} + 1), leaving_(vertices) {
  for (const auto& link : links) {
    if (link.from >= vertices || link.to >= vertices) {
      throw std::invalid_argument{"a link from " + std::to_string(link.from) + " to " +
                                  std::to_string(link.to) + " in a graph of " +
                                  std::to_string(vertices) + " vertices"};
    }
  }
  links = ordered(links, vertices, [](const graph_link& link) { return link.from; });
  links = ordered(links, vertices, [](const graph_link& link) { return link.to; });
  links.erase(std::unique(links.begin(), links.end()), links.end());
  sources_.reserve(links.size());
  for (const auto& link : links) {
    sources_.push_back(link.from);
    ++leaving_[link.from];
    ++begins_[link.to + std::size_t{1}];
  }
  for (std::size_t vertex = 0; vertex < vertices; ++vertex) begins_[vertex + 1] += begins_[vertex];
}

link_graph make_power_law_graph(std::uint32_t vertices, std::uint64_t links, std::uint64_t seed) {
  random_stream random{mix_bits(seed)};
  std::vector<graph_link> made;
  made.reserve(links);
  for (std::uint64_t i = 0; i < links; ++i) {
    const auto from = static_cast<std::uint32_t>(random.next() % vertices);
    const double even = fraction_of(random.next());
    const double square = even * even;
    made.push_back({from, static_cast<std::uint32_t>(square * square * vertices)});
  }
  return {vertices, std::move(made)};
}

}  // namespace evencube::workloads
