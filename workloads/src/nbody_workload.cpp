#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include <evencube/algorithms.hpp>
#include <evencube/workloads/gravity_tree.hpp>
#include <evencube/workloads/image_file.hpp>

#include "staged_workload.hpp"
#include "workloads.hpp"

namespace evencube::workloads {
namespace {

constexpr std::string_view nbody_name = "nbody";
constexpr double time_step = 0.01;
constexpr double softening = 0.03;
/// The greatest change of energy over the first energy that passes the check.
constexpr double most_drift = 0.02;
/// Interactions in a quantum of work: some microseconds.
constexpr std::uint64_t interactions_per_quantum = 1024;

struct nbody_settings {
  std::uint32_t steps;
  std::size_t block;
  double opening;
};

/// A leapfrog integration: half a kick, a drift, and another half kick by the new forces. In each
/// step the tree is built again, and the tasks are blocks of bodies along its curve. The work of a
/// body in the last step predicts its work in this one.
class nbody_program {
 public:
  struct result {
    std::vector<body> bodies;
    std::vector<gravity> felt;
    double energy_before = 0;
    double energy_after = 0;
  };

  nbody_program(std::vector<body> start, const nbody_settings& settings)
      : start_{std::move(start)}, settings_{settings} {}

  [[nodiscard]] std::uint64_t expected_tasks() const {
    return blocks() * (std::uint64_t{settings_.steps} + 1);
  }

  [[nodiscard]] result blank() const {
    result made{start_, std::vector<gravity>(start_.size()), 0, 0};
    for (auto& one : made.bodies) one.position.x = std::numeric_limits<double>::quiet_NaN();
    return made;
  }

  void compute(result& made, stages& by) const {
    made.bodies = start_;
    made.felt.assign(start_.size(), {});
    gravity_tree tree;
    feel(tree, made, by, 0);
    made.energy_before = energy(made);
    for (std::uint32_t step = 0; step < settings_.steps; ++step) {
      for (std::size_t i = 0; i < made.bodies.size(); ++i) {
        auto& one = made.bodies[i];
        one.velocity = one.velocity + time_step / 2 * made.felt[i].acceleration;
        one.position = one.position + time_step * one.velocity;
      }
      feel(tree, made, by, time_step / 2);
    }
    made.energy_after = energy(made);
  }

  [[nodiscard]] verification check(const result& serial, const result& parallel) const {
    const auto [here, there] = std::ranges::mismatch(serial.bodies, parallel.bodies);
    if (here != serial.bodies.end()) {
      return {false, "body " + std::to_string(here - serial.bodies.begin()) +
                         " is elsewhere than the serial twin's"};
    }
    const double drift =
        (parallel.energy_after - parallel.energy_before) / std::abs(parallel.energy_before);
    char text[160];
    std::snprintf(text, sizeof text,
                  "every body where the serial twin's is, bit for bit; energy %.6g, drift %+.2g",
                  parallel.energy_after, drift);
    const bool kept = std::abs(drift) <= most_drift;
    return {kept, kept ? text : "energy is not kept: " + std::string{text}};
  }

  /// Draws the bodies seen from above, brighter where there are more.
  void write(const result& done, const std::filesystem::path& file) const;

 private:
  [[nodiscard]] std::size_t blocks() const {
    return (start_.size() + settings_.block - 1) / settings_.block;
  }

  void feel(gravity_tree& tree, result& made, stages& by, double kick) const {
    tree.build(made.bodies, softening, [&](std::vector<body_place>& places) {
      if (by.in_tasks()) {
        parallel_sort(places.begin(), places.end());
      } else {
        std::sort(places.begin(), places.end());
      }
    });
    const auto& order = tree.order();
    std::vector<std::uint64_t> costs(blocks());
    for (std::size_t place = 0; place < order.size(); ++place) {
      costs[place / settings_.block] += made.felt[order[place].index].interactions;
    }
    by(
        blocks(),
        [&](std::size_t block) {
          const auto end = std::min((block + 1) * settings_.block, order.size());
          for (auto place = block * settings_.block; place < end; ++place) {
            const auto index = order[place].index;
            made.felt[index] = tree.at(place, settings_.opening);
            auto& velocity = made.bodies[index].velocity;
            velocity = velocity + kick * made.felt[index].acceleration;
          }
        },
        [&](std::size_t block) { return quanta(costs[block], interactions_per_quantum); });
  }

  [[nodiscard]] static double energy(const result& made) {
    double twice = 0;
    for (std::size_t i = 0; i < made.bodies.size(); ++i) {
      twice += dot(made.bodies[i].velocity, made.bodies[i].velocity) + made.felt[i].potential;
    }
    return twice / 2 / static_cast<double>(made.bodies.size());
  }

  std::vector<body> start_;
  nbody_settings settings_;
};

void nbody_program::write(const result& done, const std::filesystem::path& file) const {
  constexpr std::uint32_t width = 800;
  constexpr std::uint32_t height = 600;
  constexpr double scale = 130;  // pixels per unit of length
  std::vector<float> light(std::size_t{width} * height);
  // A star is a point with a little halo.
  constexpr std::array<float, 3> halo{1.0F, 0.35F, 0.08F};
  for (const auto& one : done.bodies) {
    const double x = width / 2.0 + scale * one.position.x;
    const double y = height / 2.0 - scale * one.position.y;
    if (!(x >= 2 && x < width - 2 && y >= 2 && y < height - 2)) continue;
    const auto column = static_cast<std::size_t>(x);
    const auto row = static_cast<std::size_t>(y);
    for (std::size_t down = row - 2; down <= row + 2; ++down) {
      for (std::size_t across = column - 2; across <= column + 2; ++across) {
        const auto distance = std::max(down > row ? down - row : row - down,
                                       across > column ? across - column : column - across);
        light[down * width + across] += halo[distance];
      }
    }
  }
  const double each = 0.35 + 6000.0 / static_cast<double>(done.bodies.size());
  std::vector<rgb8> pixels;
  pixels.reserve(light.size());
  for (const float sum : light) {
    const double glow = 1 - std::exp(-0.25 * each * sum);
    const auto channel = [&](double power) {
      return static_cast<std::uint8_t>(std::lround(255 * std::pow(glow, power)));
    };
    pixels.push_back({channel(1.25), channel(1.0), channel(0.62)});
  }
  write_png(file, width, height, pixels);
}

}  // namespace

workload_entry nbody_entry() {
  return {
      std::string{nbody_name},
      "two galaxies that fall into each other, by Barnes and Hut's tree",
      "PNG of the bodies, from above",
      {{"size", "number of bodies", whole_option{20'000, 100, 100'000'000}},
       {"tile", "bodies that are one task", whole_option{64, 1, 1'000'000}},
       {"steps", "steps of time", whole_option{20, 1, 1'000'000}},
       {"opening", "side by distance of a node that counts as one body; 0: none does",
        real_option{0.6, 0, 1}},
       seed_option()},
      [](const option_values& options) {
        const nbody_settings settings{static_cast<std::uint32_t>(options.whole("steps")),
                                      options.whole("tile"), options.real("opening")};
        return make_staged(
            nbody_name, options,
            nbody_program{make_galaxies(options.whole("size"), options.whole("seed")), settings});
      }};
}

}  // namespace evencube::workloads
