#include <algorithm>
#include <limits>
#include <utility>

#include <evencube/workloads/heat.hpp>

#include "staged_workload.hpp"
#include "workloads.hpp"

namespace evencube::workloads {
namespace {

constexpr std::string_view own_name = "heat";

/// Cells that make a quantum of work: some microseconds.
constexpr std::uint64_t cells_per_quantum = 1024;

/// A stage for each step, whose tasks are the tiles that have heat or get some.
class heat_program {
 public:
  using result = heat_state;

  explicit heat_program(const heat_settings& settings) : plate_{settings} {}

  /// Nobody knows before the source has moved.
  [[nodiscard]] std::uint64_t expected_tasks() const { return 0; }

  [[nodiscard]] result blank() const {
    auto made = plate_.cold();
    for (std::uint32_t y = 0; y < made.now.height(); ++y) {
      std::ranges::fill(made.now.row(y), std::numeric_limits<double>::quiet_NaN());
    }
    return made;
  }

  void compute(result& made, stages& by) const {
    for (auto* const cells : {&made.now, &made.next}) {
      for (std::uint32_t y = 0; y < cells->height(); ++y) std::ranges::fill(cells->row(y), 0.0);
    }
    std::ranges::fill(made.warm, std::uint8_t{0});
    std::ranges::fill(made.warm_after, std::uint8_t{0});
    for (std::uint32_t step = 0; step < plate_.settings().steps; ++step) {
      const auto work = plate_.work_of(made, step);
      by(
          work.size(), [&](std::size_t k) { plate_.advance(made, work[k], step); },
          [&](std::size_t k) {
            const auto& tile = plate_.tiles()[work[k]];
            return quanta(std::uint64_t{tile.right - tile.left} * (tile.bottom - tile.top),
                          cells_per_quantum);
          });
      plate_.finish_step(made, work);
    }
  }

  [[nodiscard]] verification check(const result& serial, const result& parallel) const {
    for (std::uint32_t y = 0; y < serial.now.height(); ++y) {
      const auto [here, there] = std::ranges::mismatch(serial.now.row(y), parallel.now.row(y));
      if (here != serial.now.row(y).end()) {
        return {false, "cell (" + std::to_string(here - serial.now.row(y).begin()) + ", " +
                           std::to_string(y) + ") is " + std::to_string(*there) + " instead of " +
                           std::to_string(*here)};
      }
    }
    return {true, "every temperature equals the serial twin's bit for bit"};
  }

  void write(const result& done, const std::filesystem::path& file) const {
    const auto cells = done.now.samples();
    const double most = std::max(*std::ranges::max_element(cells), 1e-9);
    std::vector<rgb8> pixels;
    pixels.reserve(cells.size());
    for (const double temperature : cells) pixels.push_back(heat_colour(temperature / most));
    write_png(file, done.now.width(), done.now.height(), pixels);
  }

 private:
  heat_plate plate_;
};

}  // namespace

workload_entry heat_entry() {
  const heat_settings usual;
  return {std::string{own_name},
          "heat that spreads from a moving source, step by step, a task per warm tile",
          "PNG of the last step",
          {{"size", "cells along the side of the plate", whole_option{usual.side, 1, 8192}},
           {"tile", "side of the tile that is one task", whole_option{usual.tile, 8, 4096}},
           {"steps", "steps of time", whole_option{usual.steps, 1, 1'000'000}}},
          [](const option_values& options) {
            heat_settings settings;
            settings.side = static_cast<std::uint32_t>(options.whole("size"));
            settings.tile = static_cast<std::uint32_t>(options.whole("tile"));
            settings.steps = static_cast<std::uint32_t>(options.whole("steps"));
            return make_staged(own_name, options, heat_program{settings});
          }};
}

}  // namespace evencube::workloads
