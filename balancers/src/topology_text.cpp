#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include <evencube/balancers/topology.hpp>

#include "topology_data.hpp"

namespace evencube {
namespace {

struct kind_name {
  topology_kind kind;
  std::string_view name;
};

constexpr std::array<kind_name, 11> kind_names{{
    {topology_kind::hypercube, "hypercube"},
    {topology_kind::cube, "cube"},
    {topology_kind::mesh, "mesh"},
    {topology_kind::torus, "torus"},
    {topology_kind::ring, "ring"},
    {topology_kind::linear, "linear"},
    {topology_kind::complete, "complete"},
    {topology_kind::star, "star"},
    {topology_kind::fibonacci, "fibonacci"},
    {topology_kind::fibonacci_composite, "fibonacci-composite"},
    {topology_kind::edges, "edges"},
}};

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw std::invalid_argument("topology \"" + std::string(text) + "\": " + why);
}

std::uint64_t number(std::string_view part, std::string_view whole) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (error == std::errc::result_out_of_range) {
    refuse(whole, "\"" + std::string(part) + "\" is too large");
  }
  if (error != std::errc() || end != part.data() + part.size()) {
    refuse(whole, "\"" + std::string(part) + "\" is not a whole number");
  }
  return value;
}

std::pair<std::string_view, std::string_view> cut(std::string_view text, char separator,
                                                  std::string_view whole) {
  const auto at = text.find(separator);
  if (at == std::string_view::npos) {
    refuse(whole, "\"" + std::string(text) + "\" lacks a '" + separator + "'");
  }
  return {text.substr(0, at), text.substr(at + 1)};
}

topology edge_list(std::string_view list, std::string_view whole, std::uint64_t most_nodes) {
  std::vector<std::pair<node_id, node_id>> links;
  while (true) {
    const auto comma = list.find(',');
    const auto [a, b] = cut(list.substr(0, comma), '-', whole);
    const std::uint64_t from = number(a, whole);
    const std::uint64_t to = number(b, whole);
    if (std::max(from, to) >= most_nodes) {
      refuse(whole, "node " + std::to_string(std::max(from, to)) + " is beyond " +
                        std::to_string(most_nodes - 1));
    }
    links.emplace_back(static_cast<node_id>(from), static_cast<node_id>(to));
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return topology::from_edges(links);
}

unsigned small(std::uint64_t value) {
  return static_cast<unsigned>(std::min<std::uint64_t>(value, 1000000));
}

std::pair<std::uint64_t, std::uint64_t> sides(std::string_view size, std::string_view whole) {
  const auto [rows, columns] = cut(size, 'x', whole);
  return {number(rows, whole), number(columns, whole)};
}

/// The number of nodes of a network of this size, if its kind accepts such a size; otherwise 0.
std::uint64_t nodes_of(topology_kind kind, std::string_view size, std::string_view whole) {
  switch (kind) {
    case topology_kind::hypercube: {
      const std::uint64_t dimensions = number(size, whole);
      return dimensions < 64 ? std::uint64_t{1} << dimensions : 0;
    }
    case topology_kind::mesh:
    case topology_kind::torus: {
      const auto [rows, columns] = sides(size, whole);
      std::uint64_t nodes = 0;
      return __builtin_mul_overflow(rows, columns, &nodes) ? 0 : nodes;
    }
    case topology_kind::fibonacci: {
      const std::uint64_t order = number(size, whole);
      return order <= 90 ? fibonacci_number(static_cast<unsigned>(order)) : 0;
    }
    case topology_kind::edges:
      return 0;
    default:
      return number(size, whole);
  }
}

}  // namespace

topology topology::parse(std::string_view text, std::uint64_t most_nodes) {
  const auto colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const auto found = std::find_if(kind_names.begin(), kind_names.end(),
                                  [&](const kind_name& entry) { return entry.name == name; });
  if (found == kind_names.end()) {
    std::string known;
    for (const auto& entry : kind_names) {
      if (!known.empty()) known += ", ";
      known += entry.name;
    }
    refuse(text, "unknown kind \"" + std::string(name) + "\", known are " + known);
  }
  if (colon == std::string_view::npos) {
    refuse(text, "lacks its size, as in hypercube:3, mesh:4x4, cube:6 or edges:0-1,1-2");
  }
  const std::string_view size = text.substr(colon + 1);
  if (most_nodes < max_nodes) {  // if there are more than max_nodes, each kind reports that itself
    const std::uint64_t nodes = nodes_of(found->kind, size, text);
    if (nodes > most_nodes) {
      refuse(text, std::to_string(nodes) + " nodes, at most " + std::to_string(most_nodes) +
                       " are allowed here");
    }
  }
  switch (found->kind) {
    case topology_kind::hypercube:
      return hypercube(small(number(size, text)));
    case topology_kind::cube:
      return cube(number(size, text));
    case topology_kind::mesh: {
      const auto [rows, columns] = sides(size, text);
      return mesh(rows, columns);
    }
    case topology_kind::torus: {
      const auto [rows, columns] = sides(size, text);
      return torus(rows, columns);
    }
    case topology_kind::ring:
      return ring(number(size, text));
    case topology_kind::linear:
      return linear(number(size, text));
    case topology_kind::complete:
      return complete(number(size, text));
    case topology_kind::star:
      return star(number(size, text));
    case topology_kind::fibonacci:
      return fibonacci(small(number(size, text)));
    case topology_kind::fibonacci_composite:
      return fibonacci_composite(number(size, text));
    case topology_kind::edges:
      break;
  }
  return edge_list(size, text, std::min<std::uint64_t>(most_nodes, max_nodes));
}

std::string topology::to_string() const {
  const auto found = std::find_if(kind_names.begin(), kind_names.end(),
                                  [&](const kind_name& entry) { return entry.kind == kind_; });
  std::string text = std::string(found->name) + ":";
  switch (kind_) {
    case topology_kind::hypercube:
      return text + std::to_string(dimensions_);
    case topology_kind::fibonacci:
      return text + std::to_string(order_);
    case topology_kind::mesh:
    case topology_kind::torus:
      return text + std::to_string(rows_) + "x" + std::to_string(columns_);
    case topology_kind::edges:
      break;
    default:
      return text + std::to_string(nodes_);
  }
  bool first = true;
  for (node_id k = 0; k < nodes_; ++k) {
    for_each_neighbour(k, [&](node_id other) {
      if (other < k) return;
      if (!first) text += ',';
      text += std::to_string(k);
      text += '-';
      text += std::to_string(other);
      first = false;
    });
  }
  return text;
}

}  // namespace evencube
