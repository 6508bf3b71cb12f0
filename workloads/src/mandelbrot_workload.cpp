#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <evencube/workloads/mandelbrot.hpp>

#include "packed.hpp"
#include "staged_workload.hpp"
#include "workloads.hpp"

namespace evencube::workloads {
namespace {

constexpr std::string_view mandelbrot_name = "mandelbrot";

/// A centre in the valley of the sea horses, with digits for a zoom of 1e28.
constexpr const char* usual_real = "-0.743643887037158704752191506114774";
constexpr const char* usual_imaginary = "0.131825904205311970493132056385139";

/// Iterations that make a quantum of work: some tens of microseconds.
constexpr std::uint64_t iterations_per_quantum = 16384;

/// The deeper, the longer points take to escape.
std::uint32_t usual_limit(double zoom) {
  const double depth = std::max(0.0, std::log10(zoom));
  return static_cast<std::uint32_t>(std::min(1000 + 150 * depth * depth, 300'000.0));
}

/// First a few pixels of each tile are tried, which tells about how long the whole of it will take.
class mandelbrot_program {
 public:
  struct result {
    plane<float> escapes;
    std::vector<std::uint64_t> probes;  ///< Iterations of the pixels tried in each tile.
  };

  mandelbrot_program(const mandelbrot_view& view, std::uint32_t tile)
      : points_{view}, tiles_{cut_into_tiles(view.side, view.side, tile)} {}

  [[nodiscard]] const std::vector<pixel_rectangle>& tiles() const noexcept { return tiles_; }
  [[nodiscard]] std::size_t strips() const {
    return (tiles_.size() + tiles_per_strip - 1) / tiles_per_strip;
  }

  [[nodiscard]] std::uint64_t expected_tasks() const { return tiles_.size() + strips(); }

  [[nodiscard]] result blank() const {
    const auto side = points_.view().side;
    result made{plane<float>{side, side}, std::vector<std::uint64_t>(tiles_.size())};
    std::ranges::fill(made.escapes.samples(), -2.0F);
    return made;
  }

  void compute(result& made, stages& by) const {
    by(strips(), [&](std::size_t strip) { try_out(strip, probes_of(made, strip)); });
    by(
        tiles_.size(),
        [&](std::size_t index) {
          const auto& tile = tiles_[index];
          for (auto y = tile.top; y < tile.bottom; ++y) fill(tile, y, row_of(made, tile, y));
        },
        [&](std::size_t index) { return cost(made, index); });
  }

  [[nodiscard]] std::unique_ptr<carried_run> run_carried(
      result& made, std::function<void(std::uint64_t)> ended) const {
    return std::make_unique<numbered_run>(
        std::vector{strips(), tiles_.size()},
        [this, &made](const carried_part& part) {
          packer out;
          out.put(part);
          return carried_task{out.take(), part.stage == 0 ? 1U : cost(made, part.index)};
        },
        [this, &made](std::span<const std::byte> bytes) {
          unpacker in{bytes};
          const auto part = in.get<carried_part>();
          if (part.stage == 0) {
            in.get_all(probes_of(made, part.index));
            return;
          }
          const auto& tile = tiles_[part.index];
          for (auto y = tile.top; y < tile.bottom; ++y) in.get_all(row_of(made, tile, y));
        },
        [this, ended = std::move(ended)] { ended(expected_tasks()); });
  }

  // The parts of both stages, and where their results stand.

  /// Iterations of some pixels of each tile of a strip.
  void try_out(std::size_t strip, std::span<std::uint64_t> probes) const {
    for (std::size_t i = 0; i < probes.size(); ++i) {
      probes[i] = try_out(tiles_[strip * tiles_per_strip + i]);
    }
  }
  [[nodiscard]] std::span<std::uint64_t> probes_of(result& made, std::size_t strip) const {
    const auto first = strip * tiles_per_strip;
    return std::span{made.probes}.subspan(first, probes_in(strip));
  }
  [[nodiscard]] std::size_t probes_in(std::size_t strip) const {
    return std::min(tiles_per_strip, tiles_.size() - strip * tiles_per_strip);
  }

  /// A row of a tile.
  void fill(const pixel_rectangle& tile, std::uint32_t y, std::span<float> row) const {
    for (auto x = tile.left; x < tile.right; ++x) row[x - tile.left] = points_.escape(x, y);
  }
  [[nodiscard]] static std::span<float> row_of(result& made, const pixel_rectangle& tile,
                                               std::uint32_t y) {
    return made.escapes.row(y).subspan(tile.left, tile.right - tile.left);
  }

  /// Quanta of a tile, by its probes.
  [[nodiscard]] std::uint32_t cost(const result& made, std::size_t index) const {
    const auto& tile = tiles_[index];
    const std::uint64_t pixels = std::uint64_t{tile.right - tile.left} * (tile.bottom - tile.top);
    return quanta(made.probes[index] * pixels / probes_per_tile, iterations_per_quantum);
  }

  [[nodiscard]] verification check(const result& serial, const result& parallel) const {
    if (const auto wrong = first_difference(serial.escapes, parallel.escapes)) {
      return {false, "pixel " + wrong->place + " differs from the serial twin's"};
    }
    return {true, "every pixel equals the serial twin's bit for bit"};
  }

  void write(const result& done, const std::filesystem::path& file) const {
    std::vector<rgb8> pixels;
    pixels.reserve(done.escapes.samples().size());
    float least = std::numeric_limits<float>::infinity();
    for (const float escape : done.escapes.samples()) {
      if (escape >= 0) least = std::min(least, escape);
    }
    for (const float escape : done.escapes.samples()) {
      pixels.push_back(escape_colour(escape, least));
    }
    write_png(file, done.escapes.width(), done.escapes.height(), pixels);
  }

 private:
  static constexpr std::size_t tiles_per_strip = 16;
  static constexpr std::uint64_t probes_per_tile = 5;

  /// Iterations of the middle and of four pixels half way to the corners.
  [[nodiscard]] std::uint64_t try_out(const pixel_rectangle& tile) const {
    constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, probes_per_tile> quarters{
        {{2, 2}, {1, 1}, {3, 1}, {1, 3}, {3, 3}}};
    std::uint64_t work = 0;
    for (const auto& [across, down] : quarters) {
      static_cast<void>(points_.escape(tile.left + (tile.right - tile.left) * across / 4,
                                       tile.top + (tile.bottom - tile.top) * down / 4, &work));
    }
    return work;
  }

  mandelbrot_plane points_;
  std::vector<pixel_rectangle> tiles_;
};

class carried_mandelbrot final : public carried_function {
 public:
  explicit carried_mandelbrot(mandelbrot_program program) : program_{std::move(program)} {}

  [[nodiscard]] unsigned stages() const override { return 2; }

  [[nodiscard]] outcome run(std::span<const std::byte> argument) const override {
    const auto part = unpacker{argument}.get<carried_part>();
    packer out;
    out.put(part);
    if (part.stage == 0) {
      std::vector<std::uint64_t> probes(program_.probes_in(part.index));
      program_.try_out(part.index, probes);
      out.put_all(std::span<const std::uint64_t>{probes});
    } else {
      const auto& tile = program_.tiles()[part.index];
      std::vector<float> row(tile.right - tile.left);
      for (auto y = tile.top; y < tile.bottom; ++y) {
        program_.fill(tile, y, row);
        out.put_all(std::span<const float>{row});
      }
    }
    return {out.take(), {}};
  }

 private:
  mandelbrot_program program_;
};

mandelbrot_program make_program(const option_values& options) {
  mandelbrot_view view;
  view.real = options.text("real");
  view.imaginary = options.text("imaginary");
  view.zoom = options.real("zoom");
  view.side = static_cast<std::uint32_t>(options.whole("size"));
  view.limit = static_cast<std::uint32_t>(options.whole("iterations"));
  if (view.limit == 0) view.limit = usual_limit(view.zoom);
  return {view, static_cast<std::uint32_t>(options.whole("tile"))};
}

}  // namespace

workload_entry mandelbrot_entry() {
  return {
      std::string{mandelbrot_name},
      "the Mandelbrot set, as deep as 1e280, a task per tile",
      "PNG",
      {{"size", "side of the picture", whole_option{1024, 1, 8192}},
       {"tile", "side of the tile that is one task", whole_option{32, 8, 4096}},
       {"real", "centre, a decimal of any length", text_option{usual_real}},
       {"imaginary", "centre, a decimal of any length", text_option{usual_imaginary}},
       {"zoom", "how many times larger than the whole set", real_option{5000, 0.1, deepest_zoom}},
       {"iterations", "after which a point counts as one of the set; 0: by the zoom",
        whole_option{0, 0, 10'000'000}}},
      [](const option_values& options) {
        return make_staged(mandelbrot_name, options, make_program(options));
      },
      "",
      "",
      [](const option_values& options, unsigned) -> std::unique_ptr<carried_function> {
        return std::make_unique<carried_mandelbrot>(make_program(options));
      }};
}

}  // namespace evencube::workloads
