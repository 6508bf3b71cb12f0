#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <evencube/workloads/image_file.hpp>
#include <evencube/workloads/path_tracer.hpp>

#include "staged_workload.hpp"
#include "workloads.hpp"

namespace evencube::workloads {
namespace {

constexpr std::string_view pathtrace_name = "pathtrace";

/// Rays that make a quantum of work: some tens of microseconds.
constexpr std::uint64_t rays_per_quantum = 128;

struct pathtrace_settings {
  std::uint32_t side;
  std::uint32_t tile;
  std::uint32_t samples;
};

/// First one path for every sixteenth pixel, which tells how long a tile will take; then all.
class pathtrace_program {
 public:
  struct result {
    std::vector<point3> light;
    std::vector<std::uint64_t> probes;  ///< Rays of the paths tried in each tile.
  };

  pathtrace_program(small_scene scene, const pathtrace_settings& settings)
      : scene_{std::move(scene)},
        settings_{settings},
        tiles_{cut_into_tiles(settings.side, settings.side, settings.tile)} {}

  [[nodiscard]] std::uint64_t expected_tasks() const { return 2 * tiles_.size(); }

  [[nodiscard]] result blank() const {
    const auto nowhere = std::numeric_limits<double>::quiet_NaN();
    return {std::vector<point3>(std::size_t{settings_.side} * settings_.side,
                                {nowhere, nowhere, nowhere}),
            std::vector<std::uint64_t>(tiles_.size())};
  }

  void compute(result& made, stages& by) const {
    by(tiles_.size(), [&](std::size_t index) { made.probes[index] = try_out(tiles_[index]); });
    by(
        tiles_.size(), [&](std::size_t index) { fill(tiles_[index], made.light); },
        [&](std::size_t index) {
          return quanta(made.probes[index] * probe_step * probe_step * settings_.samples,
                        rays_per_quantum);
        });
  }

  [[nodiscard]] verification check(const result& serial, const result& parallel) const {
    const auto [here, there] = std::ranges::mismatch(serial.light, parallel.light);
    if (here != serial.light.end()) {
      const auto at = static_cast<std::size_t>(here - serial.light.begin());
      return {false, "pixel (" + std::to_string(at % settings_.side) + ", " +
                         std::to_string(at / settings_.side) + ") differs from the serial twin's"};
    }
    return {true, "the light of every pixel equals the serial twin's bit for bit"};
  }

  void write(const result& done, const std::filesystem::path& file) const {
    std::vector<rgb8> pixels;
    pixels.reserve(done.light.size());
    const auto channel = [](double light) {
      // As films do: what is very bright comes near to white, and never past it.
      const double shown = 1 - std::exp(-1.35 * light);
      return static_cast<std::uint8_t>(std::lround(255 * std::pow(shown, 1 / 2.2)));
    };
    for (const auto& light : done.light) {
      pixels.push_back({channel(light.x), channel(light.y), channel(light.z)});
    }
    write_png(file, settings_.side, settings_.side, pixels);
  }

 private:
  static constexpr std::uint32_t probe_step = 4;

  [[nodiscard]] std::uint64_t try_out(const pixel_rectangle& tile) const {
    std::uint64_t rays = 0;
    for (auto y = tile.top; y < tile.bottom; y += probe_step) {
      for (auto x = tile.left; x < tile.right; x += probe_step) {
        static_cast<void>(scene_.light_at(x, y, settings_.side, 1, &rays));
      }
    }
    return rays;
  }

  void fill(const pixel_rectangle& tile, std::vector<point3>& light) const {
    for (auto y = tile.top; y < tile.bottom; ++y) {
      for (auto x = tile.left; x < tile.right; ++x) {
        light[std::size_t{y} * settings_.side + x] =
            scene_.light_at(x, y, settings_.side, settings_.samples, nullptr);
      }
    }
  }

  small_scene scene_;
  pathtrace_settings settings_;
  std::vector<pixel_rectangle> tiles_;
};

}  // namespace

workload_entry pathtrace_entry() {
  return {std::string{pathtrace_name},
          "spheres of clay, metal and glass by random paths of light, a task per tile",
          "PNG",
          {{"size", "side of the picture", whole_option{320, 1, 8192}},
           {"tile", "side of the tile that is one task", whole_option{16, 8, 4096}},
           {"samples", "paths for each pixel", whole_option{16, 1, 1'000'000}},
           seed_option()},
          [](const option_values& options) {
            const pathtrace_settings settings{static_cast<std::uint32_t>(options.whole("size")),
                                              static_cast<std::uint32_t>(options.whole("tile")),
                                              static_cast<std::uint32_t>(options.whole("samples"))};
            return make_staged(pathtrace_name, options,
                               pathtrace_program{small_scene{options.whole("seed")}, settings});
          }};
}

}  // namespace evencube::workloads
