#include "edge_folder.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include <evencube/evencube.hpp>
#include <evencube/workloads/image_file.hpp>
#include <evencube/workloads/output_file.hpp>

#include "carried_edges.hpp"
#include "spawning.hpp"
#include "staged_workload.hpp"
#include "workloads.hpp"

namespace evencube::workloads {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view workload_name = "edges";

/// Pixels that make a quantum of work: about a tile.
constexpr std::uint64_t pixels_per_quantum = 16384;

/// One of the pictures, and what is made of it.
struct folder_picture {
  std::string output;  // name of the file to write
  grey16 picture;
  edge_result serial;
  edge_result parallel;
};

class edge_folder_workload final : public workload {
 public:
  edge_folder_workload(fs::path folder, std::vector<folder_picture> pictures,
                       std::vector<std::string> left_out, const edge_settings& settings)
      : folder_{std::move(folder)},
        pictures_{std::move(pictures)},
        left_out_{std::move(left_out)},
        settings_{settings} {}

  [[nodiscard]] std::string_view name() const noexcept override { return workload_name; }

  void run_serial() override {
    for (auto& one : pictures_) detect_edges_serially(one.picture, settings_, one.serial);
    ran_serially_ = true;
  }

  void reset() override {
    ran_ = false;
    for (auto& one : pictures_) one.parallel = edge_result{};
  }

  void run(runtime& workers) override {
    std::vector<std::size_t> tasks(pictures_.size());
    workers.run([&] {
      task_group group;
      for (std::size_t index = 0; index < pictures_.size(); ++index) {
        auto& one = pictures_[index];
        group.spawn(
            [&, index] {
              tasks[index] = detect_edges(workers, one.picture, settings_, one.parallel);
            },
            hints(settings_.where, index, workers, cost_of(one.picture), "picture"));
      }
      group.wait();
    });
    tasks_ = pictures_.size();
    for (const auto count : tasks) tasks_ += count;
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
    tasks_ = 0;
    class run final : public carried_run {
     public:
      explicit run(edge_folder_workload& of) : of_{of} {}
      [[nodiscard]] std::optional<carried_task> next() override {
        if (at_ == of_.pictures_.size()) return std::nullopt;
        const auto index = at_++;
        const auto& picture = of_.pictures_[index].picture;
        return carried_picture(picture, index, cost_of(picture));
      }
      void take(std::span<const std::byte> result) override {
        auto taken = take_picture(result);
        of_.pictures_.at(taken.index).parallel = std::move(taken.result);
        of_.tasks_ += taken.tasks;
      }
      void end() override { of_.ran_ = true; }

     private:
      edge_folder_workload& of_;
      std::size_t at_ = 0;
    };
    return std::make_unique<run>(*this);
  }

  [[nodiscard]] std::uint64_t tasks() const noexcept override { return tasks_; }

  [[nodiscard]] verification verify() const override {
    if (!ran_serially_ || !ran_) {
      throw std::logic_error{"nothing to compare: run_serial() and run() come first"};
    }
    for (const auto& one : pictures_) {
      auto check = compare_edge_results(one.serial, one.parallel);
      if (!check.passed) return {false, one.output + ": " + check.detail};
    }
    return {true, std::to_string(pictures_.size()) +
                      " pictures: edges, votes and lines equal the serial twin's bit for bit"};
  }

  [[nodiscard]] std::vector<std::string> left_out() const override { return left_out_; }

  [[nodiscard]] bool has_output() const noexcept override { return true; }

  void write_output(const fs::path& folder) const override {
    if (!ran_) throw std::logic_error{"nothing to write: run() comes first"};
    std::error_code problem;
    fs::create_directory(folder, problem);
    if (problem) {
      throw output_error{folder.string() + ": cannot make the folder: " + problem.message()};
    }
    if (same_file(folder, folder_)) {
      throw output_error{folder.string() + ": these are the pictures themselves"};
    }
    for (const auto& one : pictures_) write_edges(folder / one.output, one.parallel);
  }

 private:
  static std::uint32_t cost_of(const grey16& picture) {
    return quanta(picture.samples().size(), pixels_per_quantum);
  }

  fs::path folder_;
  std::vector<folder_picture> pictures_;
  std::vector<std::string> left_out_;
  edge_settings settings_;
  std::uint64_t tasks_ = 0;
  bool ran_serially_ = false;
  bool ran_ = false;
};

/// Regular files of a folder, by name.
std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  try {
    for (const auto& entry : fs::directory_iterator{folder}) {
      std::error_code unknown;  // of a link that leads nowhere
      if (entry.is_regular_file(unknown)) files.push_back(entry.path());
    }
  } catch (const fs::filesystem_error& problem) {
    throw image_error{folder.string() + ": cannot read: " + problem.code().message()};
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::unique_ptr<workload> make_edge_folder(const fs::path& folder, std::uint64_t most_pixels,
                                           const edge_settings& settings) {
  std::vector<folder_picture> pictures;
  std::vector<std::string> left_out;
  std::set<std::string> outputs;
  std::uint64_t pixels = 0;
  for (const auto& file : files_of(folder)) {
    auto output = file.filename().string();
    if (!output.ends_with(".png")) output += ".png";
    try {
      auto picture = read_picture(file, most_pixels);
      pixels += picture.samples().size();
      if (pixels > max_picture_pixels) {
        throw std::invalid_argument{folder.string() + ": its pictures have more than " +
                                    std::to_string(max_picture_pixels) + " pixels together"};
      }
      if (!outputs.insert(output).second) {
        left_out.push_back(file.string() + ": its result would take the name of another's, " +
                           output);
        continue;
      }
      pictures.push_back({output, std::move(picture), {}, {}});
    } catch (const image_error& problem) {
      left_out.emplace_back(problem.what());
    }
  }
  if (pictures.empty()) {
    throw image_error{folder.string() + ": no picture in this folder" +
                      (left_out.empty() ? "" : "; " + left_out.front())};
  }
  return std::make_unique<edge_folder_workload>(folder, std::move(pictures), std::move(left_out),
                                                settings);
}

}  // namespace evencube::workloads
