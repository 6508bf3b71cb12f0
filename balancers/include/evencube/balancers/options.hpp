#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include <evencube/balancers/choice.hpp>
#include <evencube/balancers/diffusion.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/detail/compiler.hpp>

// The library's balancers as types: a misspelt name or an invalid option word does not compile. A
// value of such a type stands for the balancer with these options wherever a `balancer_choice` is
// expected, and converts to complete `balancer_options`. Numbers are checked only when they are
// used; an invalid one throws std::invalid_argument. docs/balancers.md describes each option.
//
//     runtime rt({.balancer = balancers::diffusion{.iterations = 16}});

namespace evencube {

/// The direction in which an exchange goes through the dimensions.
enum class direction { ascending, descending };
/// The order of an exchange's dimensions: a direction, or a list of all dimensions.
using dimension_order = std::variant<direction, std::vector<unsigned>>;
/// The member of a pair that ends up with the odd unit.
enum class odd_unit { larger, lower_if_moving, random };
/// The nodes that get the remainder if the units do not divide evenly.
enum class quota_rule {
  first,   ///< the lowest ids
  halving  ///< repeatedly halves the cube: the half with the lower ids gets its share, rounded down
};
/// The rule for sharing a half's excess among its overloaded members.
enum class split_rule {
  greedy,        ///< in order of id, each node gives all it can
  surplus,       ///< the largest surplus first, each node gives all it can
  proportional,  ///< in proportion to surplus, rounded down; the rest by ascending id, one unit
                 ///< from each node
  even           ///< as evenly as the surpluses allow
};
/// The rounding of a portion that is not a whole number. `nearest` rounds halves up.
enum class rounding { ceiling, nearest, floor };
/// The pairs in a round of `matching`: random pairs, or the links in turn.
enum class matching_pairs { random, circuit };
/// The member of a `matching` pair that ends up with the odd unit.
enum class matching_odd {
  random,  ///< either member, with the same probability
  larger,  ///< the more loaded member
  carried  ///< the more loaded member; at the next odd sum of this pair, the other member
};
/// The steps in which `locality` moves tasks along its line (Mehrotra, Ranka, Wang 1992, Sections
/// 2.1 to 2.3). The paper's approach 2 needs no steps; for it, use the transmission `direct`.
enum class line_movement {
  together,  ///< each link carries all tasks that must cross it, in both directions simultaneously
  concatenated,  ///< approach 1: like `together`, but first to the left, then to the right
  by_distance    ///< approach 3: the packets with the largest distance first, hop by hop
};
/// The index by which `prediction` compares nodes.
enum class prediction_index { printed, predicted };

// NOLINTBEGIN(google-explicit-constructor): converting to options is their purpose

/// The options of the balancer `dem`.
struct dem_options {
  static constexpr std::string_view balancer = "dem";
  dimension_order order = direction::ascending;
  odd_unit odd = odd_unit::larger;

  EVENCUBE_EXPORT operator balancer_options() const;
};

/// The options of the balancer `oem`.
struct oem_options {
  static constexpr std::string_view balancer = "oem";
  dimension_order order = direction::ascending;

  EVENCUBE_EXPORT operator balancer_options() const;
};

/// The options of the balancer `cwa`.
struct cwa_options {
  static constexpr std::string_view balancer = "cwa";
  quota_rule quota = quota_rule::halving;
  split_rule split = split_rule::greedy;

  EVENCUBE_EXPORT operator balancer_options() const;
};

/// The options of the balancer `hybrid`.
struct hybrid_options {
  static constexpr std::string_view balancer = "hybrid";
  unsigned exchanged = 2;
  quota_rule quota = quota_rule::halving;
  split_rule split = split_rule::greedy;

  EVENCUBE_EXPORT operator balancer_options() const;
};

/// The options of the balancer `diffusion`.
struct diffusion_options {
  static constexpr std::string_view balancer = "diffusion";
  /// The diffusion weight; if empty, the best weight for the network.
  std::optional<double> weight = std::nullopt;
  diffusion_form form = diffusion_form::floor;
  std::int64_t iterations = 256;
  load_type target = 1;

  EVENCUBE_EXPORT operator balancer_options() const;
};

/// The options of the balancer `matching`.
struct matching_options {
  static constexpr std::string_view balancer = "matching";
  matching_pairs pairs = matching_pairs::random;
  matching_odd odd = matching_odd::random;
  std::int64_t rounds = 1024;
  load_type target = 3;

  EVENCUBE_EXPORT operator balancer_options() const;
};

/// The options of the balancer `gradient`.
struct gradient_options {
  static constexpr std::string_view balancer = "gradient";
  /// The threshold; here and in the options below, empty means the mean load.
  std::optional<load_type> low = std::nullopt;
  std::optional<load_type> high = std::nullopt;
  double portion = 0.5;
  std::int64_t sweeps = 1;

  EVENCUBE_EXPORT operator balancer_options() const;
};

/// The options of the balancer `sender_initiated`.
struct sender_initiated_options {
  static constexpr std::string_view balancer = "sender_initiated";
  std::optional<load_type> high = std::nullopt;
  evencube::rounding rounding = evencube::rounding::ceiling;
  std::int64_t sweeps = 1;

  EVENCUBE_EXPORT operator balancer_options() const;
};

/// The options of the balancer `receiver_initiated`.
struct receiver_initiated_options {
  static constexpr std::string_view balancer = "receiver_initiated";
  std::optional<load_type> low = std::nullopt;
  evencube::rounding rounding = evencube::rounding::ceiling;
  std::int64_t sweeps = 1;

  EVENCUBE_EXPORT operator balancer_options() const;
};

/// The options of the balancer `dispatcher`.
struct dispatcher_options {
  static constexpr std::string_view balancer = "dispatcher";
  std::optional<load_type> low = std::nullopt;
  double portion = 0.5;
  std::int64_t sweeps = 1;

  EVENCUBE_EXPORT operator balancer_options() const;
};

/// The options of the balancer `prediction`.
struct prediction_options {
  static constexpr std::string_view balancer = "prediction";
  prediction_index index = prediction_index::printed;
  double portion = 0.5;
  std::int64_t sweeps = 1;

  EVENCUBE_EXPORT operator balancer_options() const;
};

/// The options of the balancer `locality`.
struct locality_options {
  static constexpr std::string_view balancer = "locality";
  line_movement movement = line_movement::together;

  EVENCUBE_EXPORT operator balancer_options() const;
};

/// The options of the balancer `rotate`.
struct rotate_options {
  static constexpr std::string_view balancer = "rotate";
  std::int64_t step = 0;

  EVENCUBE_EXPORT operator balancer_options() const;
};

/// The options of the balancer `random`.
struct random_options {
  static constexpr std::string_view balancer = "random";
  std::int64_t rounds = 1;

  EVENCUBE_EXPORT operator balancer_options() const;
};

/// The balancers of the library and `random_stealing`, each with its options.
namespace balancers {

/// The balancer `none`: tasks stay where they were put.
struct none {
  static constexpr std::string_view balancer = "none";
  operator balancer_options() const { return {}; }
};
/// A strategy for comparison: an idle worker takes the oldest task of a randomly drawn worker. Only
/// runtimes, clusters and replays have this strategy.
struct random_stealing {
  static constexpr std::string_view balancer = "random_stealing";
  operator balancer_options() const { return {}; }
};
/// The balancer `optimal`, which moves as few tasks as possible.
struct optimal {
  static constexpr std::string_view balancer = "optimal";
  operator balancer_options() const { return {}; }
};
using dem = dem_options;
using oem = oem_options;
using cwa = cwa_options;
using hybrid = hybrid_options;
using diffusion = diffusion_options;
using matching = matching_options;
using gradient = gradient_options;
using sender_initiated = sender_initiated_options;
using receiver_initiated = receiver_initiated_options;
using dispatcher = dispatcher_options;
using prediction = prediction_options;
using locality = locality_options;
using rotate = rotate_options;
using random = random_options;

}  // namespace balancers

// NOLINTEND(google-explicit-constructor)

/// Makes the balancer to which these options belong. Throws the exceptions that `make_balancer`
/// throws for the balancer's name.
template <typename Options>
  requires requires { Options::balancer; }
[[nodiscard]] std::unique_ptr<balancer> make_balancer(const Options& options) {
  return make_balancer(Options::balancer, balancer_options(options));
}

}  // namespace evencube
