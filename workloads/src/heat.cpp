#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include <evencube/workloads/heat.hpp>

namespace evencube::workloads {
namespace {

constexpr double added_by_source = 0.05;  // temperature in a step

double square(double value) { return value * value; }

double distance_outside(double at, double low, double high) {
  return at < low ? low - at : at > high ? at - high : 0;
}

}  // namespace

heat_source source_after(const heat_settings& settings, std::uint32_t step) noexcept {
  // Speed by the plate, so that the figure looks the same at every size and number of steps.
  const double turn = 2 * std::numbers::pi * step / std::max(settings.steps, 1U);
  const double side = settings.side;
  return {side * (0.5 + 0.38 * std::sin(3 * turn + 0.4)), side * (0.5 + 0.38 * std::sin(2 * turn))};
}

heat_plate::heat_plate(const heat_settings& settings)
    : settings_{settings},
      tiles_{cut_into_tiles(settings.side, settings.side, settings.tile)},
      across_{settings.side / settings.tile + (settings.side % settings.tile != 0 ? 1 : 0)} {
  if (!(settings.conduction > 0 && settings.conduction <= 0.25)) {
    throw std::invalid_argument{"conduction must be above 0 and at most 0.25, or steps blow up"};
  }
  if (!(settings.cooling >= 0 && settings.cooling <= 1) || !(settings.cutoff >= 0) ||
      !(settings.source_radius >= 0)) {
    throw std::invalid_argument{"cooling must be within 0 .. 1, cut-off and radius not negative"};
  }
}

heat_state heat_plate::cold() const {
  const plane<double> none{settings_.side, settings_.side};
  return {none, none, std::vector<std::uint8_t>(tiles_.size()),
          std::vector<std::uint8_t>(tiles_.size())};
}

bool heat_plate::source_reaches(const pixel_rectangle& tile, const heat_source& source) const {
  const double radius = settings_.source_radius * settings_.side;
  const double across = distance_outside(source.x, tile.left, tile.right);
  const double down = distance_outside(source.y, tile.top, tile.bottom);
  return radius > 0 && square(across) + square(down) <= square(radius);
}

std::vector<std::size_t> heat_plate::work_of(const heat_state& state, std::uint32_t step) const {
  const auto source = source_after(settings_, step);
  std::vector<std::size_t> work;
  for (std::size_t tile = 0; tile < tiles_.size(); ++tile) {
    const std::size_t column = tile % across_;
    const bool warm = state.warm[tile] != 0 || (column > 0 && state.warm[tile - 1] != 0) ||
                      (column + 1 < across_ && state.warm[tile + 1] != 0) ||
                      (tile >= across_ && state.warm[tile - across_] != 0) ||
                      (tile + across_ < tiles_.size() && state.warm[tile + across_] != 0);
    if (warm || source_reaches(tiles_[tile], source)) work.push_back(tile);
  }
  return work;
}

void heat_plate::advance(heat_state& state, std::size_t tile, std::uint32_t step) const {
  const auto& cells = tiles_[tile];
  const std::uint32_t last = settings_.side - 1;
  const double keep = 1 - settings_.cooling;
  double most = 0;
  for (auto y = cells.top; y < cells.bottom; ++y) {
    // Beyond the rim lies a mirror: no heat flows there.
    const auto above = state.now.row(y == 0 ? 0 : y - 1);
    const auto here = state.now.row(y);
    const auto below = state.now.row(std::min(y + 1, last));
    const auto out = state.next.row(y);
    const auto stepped = [&](std::size_t left, std::size_t x, std::size_t right) {
      const double flow = (above[x] + below[x]) + (here[left] + here[right]) - 4 * here[x];
      const double value = keep * (here[x] + settings_.conduction * flow);
      return std::abs(value) < settings_.cutoff ? 0.0 : value;
    };
    // The inside has neighbours without conditions, which lets it be vectorised.
    const std::size_t inside = std::max(cells.left, 1U);
    const std::size_t outside = std::min(cells.right, last);
    if (cells.left == 0) out[0] = stepped(0, 0, std::min(1U, last));
    for (std::size_t x = inside; x < outside; ++x) out[x] = stepped(x - 1, x, x + 1);
    if (cells.right > last && last > 0) out[last] = stepped(last - 1, last, last);
    for (std::size_t x = cells.left; x < cells.right; ++x) most = std::max(most, std::abs(out[x]));
  }
  const auto source = source_after(settings_, step);
  if (source_reaches(cells, source)) {
    const double radius = settings_.source_radius * settings_.side;
    for (auto y = cells.top; y < cells.bottom; ++y) {
      const auto out = state.next.row(y);
      for (auto x = cells.left; x < cells.right; ++x) {
        if (square(x + 0.5 - source.x) + square(y + 0.5 - source.y) <= square(radius)) {
          out[x] += added_by_source;
          most = std::max(most, out[x]);
        }
      }
    }
  }
  state.warm_after[tile] = most > 0 ? 1 : 0;
}

void heat_plate::finish_step(heat_state& state, const std::vector<std::size_t>& done) const {
  // A tile that is no work has to be cold in both planes: one that has just cooled may leave the
  // list, and what it was before is wiped out.
  std::swap(state.now, state.next);
  for (const std::size_t tile : done) {
    if (state.warm_after[tile] == 0 && state.warm[tile] != 0) {
      const auto& cells = tiles_[tile];
      for (auto y = cells.top; y < cells.bottom; ++y) {
        std::ranges::fill(state.next.row(y).subspan(cells.left, cells.right - cells.left), 0.0);
      }
    }
    state.warm[tile] = state.warm_after[tile];
  }
}

rgb8 heat_colour(double temperature) noexcept {
  // Even small temperatures are to be seen.
  const double t = std::pow(std::clamp(temperature, 0.0, 1.0), 0.45);
  const auto channel = [&](double from, double to) {
    const double part = std::clamp((t - from) / (to - from), 0.0, 1.0);
    return static_cast<std::uint8_t>(std::lround(255 * part * part * (3 - 2 * part)));
  };
  const double glow = std::clamp(t / 0.35, 0.0, 1.0) * std::clamp((0.75 - t) / 0.4, 0.0, 1.0);
  const auto violet = static_cast<std::uint8_t>(90 * glow);
  return {channel(0.05, 0.65), channel(0.40, 0.95), std::max(violet, channel(0.75, 1.0))};
}

}  // namespace evencube::workloads
