#include <evencube/balancers/options.hpp>

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace evencube {

namespace {

std::string text(std::integral auto number) { return std::to_string(number); }

// The shortest decimal text that is read as the same number: 0.1 is a tenth.
std::string text(double number) {
  std::array<char, 32> digits;
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

std::string text(std::optional<load_type> threshold) {
  return threshold ? text(*threshold) : "auto";
}

std::string text(const dimension_order& order) {
  if (const auto* const way = std::get_if<direction>(&order)) {
    return *way == direction::ascending ? "ascending" : "descending";
  }
  std::string all;
  for (const unsigned dimension : std::get<std::vector<unsigned>>(order)) {
    all += (all.empty() ? "" : ",") + text(dimension);
  }
  return all;
}

template <std::size_t Count>
std::string one_of(const char* const (&words)[Count], auto choice) {
  const auto place = static_cast<std::size_t>(choice);
  return place < Count ? words[place] : std::to_string(place);
}

std::string text(odd_unit choice) {
  return one_of({"larger", "lower-if-moving", "random"}, choice);
}
std::string text(quota_rule choice) { return one_of({"first", "halving"}, choice); }
std::string text(split_rule choice) {
  return one_of({"greedy", "surplus", "proportional", "even"}, choice);
}
std::string text(diffusion_form choice) {
  return choice == diffusion_form::floor ? "floor" : "carry";
}
std::string text(matching_pairs choice) { return one_of({"random", "circuit"}, choice); }
std::string text(matching_odd choice) { return one_of({"random", "larger", "carried"}, choice); }
std::string text(rounding choice) { return one_of({"ceiling", "nearest", "floor"}, choice); }
std::string text(line_movement choice) {
  return one_of({"together", "concatenated", "by-distance"}, choice);
}
std::string text(prediction_index choice) { return one_of({"printed", "predicted"}, choice); }

}  // namespace

dem_options::operator balancer_options() const {
  return {{"order", text(order)}, {"odd", text(odd)}};
}
oem_options::operator balancer_options() const { return {{"order", text(order)}}; }
cwa_options::operator balancer_options() const {
  return {{"quota", text(quota)}, {"split", text(split)}};
}
hybrid_options::operator balancer_options() const {
  return {{"exchanged", text(exchanged)}, {"quota", text(quota)}, {"split", text(split)}};
}
diffusion_options::operator balancer_options() const {
  return {{"weight", weight ? text(*weight) : "optimal"},
          {"form", text(form)},
          {"iterations", text(iterations)},
          {"target", text(target)}};
}
matching_options::operator balancer_options() const {
  return {{"pairs", text(pairs)},
          {"odd", text(odd)},
          {"rounds", text(rounds)},
          {"target", text(target)}};
}
gradient_options::operator balancer_options() const {
  return {{"low", text(low)},
          {"high", text(high)},
          {"portion", text(portion)},
          {"sweeps", text(sweeps)}};
}
sender_initiated_options::operator balancer_options() const {
  return {{"high", text(high)}, {"rounding", text(rounding)}, {"sweeps", text(sweeps)}};
}
receiver_initiated_options::operator balancer_options() const {
  return {{"low", text(low)}, {"rounding", text(rounding)}, {"sweeps", text(sweeps)}};
}
dispatcher_options::operator balancer_options() const {
  return {{"low", text(low)}, {"portion", text(portion)}, {"sweeps", text(sweeps)}};
}
prediction_options::operator balancer_options() const {
  return {{"index", text(index)}, {"portion", text(portion)}, {"sweeps", text(sweeps)}};
}
locality_options::operator balancer_options() const { return {{"movement", text(movement)}}; }
rotate_options::operator balancer_options() const { return {{"step", text(step)}}; }
random_options::operator balancer_options() const { return {{"rounds", text(rounds)}}; }

const balancer_options& chosen_options(const balancer_choice& balancer,
                                       const balancer_options& options) {
  if (balancer.options().empty()) return options;
  if (!options.empty()) {
    throw std::invalid_argument("balancer \"" + balancer.name() +
                                "\": its options are given twice, by its type and next to it");
  }
  return balancer.options();
}

}  // namespace evencube
