#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/topology.hpp>

namespace evencube::lab {

using json = nlohmann::json;

/// A request that is refused. Its text is a sentence for the user.
struct refusal : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// Returns a text for use within a sentence: in quotes, without control characters, and cut after
/// 60 bytes.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// Returns the member `name` of a request as text, or `otherwise` if it is missing. Throws refusal
/// if it is something else.
[[nodiscard]] std::string text_member(const json& request, const char* name,
                                      std::optional<std::string> otherwise = std::nullopt);
/// Returns the member `name` of a request as a whole number in [low, high], or `otherwise` if it is
/// missing. Throws refusal if it is something else.
[[nodiscard]] std::int64_t number_member(const json& request, const char* name, std::int64_t low,
                                         std::int64_t high,
                                         std::optional<std::int64_t> otherwise = std::nullopt);

/// Returns the member `name` of a request as a number in [low, high], or nothing if it is missing.
/// Throws refusal if it is something else.
[[nodiscard]] std::optional<double> real_member(const json& request, const char* name, double low,
                                                double high);

/// Throws refusal if a network has too many links for the lab.
void require_drawable(const topology& graph);
/// Returns the network that the request names as `topology`. Throws refusal if there is none, or if
/// it has too many nodes or links for the lab.
[[nodiscard]] topology topology_member(const json& request);
/// Returns the loads in a text: whole numbers with commas or white space between them. Throws
/// refusal, which names the word, for anything else.
[[nodiscard]] std::vector<load_type> loads_of_text(std::string_view text);
/// Returns the member `loads` of a request, an array of whole numbers or a text, as one load for
/// each node. Throws refusal if it is something else.
[[nodiscard]] std::vector<load_type> loads_member(const json& request, const topology& graph);
/// Returns the member `capacities`, one speed for each node, or nothing if it is missing or empty.
[[nodiscard]] std::vector<double> capacities_member(const json& request, const topology& graph);
/// Returns the member `options`, an object of texts and whole numbers. Throws refusal if it is
/// something else, or if it asks for more repetitions than the lab allows.
[[nodiscard]] balancer_options options_member(const json& request);

}  // namespace evencube::lab
