#pragma once

#include <cstdint>
#include <vector>

#include <evencube/workloads/image_file.hpp>
#include <evencube/workloads/picture.hpp>

namespace evencube::workloads {

/// The settings of a plate with a moving heat source.
struct heat_settings {
  std::uint32_t side = 1024;     ///< Cells along each side of the plate, >= 1.
  std::uint32_t tile = 64;       ///< Cells along each side of a tile, >= 1.
  std::uint32_t steps = 600;     ///< Number of time steps.
  double conduction = 0.2;       ///< Time step x diffusivity / cell^2, above 0 and at most 0.25.
  double cooling = 0.004;        ///< Fraction of its heat that a cell loses per step, 0 .. 1.
  double cutoff = 1e-4;          ///< Lower temperatures count as cold.
  double source_radius = 0.012;  ///< Heated disc's radius / plate's side; 0: no disc.
};

/// The temperatures of a plate, and its warm tiles.
///
/// The equation is u_t = a (u_xx + u_yy) - k u + q on a square with an insulated rim. A step is
/// explicit, and stable for r <= 1/4: it computes u + r (sum of the four neighbours - 4 u), then
/// subtracts the cooling, then adds the heat of the source. A tile needs no work and stays cold if
/// it and its neighbours were cold and the source does not reach it. So the work follows the
/// source.
struct heat_state {
  plane<double> now;
  plane<double> next;
  std::vector<std::uint8_t> warm;        ///< For each tile: true if any cell has heat in `now`.
  std::vector<std::uint8_t> warm_after;  ///< For each tile: true if any cell has heat in `next`.
};

/// The position of the source's centre, in cells from the top left. With each step, the source
/// moves along a Lissajous curve that fills the plate.
struct heat_source {
  double x;
  double y;
};
[[nodiscard]] heat_source source_after(const heat_settings& settings, std::uint32_t step) noexcept;

/// The tiles and the steps of a plate. Immutable; thread-safe for different states.
class heat_plate {
 public:
  /// Throws std::invalid_argument for out-of-range settings.
  explicit heat_plate(const heat_settings& settings);

  /// Returns the state of a cold plate.
  [[nodiscard]] heat_state cold() const;

  /// Returns the indices of the tiles to compute in this step, in ascending order. O(tiles).
  [[nodiscard]] std::vector<std::size_t> work_of(const heat_state& state, std::uint32_t step) const;

  /// Computes one step of one tile, from `now` to `next`. Tiles may be computed in any order and
  /// simultaneously.
  void advance(heat_state& state, std::size_t tile, std::uint32_t step) const;

  /// Ends a step once all its tiles are computed: `next` becomes `now`.
  void finish_step(heat_state& state, const std::vector<std::size_t>& done) const;

  [[nodiscard]] const std::vector<pixel_rectangle>& tiles() const noexcept { return tiles_; }
  [[nodiscard]] const heat_settings& settings() const noexcept { return settings_; }

 private:
  [[nodiscard]] bool source_reaches(const pixel_rectangle& tile, const heat_source& source) const;

  heat_settings settings_;
  std::vector<pixel_rectangle> tiles_;
  std::size_t across_;  // tiles in a row
};

/// Returns the colour of metal that glows at `temperature`, clamped to 0 .. 1.
[[nodiscard]] rgb8 heat_colour(double temperature) noexcept;

}  // namespace evencube::workloads
