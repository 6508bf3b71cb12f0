#include <algorithm>
#include <cmath>
#include <numeric>

#include <evencube/workloads/pagerank.hpp>

namespace evencube::workloads {

pagerank_blocks::pagerank_blocks(const link_graph& graph, const pagerank_settings& settings)
    : graph_{&graph},
      settings_{settings},
      blocks_{(std::size_t{graph.vertices()} + settings.rows - 1) / settings.rows} {}

std::uint32_t pagerank_blocks::first(std::size_t block) const noexcept {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(std::uint64_t{block} * settings_.rows, graph_->vertices()));
}

std::uint64_t pagerank_blocks::links_into(std::size_t block) const noexcept {
  return graph_->before(first(block + 1)) - graph_->before(first(block));
}

void pagerank_blocks::begin(pagerank_state& state) const {
  const std::size_t vertices = graph_->vertices();
  const double even = 1.0 / static_cast<double>(vertices);
  state.ranks.assign(vertices, even);
  state.shares.resize(vertices);
  state.next_shares.resize(vertices);
  state.block_change.assign(blocks_, 0);
  state.block_idle.assign(blocks_, 0);
  state.idle = 0;
  state.change = 0;
  state.iterations = 0;
  for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) {
    const auto leaving = graph_->leaving(vertex);
    state.shares[vertex] = leaving == 0 ? 0 : even / leaving;
    if (leaving == 0) state.idle += even;
  }
}

void pagerank_blocks::advance(pagerank_state& state, std::size_t block) const noexcept {
  const double damping = settings_.damping;
  const double base = (1 - damping + damping * state.idle) / graph_->vertices();
  double change = 0;
  double idle = 0;
  const auto end = first(block + 1);
  for (auto vertex = first(block); vertex < end; ++vertex) {
    double sum = 0;
    for (const auto source : graph_->into(vertex)) sum += state.shares[source];
    const double rank = base + damping * sum;
    change += std::abs(rank - state.ranks[vertex]);
    state.ranks[vertex] = rank;
    const auto leaving = graph_->leaving(vertex);
    state.next_shares[vertex] = leaving == 0 ? 0 : rank / leaving;
    if (leaving == 0) idle += rank;
  }
  state.block_change[block] = change;
  state.block_idle[block] = idle;
}

bool pagerank_blocks::finish(pagerank_state& state) const {
  std::swap(state.shares, state.next_shares);
  state.idle = std::accumulate(state.block_idle.begin(), state.block_idle.end(), 0.0);
  state.change = std::accumulate(state.block_change.begin(), state.block_change.end(), 0.0);
  ++state.iterations;
  return state.change > settings_.tolerance && state.iterations < settings_.limit;
}

double pagerank_residual(const link_graph& graph, double damping,
                         const std::vector<double>& ranks) {
  const auto vertices = graph.vertices();
  double idle = 0;
  for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) {
    if (graph.leaving(vertex) == 0) idle += ranks[vertex];
  }
  const double base = (1 - damping + damping * idle) / vertices;
  double residual = 0;
  for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) {
    double right = base;
    for (const auto source : graph.into(vertex)) {
      right += damping * ranks[source] / graph.leaving(source);
    }
    residual += std::abs(right - ranks[vertex]);
  }
  return residual;
}

}  // namespace evencube::workloads
