#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <evencube/workloads/heat.hpp>
#include <evencube/workloads/output_file.hpp>

#include "picture_formats.hpp"
#include "staged_workload.hpp"
#include "workloads.hpp"

namespace evencube::workloads {
namespace {

constexpr std::string_view heat_name = "heat";

/// Cells that make a quantum of work: some microseconds.
constexpr std::uint64_t cells_per_quantum = 1024;

/// Cells of all frames together: a gigabyte of temperatures.
constexpr std::uint64_t most_frame_cells = std::uint64_t{1} << 28;

/// So the frames of another run in the same folder can be told from what is not of our making.
constexpr std::string_view frame_ending = ".heat.png";

struct heat_run {
  heat_state plate;
  std::vector<plane<float>> frames;
};

/// The first cell in which they differ; nothing if they are the same.
template <typename T>
std::optional<std::string> compare(const plane<T>& serial, const plane<T>& parallel) {
  const auto wrong = first_difference(serial, parallel);
  if (!wrong) return std::nullopt;
  return "cell " + wrong->place + " is " + std::to_string(wrong->found) + " instead of " +
         std::to_string(wrong->expected);
}

/// A stage for each step, whose tasks are the tiles that have heat or get some; after some steps
/// one that keeps a frame.
class heat_program {
 public:
  using result = heat_run;

  heat_program(const heat_settings& settings, std::uint32_t frames)
      : plate_{settings}, frames_{frames} {
    if (frames > settings.steps) {
      throw std::invalid_argument{"--frames " + std::to_string(frames) + ": there are only " +
                                  std::to_string(settings.steps) + " steps"};
    }
    if (std::uint64_t{frames} * settings.side * settings.side > most_frame_cells) {
      throw std::invalid_argument{"--frames " + std::to_string(frames) + " of " +
                                  std::to_string(settings.side) + " x " +
                                  std::to_string(settings.side) + " cells: more than " +
                                  std::to_string(most_frame_cells) + " cells in all"};
    }
  }

  /// Nobody knows before the source has moved.
  [[nodiscard]] std::uint64_t expected_tasks() const { return 0; }

  [[nodiscard]] result blank() const {
    heat_run made{plate_.cold(), {}};
    std::ranges::fill(made.plate.now.samples(), std::numeric_limits<double>::quiet_NaN());
    const std::uint32_t side = plate_.settings().side;
    for (std::uint32_t k = 0; k < frames_; ++k) {
      std::ranges::fill(made.frames.emplace_back(side, side).samples(),
                        std::numeric_limits<float>::quiet_NaN());
    }
    return made;
  }

  void compute(result& made, stages& by) const {
    auto& state = made.plate;
    std::ranges::fill(state.now.samples(), 0.0);
    std::ranges::fill(state.next.samples(), 0.0);
    std::ranges::fill(state.warm, std::uint8_t{0});
    std::ranges::fill(state.warm_after, std::uint8_t{0});
    const std::uint64_t steps = plate_.settings().steps;
    for (std::uint32_t step = 0; step < steps; ++step) {
      const auto work = plate_.work_of(state, step);
      by(
          work.size(), [&](std::size_t k) { plate_.advance(state, work[k], step); },
          [&](std::size_t k) { return cost_of(plate_.tiles()[work[k]]); });
      plate_.finish_step(state, work);
      // So many of `frames_` by the steps that are done: the last one is of the last step.
      const auto frame = static_cast<std::size_t>(step * frames_ / steps);
      if (frame != (step + 1) * frames_ / steps) keep(state, made.frames[frame], by);
    }
  }

  [[nodiscard]] verification check(const result& serial, const result& parallel) const {
    if (auto wrong = compare(serial.plate.now, parallel.plate.now)) {
      return {false, *std::move(wrong)};
    }
    for (std::size_t k = 0; k < frames_; ++k) {
      if (const auto wrong = compare(serial.frames[k], parallel.frames[k])) {
        return {false, "frame " + std::to_string(k + 1) + ": " + *wrong};
      }
    }
    return {true, "every temperature equals the serial twin's bit for bit"};
  }

  void write(const result& done, const std::filesystem::path& output) const {
    if (frames_ != 0) {
      write_frames(done, output);
      return;
    }
    const auto cells = done.plate.now.samples();
    write_png(output, done.plate.now.width(), done.plate.now.height(),
              glowing(cells, *std::ranges::max_element(cells)));
  }

 private:
  static std::uint32_t cost_of(const pixel_rectangle& tile) {
    return quanta(std::uint64_t{tile.right - tile.left} * (tile.bottom - tile.top),
                  cells_per_quantum);
  }

  void keep(const heat_state& state, plane<float>& frame, stages& by) const {
    const auto& tiles = plate_.tiles();
    by(
        tiles.size(),
        [&](std::size_t k) {
          for (auto y = tiles[k].top; y < tiles[k].bottom; ++y) {
            const auto from = state.now.row(y);
            const auto to = frame.row(y);
            for (auto x = tiles[k].left; x < tiles[k].right; ++x) {
              to[x] = static_cast<float>(from[x]);
            }
          }
        },
        [&](std::size_t k) { return cost_of(tiles[k]); });
  }

  template <typename T>
  static std::vector<rgb8> glowing(std::span<const T> cells, T most) {
    std::vector<rgb8> pixels;
    pixels.reserve(cells.size());
    const double one = std::max(double{most}, 1e-9);
    for (const T temperature : cells) pixels.push_back(heat_colour(temperature / one));
    return pixels;
  }

  /// All by one scale, so that they can be shown one after the other.
  void write_frames(const result& done, const std::filesystem::path& folder) const {
    float most = 0;
    for (const auto& frame : done.frames) {
      most = std::max(most, *std::ranges::max_element(frame.samples()));
    }
    std::map<std::string, std::string> files;
    for (std::size_t k = 0; k < done.frames.size(); ++k) {
      const auto& frame = done.frames[k];
      const auto pixels = glowing(frame.samples(), most);
      const auto png = encode_png(frame.width(), frame.height(), std::span{pixels});
      std::string number = std::to_string(k + 1);
      number.insert(0, number.size() < 4 ? 4 - number.size() : 0, '0');
      files.emplace(number + std::string{frame_ending},
                    std::string(png.bytes().begin(), png.bytes().end()));
    }
    replace_folder(folder, files, std::array{frame_ending});
  }

  heat_plate plate_;
  std::uint32_t frames_;
};

}  // namespace

workload_entry heat_entry() {
  const heat_settings usual;
  return {std::string{heat_name},
          "heat that spreads from a moving source, step by step, a task per warm tile",
          "PNG of the last step; with --frames a folder of them",
          {{"size", "cells along the side of the plate", whole_option{usual.side, 1, 8192}},
           {"tile", "side of the tile that is one task", whole_option{usual.tile, 8, 4096}},
           {"steps", "steps of time", whole_option{usual.steps, 1, 1'000'000}},
           {"frames", "pictures of the plate, evenly over the steps; 0: the last step alone",
            whole_option{0, 0, 9999}}},
          [](const option_values& options) {
            heat_settings settings;
            settings.side = static_cast<std::uint32_t>(options.whole("size"));
            settings.tile = static_cast<std::uint32_t>(options.whole("tile"));
            settings.steps = static_cast<std::uint32_t>(options.whole("steps"));
            return make_staged(
                heat_name, options,
                heat_program{settings, static_cast<std::uint32_t>(options.whole("frames"))});
          },
          {},
          "frames"};
}

}  // namespace evencube::workloads
