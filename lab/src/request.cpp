#include "request.hpp"

#include <charconv>
#include <cmath>

#include "limits.hpp"

namespace evencube::lab {
namespace {

bool separates(char c) {
  return c == ',' || c == ';' || c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

load_type load_of_word(std::string_view word) {
  load_type value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::invalid_argument || end != word.data() + word.size()) {
    throw refusal("The load " + in_quotes(word) + " is not a whole number.");
  }
  if (error != std::errc{} || value < 0 || value > largest_load) {
    throw refusal("The load " + in_quotes(word) + " is not in [0, " + std::to_string(largest_load) +
                  "].");
  }
  return value;
}

load_type load_of(const json& value) {
  if (!value.is_number_integer()) throw refusal("A load is not a whole number.");
  // What does not fit 64 bits is no integer to the parser; what has no sign may not fit load_type.
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{largest_load}) {
    throw refusal("A load is above " + std::to_string(largest_load) + ".");
  }
  const auto load = value.get<load_type>();
  if (load < 0) throw refusal("The load " + std::to_string(load) + " is below 0.");
  return load;
}

void require_one_for_each(std::string_view what, std::size_t count, const topology& graph) {
  if (count == graph.nodes()) return;
  throw refusal(
      "There " + std::string(count == 1 ? "is 1 " : "are " + std::to_string(count) + " ") +
      std::string(what) + (count == 1 ? "" : "s") + ", but " + in_quotes(graph.to_string()) +
      " has " + std::to_string(graph.nodes()) + (graph.nodes() == 1 ? " node." : " nodes."));
}

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 60;
  std::string shown = "\"";
  for (const char c : text.substr(0, most)) {
    // Bytes above 126 may be cut in the middle of a character, which no JSON text may hold.
    shown += c >= ' ' && c <= '~' ? c : '?';
  }
  return shown + (text.size() > most ? "...\"" : "\"");
}

std::string text_member(const json& request, const char* name,
                        std::optional<std::string> otherwise) {
  const auto found = request.find(name);
  if (found == request.end()) {
    if (otherwise) return *std::move(otherwise);
    throw refusal("The request has no " + in_quotes(name) + ".");
  }
  if (!found->is_string()) throw refusal("The value of " + in_quotes(name) + " is not a text.");
  return found->get<std::string>();
}

std::int64_t number_member(const json& request, const char* name, std::int64_t low,
                           std::int64_t high, std::optional<std::int64_t> otherwise) {
  const auto found = request.find(name);
  if (found == request.end() && otherwise) return *otherwise;
  if (found != request.end() && found->is_number_integer() &&
      !(found->is_number_unsigned() && found->get<std::uint64_t>() > std::uint64_t{INT64_MAX})) {
    const auto value = found->get<std::int64_t>();
    if (value >= low && value <= high) return value;
  }
  throw refusal("The value of " + in_quotes(name) + " is not a whole number in [" +
                std::to_string(low) + ", " + std::to_string(high) + "].");
}

std::optional<double> real_member(const json& request, const char* name, double low, double high) {
  const auto found = request.find(name);
  if (found == request.end()) return std::nullopt;
  if (found->is_number()) {
    const auto value = found->get<double>();
    if (value >= low && value <= high) return value;
  }
  throw refusal("The value of " + in_quotes(name) + " is not a number from " + json(low).dump() +
                " to " + json(high).dump() + ".");
}

void require_drawable(const topology& graph) {
  if (const auto links = graph.edges(); links > most_links) {
    throw refusal("The network " + in_quotes(graph.to_string()) + " has " + std::to_string(links) +
                  " links, but the lab draws at most " + std::to_string(most_links) + ".");
  }
}

topology topology_member(const json& request) {
  auto graph = topology::parse(text_member(request, "topology"), most_nodes);
  require_drawable(graph);
  return graph;
}

std::vector<load_type> loads_of_text(std::string_view text) {
  std::vector<load_type> loads;
  for (std::size_t at = 0; at < text.size();) {
    if (separates(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !separates(text[end])) ++end;
    loads.push_back(load_of_word(text.substr(at, end - at)));
    if (loads.size() > most_nodes) {
      throw refusal("There are more than " + std::to_string(most_nodes) + " loads.");
    }
    at = end;
  }
  return loads;
}

std::vector<load_type> loads_member(const json& request, const topology& graph) {
  const auto found = request.find("loads");
  if (found == request.end()) throw refusal("The request has no loads.");
  std::vector<load_type> loads;
  if (found->is_string()) {
    loads = loads_of_text(found->get_ref<const std::string&>());
  } else if (found->is_array()) {
    require_one_for_each("load", found->size(), graph);
    for (const json& value : *found) loads.push_back(load_of(value));
  } else {
    throw refusal("The loads are neither a text nor a list.");
  }
  require_one_for_each("load", loads.size(), graph);
  return loads;
}

std::vector<double> capacities_member(const json& request, const topology& graph) {
  const auto found = request.find("capacities");
  if (found == request.end() || found->empty()) return {};
  if (!found->is_array()) throw refusal("The speeds are not a list.");
  require_one_for_each("speed", found->size(), graph);
  std::vector<double> speeds;
  for (const json& value : *found) {
    if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0) {
      throw refusal("A speed is not a number of at least 0.");
    }
    speeds.push_back(value.get<double>());
  }
  return speeds;
}

balancer_options options_member(const json& request) {
  balancer_options options;
  const auto found = request.find("options");
  if (found == request.end()) return options;
  if (!found->is_object()) throw refusal("The options are not an object.");
  for (const auto& [name, value] : found->items()) {
    if (!value.is_string() && !value.is_number_integer()) {
      throw refusal("The value of the option " + in_quotes(name) +
                    " is neither a text nor a whole number.");
    }
    const auto text = value.is_string() ? value.get<std::string>() : value.dump();
    if (name == "iterations" || name == "rounds" || name == "sweeps") {
      std::int64_t times = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), times);
      if (error != std::errc{} || end != text.data() + text.size() || times > most_repetitions) {
        throw refusal("The option " + name + " = " + in_quotes(text) +
                      " is not a whole number of at most " + std::to_string(most_repetitions) +
                      ", as the lab allows.");
      }
    }
    options[name] = text;
  }
  return options;
}

}  // namespace evencube::lab
