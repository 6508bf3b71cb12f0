#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <evencube/workloads/city_picture.hpp>
#include <evencube/workloads/edge_detection.hpp>
#include <evencube/workloads/image_file.hpp>

#include "carried_edges.hpp"
#include "edge_folder.hpp"
#include "workloads.hpp"

namespace evencube::workloads {
namespace {

constexpr std::string_view edges_name = "edges";
constexpr rgb8 line_colour = {255, 40, 40};

class edges_workload final : public workload {
 public:
  edges_workload(grey16 picture, const edge_settings& settings)
      : picture_{std::move(picture)}, settings_{settings} {
    tasks_ = cut_into_tiles(picture_.width(), picture_.height(), settings_.tile).size();
    serial_.edges = grey8{picture_.width(), picture_.height()};
    serial_.space = line_space{picture_.width(), picture_.height()};
  }

  [[nodiscard]] std::string_view name() const noexcept override { return edges_name; }

  void run_serial() override {
    detect_edges_serially(picture_, settings_, serial_);
    ran_serially_ = true;
  }

  void reset() override {
    ran_ = false;
    parallel_ = edge_result{};
    // Touched here, or the first run would pay for the pages. The pattern betrays a tile left out.
    parallel_.edges = grey8{picture_.width(), picture_.height()};
    for (std::uint32_t y = 0; y < picture_.height(); ++y) {
      std::ranges::fill(parallel_.edges.row(y), std::uint8_t{0x5a});
    }
    parallel_.space = line_space{picture_.width(), picture_.height()};
  }

  void run(runtime& workers) override {
    tasks_ = detect_edges(workers, picture_, settings_, parallel_);
    ran_ = true;
  }

  void run_by(const task_loop& loop, unsigned /*threads*/) override {
    tasks_ = detect_edges_by(loop, picture_, settings_, parallel_);
    ran_ = true;
  }

  [[nodiscard]] std::unique_ptr<carried_run> run_carried() override {
    ran_ = false;
    class run final : public carried_run {
     public:
      explicit run(edges_workload& of)
          : of_{of},
            tiles_{cut_into_tiles(of.picture_.width(), of.picture_.height(), of.settings_.tile)} {
        of.parallel_.space.clear();
        of.parallel_.edge_pixels.assign(tiles_.size(), 0);
        of.parallel_.lines.clear();
      }
      [[nodiscard]] std::optional<carried_task> next() override {
        if (at_ == tiles_.size()) return std::nullopt;
        const auto index = at_++;
        return carried_tile(of_.picture_, tiles_[index], index);
      }
      void take(std::span<const std::byte> result) override {
        take_tile(result, tiles_, of_.parallel_);
      }
      void end() override {
        auto& made = of_.parallel_;
        made.lines = strongest_lines(made.space, made.edges.width(), made.edges.height(),
                                     of_.settings_.lines);
        of_.tasks_ = tiles_.size();
        of_.ran_ = true;
      }

     private:
      edges_workload& of_;
      std::vector<pixel_rectangle> tiles_;
      std::size_t at_ = 0;
    };
    return std::make_unique<run>(*this);
  }

  [[nodiscard]] std::string problem() const override {
    return std::to_string(picture_.width()) + " x " + std::to_string(picture_.height()) + " pixels";
  }

  [[nodiscard]] std::uint64_t tasks() const noexcept override { return tasks_; }

  [[nodiscard]] verification verify() const override {
    if (!ran_serially_ || !ran_) {
      throw std::logic_error{"nothing to compare: run_serial() and run() come first"};
    }
    return compare_edge_results(serial_, parallel_);
  }

  [[nodiscard]] bool has_output() const noexcept override { return true; }

  void write_output(const std::filesystem::path& file) const override {
    if (!ran_) {
      throw std::logic_error{"nothing to write: run() comes first"};
    }
    write_edges(file, parallel_);
  }

 private:
  grey16 picture_;
  edge_settings settings_;
  edge_result serial_;
  edge_result parallel_;
  std::uint64_t tasks_ = 0;
  bool ran_serially_ = false;
  bool ran_ = false;
};

std::string first_difference(const grey8& left, const grey8& right) {
  for (std::uint32_t y = 0; y < left.height(); ++y) {
    const auto [here, there] = std::ranges::mismatch(left.row(y), right.row(y));
    if (here != left.row(y).end()) {
      return "pixel (" + std::to_string(here - left.row(y).begin()) + ", " + std::to_string(y) +
             ") is " + std::to_string(*there) + " instead of " + std::to_string(*here);
    }
  }
  return {};
}

}  // namespace

void write_edges(const std::filesystem::path& file, const edge_result& result) {
  const auto& edges = result.edges;
  if (result.lines.empty()) {
    write_png(file, edges);
    return;
  }
  // Lines of one pixel would be lost when a large picture is shown on a screen.
  const auto thickness = std::max(std::max(edges.width(), edges.height()) / 1024, 1U);
  std::vector<std::uint8_t> paint(edges.samples().size());
  for (const auto& line : result.lines) {
    draw_line(line, edges.width(), edges.height(), thickness, paint);
  }
  write_png(file, edges, paint, line_colour);
}

verification compare_edge_results(const edge_result& serial, const edge_result& parallel) {
  if (serial.edges.width() != parallel.edges.width() ||
      serial.edges.height() != parallel.edges.height()) {
    return {false, "the pictures differ in size"};
  }
  if (auto difference = first_difference(serial.edges, parallel.edges); !difference.empty()) {
    return {false, "edges differ from the serial twin: " + difference};
  }
  if (!(serial.edge_pixels == parallel.edge_pixels) || !(serial.space == parallel.space)) {
    return {false, "votes for lines differ from the serial twin's"};
  }
  if (serial.lines != parallel.lines) {
    return {false, "lines differ from the serial twin's"};
  }
  return {true, "edges, votes and lines equal the serial twin's bit for bit"};
}

namespace {

edge_settings settings_of(const option_values& options) {
  edge_settings settings;
  settings.where = options.where();
  settings.tile = static_cast<std::uint32_t>(options.whole("tile"));
  settings.threshold = static_cast<std::uint8_t>(options.whole("threshold"));
  settings.lines = static_cast<std::uint32_t>(options.whole("lines"));
  return settings;
}

std::unique_ptr<workload> make_edges(const option_values& options) {
  const auto settings = settings_of(options);
  if (const auto input = options.file("input")) {
    if (options.given("size") || options.given("seed")) {
      throw std::invalid_argument{
          "--size and --seed are of the made-up picture: they cannot stand beside --input"};
    }
    if (options.times() > 1) {
      throw std::invalid_argument{
          "the picture of --input is as large as it is: only the made-up one grows with the "
          "workers"};
    }
    std::error_code unknown;  // reading it will tell
    if (std::filesystem::is_directory(*input, unknown)) {
      return make_edge_folder(*input, options.whole("max-pixels"), settings);
    }
    return std::make_unique<edges_workload>(read_picture(*input, options.whole("max-pixels")),
                                            settings);
  }
  if (options.given("max-pixels")) {
    throw std::invalid_argument{"--max-pixels is of a picture to read: it needs --input"};
  }
  const auto side = static_cast<std::uint32_t>(options.whole("size"));
  const auto rows = static_cast<std::uint32_t>(
      grown_within(side, options.times(), std::uint64_t{side} * options.times(), max_picture_side));
  if (std::uint64_t{side} * rows > max_picture_pixels) {
    throw std::invalid_argument{
        "--size " + std::to_string(side) + " for each of " + std::to_string(options.times()) +
        " workers makes a picture of more than " + std::to_string(max_picture_pixels) +
        " pixels: a smaller --size or fewer workers"};
  }
  return std::make_unique<edges_workload>(make_city_picture(side, rows, options.whole("seed")),
                                          settings);
}

}  // namespace

workload_entry edges_entry() {
  const edge_settings usual;
  return {std::string{edges_name},
          "Sobel edges of a picture, and its straight lines by a Hough transform",
          "PNG of the edges; a folder of such for a folder",
          {{"size", "side of the made-up picture", whole_option{2048, 1, 16384}},
           {"tile", "side of the tile that is one task", whole_option{usual.tile, 8, 4096}},
           {"input", "a PNG, PGM or PPM instead of the made-up picture, or a folder of them",
            file_option{}},
           {"max-pixels", "pixels that a small file may unfold to",
            whole_option{trusted_picture_pixels, 1, max_picture_pixels}},
           {"threshold", "least magnitude of an edge pixel", whole_option{usual.threshold, 1, 255}},
           {"lines", "lines to find and draw", whole_option{usual.lines, 0, 1000}},
           seed_option(default_city_seed)},
          make_edges,
          "the made-up picture has its --size in rows for every worker, and stays as wide",
          "",
          [](const option_values& options, unsigned) {
            return make_carried_edges(settings_of(options));
          }};
}

}  // namespace evencube::workloads
