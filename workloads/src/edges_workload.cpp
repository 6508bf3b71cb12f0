#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <evencube/evencube.hpp>
#include <evencube/workloads/city_picture.hpp>
#include <evencube/workloads/edge_detection.hpp>
#include <evencube/workloads/image_file.hpp>
#include <evencube/workloads/output_file.hpp>
#include <evencube/workloads/sobel.hpp>

#include "packed.hpp"
#include "staged_workload.hpp"
#include "workloads.hpp"

namespace evencube::workloads {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view edges_name = "edges";
constexpr rgb8 line_colour = {255, 40, 40};

/// Pixels in a quantum of work: about a tile.
constexpr std::uint64_t pixels_per_quantum = 16384;

/// Writes edges, with the lines drawn over them. Throws output_error.
void write_edges(const fs::path& file, const edge_result& result) {
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

// Edge detection by tasks that carry their pixels. For one picture, a task carries a tile with the
// pixels around it, and returns its edges and its votes for lines. For a folder, a task carries a
// whole picture.

/// The beginning of an argument.
struct carried_head {
  std::uint64_t index;
  std::uint32_t whole;  ///< 1: a picture; 0: a tile.
  std::uint32_t width;  ///< The width of the pixels that follow.
  std::uint32_t height;
  pixel_rectangle tile;   ///< The tile among these pixels.
  pixel_rectangle place;  ///< The place of the tile in the picture.
};

/// The beginning of a result.
struct result_head {
  std::uint64_t index;
  std::uint64_t tasks;
  std::uint32_t width;
  std::uint32_t height;
  std::uint32_t edge_pixels;  ///< Of a tile: edge pixels; of a picture: number of tiles.
  std::uint32_t lines;
};

/// The part of a picture that a tile's edges depend on: the tile and one more pixel on each side,
/// as far as the picture goes.
pixel_rectangle around(const grey16& picture, const pixel_rectangle& tile) {
  return {tile.left == 0 ? 0 : tile.left - 1, tile.top == 0 ? 0 : tile.top - 1,
          std::min(tile.right + 1, picture.width()), std::min(tile.bottom + 1, picture.height())};
}

task_bytes edges_of_tile(const carried_head& head, const grey16& pixels,
                         const edge_settings& settings) {
  grey8 edges{head.width, head.height};
  const std::uint32_t width = head.tile.right - head.tile.left;
  const auto count = sobel_tile(pixels, head.tile, settings.threshold, edges);
  packer out{edges.samples().size() + 256};
  out.put(result_head{head.index, 1, width, head.tile.bottom - head.tile.top, count, 0});
  for (auto y = head.tile.top; y < head.tile.bottom; ++y) {
    out.put_all(std::span<const std::uint8_t>{edges.row(y).subspan(head.tile.left, width)});
  }
  voting_scratch scratch;
  count_votes(edges, head.tile, head.place, settings.threshold, scratch,
              [&](std::uint32_t, std::int32_t first, std::span<const std::uint32_t> votes) {
                out.put(first);
                out.put(static_cast<std::uint32_t>(votes.size()));
                out.put_all(votes);
              });
  return out.take();
}

/// Detects the edges of a picture. Runs as tasks of the runtime if called in a task.
task_bytes edges_of_picture(const carried_head& head, const grey16& picture,
                            const edge_settings& settings) {
  edge_result made;
  std::uint64_t tasks = 1;
  if (runtime* const workers = this_task::runtime()) {
    tasks += detect_edges(*workers, picture, settings, made);
  } else {
    detect_edges_serially(picture, settings, made);
  }
  packer out{made.edges.samples().size()};
  out.put(result_head{head.index, tasks, picture.width(), picture.height(),
                      static_cast<std::uint32_t>(made.edge_pixels.size()),
                      static_cast<std::uint32_t>(made.lines.size())});
  out.put_all(std::as_const(made.edges).samples());
  out.put_all(std::span<const std::uint32_t>{made.edge_pixels});
  out.put_all(std::span<const picture_line>{made.lines});
  for (std::uint32_t angle = 0; angle < line_space::angles; ++angle) {
    out.put_all(std::as_const(made.space).votes(angle));
  }
  return out.take();
}

class carried_edges final : public carried_function {
 public:
  explicit carried_edges(const edge_settings& settings) : settings_{settings} {}

  [[nodiscard]] outcome run(std::span<const std::byte> argument) const override {
    unpacker in{argument};
    const auto head = in.get<carried_head>();
    const grey16 pixels{head.width, head.height, in.rest<std::uint16_t>()};
    return {head.whole != 0 ? edges_of_picture(head, pixels, settings_)
                            : edges_of_tile(head, pixels, settings_),
            {}};
  }

 private:
  edge_settings settings_;
};

/// The task for tile `index` of a picture.
carried_task tile_task(const grey16& picture, const pixel_rectangle& tile, std::size_t index) {
  const auto cut = around(picture, tile);
  const std::uint32_t width = cut.right - cut.left;
  const std::uint32_t height = cut.bottom - cut.top;
  const pixel_rectangle within{tile.left - cut.left, tile.top - cut.top, tile.right - cut.left,
                               tile.bottom - cut.top};
  packer out{sizeof(carried_head) + sizeof(std::uint16_t) * width * height};
  out.put(carried_head{index, 0, width, height, within, tile});
  for (auto y = cut.top; y < cut.bottom; ++y) out.put_all(picture.row(y).subspan(cut.left, width));
  return {out.take()};
}

/// Adds the result of a tile to the result of the picture. `edges` and `space` of the picture have
/// its size, and `edge_pixels` has an entry for each tile. Lines are picked later.
void take_tile(std::span<const std::byte> result, const std::vector<pixel_rectangle>& tiles,
               edge_result& into) {
  unpacker in{result};
  const auto head = in.get<result_head>();
  const auto& tile = tiles.at(head.index);
  for (auto y = tile.top; y < tile.bottom; ++y) {
    in.get_all(into.edges.row(y).subspan(tile.left, tile.right - tile.left));
  }
  into.edge_pixels.at(head.index) = head.edge_pixels;
  if (head.edge_pixels == 0) return;
  for (std::uint32_t angle = 0; angle < line_space::angles; ++angle) {
    const auto first = in.get<std::int32_t>();
    std::vector<std::uint32_t> votes(in.get<std::uint32_t>());
    in.get_all(std::span{votes});
    add_votes(into.space, angle, first, votes);
  }
}

/// The task for picture `index` of a folder.
carried_task picture_task(const grey16& picture, std::size_t index, std::uint32_t cost) {
  const pixel_rectangle all{0, 0, picture.width(), picture.height()};
  packer out{sizeof(carried_head) + picture.samples().size_bytes()};
  out.put(carried_head{index, 1, picture.width(), picture.height(), all, all});
  out.put_all(picture.samples());
  return {out.take(), cost};
}

/// The whole result of a picture.
struct picture_taken {
  std::size_t index;
  edge_result result;
  /// The number of tasks on the rank that processed the picture, including the task of the picture.
  std::uint64_t tasks;
};

picture_taken take_picture(std::span<const std::byte> result) {
  unpacker in{result};
  const auto head = in.get<result_head>();
  picture_taken taken{head.index, {}, head.tasks};
  edge_result& made = taken.result;
  made.edges = grey8{head.width, head.height};
  in.get_all(made.edges.samples());
  made.edge_pixels.resize(head.edge_pixels);
  in.get_all(std::span{made.edge_pixels});
  made.lines.resize(head.lines);
  in.get_all(std::span{made.lines});
  made.space = line_space{head.width, head.height};
  for (std::uint32_t angle = 0; angle < line_space::angles; ++angle) {
    in.get_all(made.space.votes(angle));
  }
  return taken;
}

/// One of the pictures, and its results.
struct edge_picture {
  std::string output;  // for a folder: name of the file to write
  grey16 picture;
  edge_result serial = {};
  edge_result parallel = {};

  [[nodiscard]] std::vector<pixel_rectangle> tiles(const edge_settings& settings) const {
    return cut_into_tiles(picture.width(), picture.height(), settings.tile);
  }
  /// A result whose memory is touched. Otherwise the first run would pay for the pages.
  [[nodiscard]] edge_result touched() const {
    edge_result made;
    made.edges = grey8{picture.width(), picture.height()};
    made.space = line_space{picture.width(), picture.height()};
    return made;
  }
  [[nodiscard]] std::uint32_t cost() const {
    return quanta(picture.samples().size(), pixels_per_quantum);
  }
};

/// The pictures of a folder.
struct edge_folder {
  fs::path path;
  std::vector<edge_picture> pictures = {};
  std::vector<std::string> left_out = {};
};

/// Detects the edges of one picture, or of all pictures of a folder. For a folder there is one task
/// for each picture, which detects the edges by tasks of its own, so that pictures of different
/// sizes overlap.
class edges_workload final : public workload {
 public:
  edges_workload(grey16 picture, const edge_settings& settings) : settings_{settings} {
    auto& one = pictures_.emplace_back(edge_picture{{}, std::move(picture)});
    one.serial = one.touched();
    tasks_ = one.tiles(settings).size();
  }

  edges_workload(edge_folder folder, const edge_settings& settings)
      : folder_{std::move(folder.path)},
        pictures_{std::move(folder.pictures)},
        left_out_{std::move(folder.left_out)},
        settings_{settings} {}

  [[nodiscard]] std::string_view name() const noexcept override { return edges_name; }

  void run_serial() override {
    for (auto& one : pictures_) detect_edges_serially(one.picture, settings_, one.serial);
    ran_serially_ = true;
  }

  void reset() override {
    ran_ = false;
    for (auto& one : pictures_) one.parallel = {};
    if (folder_) return;
    auto& one = pictures_.front();
    one.parallel = one.touched();
    // The pattern reveals a tile that was left out.
    std::ranges::fill(one.parallel.edges.samples(), std::uint8_t{0x5a});
  }

  void run(runtime& workers) override {
    std::vector<std::size_t> tasks(pictures_.size());
    const auto detect = [&](std::size_t index) {
      auto& one = pictures_[index];
      tasks[index] = detect_edges(workers, one.picture, settings_, one.parallel);
    };
    if (!folder_) {
      detect(0);
    } else {
      workers.run([&] {
        task_group group;
        for (std::size_t index = 0; index < pictures_.size(); ++index) {
          group.spawn([&, index] { detect(index); },
                      hints(settings_.where, index, workers, pictures_[index].cost(), "picture"));
        }
        group.wait();
      });
    }
    tasks_ = std::accumulate(tasks.begin(), tasks.end(), folder_ ? pictures_.size() : 0);
    ran_ = true;
  }

  void run_by(const task_loop& loop, unsigned /*threads*/) override {
    tasks_ = 0;
    for (auto& one : pictures_) {
      tasks_ += detect_edges_by(loop, one.picture, settings_, one.parallel);
    }
    ran_ = true;
  }

  [[nodiscard]] std::unique_ptr<carried_run> run_carried() override {
    ran_ = false;
    return folder_ ? carry_pictures() : carry_tiles();
  }

  [[nodiscard]] std::string problem() const override {
    if (folder_) return workload::problem();
    const auto& picture = pictures_.front().picture;
    return std::to_string(picture.width()) + " x " + std::to_string(picture.height()) + " pixels";
  }

  [[nodiscard]] std::uint64_t tasks() const noexcept override { return tasks_; }

  [[nodiscard]] verification verify() const override {
    if (!ran_serially_ || !ran_) {
      throw std::logic_error{"nothing to compare: run_serial() and run() come first"};
    }
    verification check;
    for (const auto& one : pictures_) {
      check = compare_edge_results(one.serial, one.parallel);
      if (!folder_) return check;
      if (!check.passed) return {false, one.output + ": " + check.detail};
    }
    return {true, std::to_string(pictures_.size()) + " pictures: " + check.detail};
  }

  [[nodiscard]] std::vector<std::string> left_out() const override { return left_out_; }

  [[nodiscard]] bool has_output() const noexcept override { return true; }

  void write_output(const fs::path& output) const override {
    if (!ran_) throw std::logic_error{"nothing to write: run() comes first"};
    if (!folder_) {
      write_edges(output, pictures_.front().parallel);
      return;
    }
    std::error_code problem;
    fs::create_directory(output, problem);
    if (problem) {
      throw output_error{output.string() + ": cannot make the folder: " + problem.message()};
    }
    if (same_file(output, *folder_)) {
      throw output_error{output.string() + ": these are the pictures themselves"};
    }
    for (const auto& one : pictures_) write_edges(output / one.output, one.parallel);
  }

 private:
  [[nodiscard]] std::unique_ptr<carried_run> carry_tiles() {
    auto& one = pictures_.front();
    const auto tiles = one.tiles(settings_);
    one.parallel.space.clear();
    one.parallel.edge_pixels.assign(tiles.size(), 0);
    one.parallel.lines.clear();
    return std::make_unique<numbered_run>(
        std::vector{tiles.size()},
        [&one, tiles](const carried_part& part) {
          return tile_task(one.picture, tiles[part.index], part.index);
        },
        [&one, tiles](std::span<const std::byte> result) {
          take_tile(result, tiles, one.parallel);
        },
        [this, &made = one.parallel, count = tiles.size()] {
          made.lines =
              strongest_lines(made.space, made.edges.width(), made.edges.height(), settings_.lines);
          tasks_ = count;
          ran_ = true;
        });
  }

  [[nodiscard]] std::unique_ptr<carried_run> carry_pictures() {
    tasks_ = 0;
    return std::make_unique<numbered_run>(
        std::vector{pictures_.size()},
        [this](const carried_part& part) {
          const auto& one = pictures_[part.index];
          return picture_task(one.picture, part.index, one.cost());
        },
        [this](std::span<const std::byte> result) {
          auto taken = take_picture(result);
          pictures_.at(taken.index).parallel = std::move(taken.result);
          tasks_ += taken.tasks;
        },
        [this] { ran_ = true; });
  }

  std::optional<fs::path> folder_;  // none: there is one picture
  std::vector<edge_picture> pictures_;
  std::vector<std::string> left_out_;
  edge_settings settings_;
  std::uint64_t tasks_ = 0;
  bool ran_serially_ = false;
  bool ran_ = false;
};

/// The regular files of a folder, by name.
std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  try {
    for (const auto& entry : fs::directory_iterator{folder}) {
      std::error_code unknown;  // for example of a link to a missing file
      if (entry.is_regular_file(unknown)) files.push_back(entry.path());
    }
  } catch (const fs::filesystem_error& problem) {
    throw image_error{folder.string() + ": cannot read: " + problem.code().message()};
  }
  std::ranges::sort(files);
  return files;
}

/// Reads the pictures of a folder. Files that are no pictures are left out and reported. Throws
/// image_error if the folder cannot be read or has no picture at all, and for more than
/// max_picture_pixels together.
edge_folder read_folder(const fs::path& path, std::uint64_t most_pixels) {
  edge_folder found{path};
  std::set<std::string> outputs;
  std::uint64_t pixels = 0;
  for (const auto& file : files_of(path)) {
    auto output = file.filename().string();
    if (!output.ends_with(".png")) output += ".png";
    try {
      auto picture = read_picture(file, most_pixels);
      pixels += picture.samples().size();
      if (pixels > max_picture_pixels) {
        throw std::invalid_argument{path.string() + ": its pictures have more than " +
                                    std::to_string(max_picture_pixels) + " pixels together"};
      }
      if (!outputs.insert(output).second) {
        found.left_out.push_back(file.string() + ": its result would take the name of another's, " +
                                 output);
        continue;
      }
      found.pictures.push_back({output, std::move(picture)});
    } catch (const image_error& problem) {
      found.left_out.emplace_back(problem.what());
    }
  }
  if (found.pictures.empty()) {
    throw image_error{path.string() + ": no picture in this folder" +
                      (found.left_out.empty() ? "" : "; " + found.left_out.front())};
  }
  return found;
}

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
          "--size and --seed apply to the generated picture only and cannot be combined with "
          "--input"};
    }
    if (options.times() > 1) {
      throw std::invalid_argument{
          "the picture of --input has a fixed size; only the generated one grows with the "
          "workers"};
    }
    std::error_code unknown;  // a later read reports the error
    if (fs::is_directory(*input, unknown)) {
      return std::make_unique<edges_workload>(read_folder(*input, options.whole("max-pixels")),
                                              settings);
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

verification compare_edge_results(const edge_result& serial, const edge_result& parallel) {
  if (serial.edges.width() != parallel.edges.width() ||
      serial.edges.height() != parallel.edges.height()) {
    return {false, "the pictures differ in size"};
  }
  if (const auto wrong = first_difference(serial.edges, parallel.edges)) {
    return {false, "edges differ from the serial twin: pixel " + wrong->place + " is " +
                       std::to_string(wrong->found) + " instead of " +
                       std::to_string(wrong->expected)};
  }
  if (!(serial.edge_pixels == parallel.edge_pixels) || !(serial.space == parallel.space)) {
    return {false, "votes for lines differ from the serial twin's"};
  }
  if (serial.lines != parallel.lines) return {false, "lines differ from the serial twin's"};
  return {true, "edges, votes and lines equal the serial twin's bit for bit"};
}

workload_entry edges_entry() {
  const edge_settings usual;
  return {std::string{edges_name},
          "Sobel edges of a picture, and its straight lines by a Hough transform",
          "PNG of the edges; a folder of such for a folder",
          {{"size", "side of the generated picture", whole_option{2048, 1, 16384}},
           {"tile", "side of the tile that is one task", whole_option{usual.tile, 8, 4096}},
           {"input", "a PNG, PGM or PPM instead of the generated picture, or a folder of them",
            file_option{}},
           {"max-pixels", "pixels that a small file may unfold to",
            whole_option{trusted_picture_pixels, 1, max_picture_pixels}},
           {"threshold", "least magnitude of an edge pixel", whole_option{usual.threshold, 1, 255}},
           {"lines", "lines to find and draw", whole_option{usual.lines, 0, 1000}},
           seed_option(default_city_seed)},
          make_edges,
          "the generated picture has its --size in rows for every worker, and stays as wide",
          "",
          [](const option_values& options, unsigned) -> std::unique_ptr<carried_function> {
            return std::make_unique<carried_edges>(settings_of(options));
          }};
}

}  // namespace evencube::workloads
