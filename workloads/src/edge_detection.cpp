#include <algorithm>
#include <optional>
#include <utility>

#include <evencube/evencube.hpp>
#include <evencube/workloads/edge_detection.hpp>
#include <evencube/workloads/sobel.hpp>

#include "spawning.hpp"

namespace evencube::workloads {
namespace {

/// Edge pixels per unit of cost: voting for this many takes about as long as the Sobel stage of a
/// tile without any.
constexpr std::uint32_t pixels_per_unit = 256;

/// Quanta of the second stage: 1 for a tile with few edge pixels, up to what a tile of the largest
/// side can have, cut to what the runtime takes.
std::uint32_t voting_cost(std::uint32_t edge_pixels) {
  constexpr std::uint32_t most = 65536;
  return std::min(1 + edge_pixels / pixels_per_unit, most);
}

void prepare(const grey16& picture, std::size_t tiles, edge_result& result) {
  if (result.edges.width() != picture.width() || result.edges.height() != picture.height()) {
    result.edges = grey8{picture.width(), picture.height()};
    result.space = line_space{picture.width(), picture.height()};
  }
  result.space.clear();
  result.edge_pixels.assign(tiles, 0);
}

void pick_lines(const edge_settings& settings, edge_result& result) {
  result.lines =
      strongest_lines(result.space, result.edges.width(), result.edges.height(), settings.lines);
}

/// What the tasks of one run do.
struct stages {
  stages(const grey16& from, const edge_settings& how, edge_result& into)
      : picture{from},
        settings{how},
        result{into},
        tiles{cut_into_tiles(from.width(), from.height(), how.tile)} {
    prepare(picture, tiles.size(), result);
  }

  void find_edges(std::size_t index) {
    result.edge_pixels[index] = sobel_tile(picture, tiles[index], settings.threshold, result.edges);
  }

  /// After the first stage.
  void list_voting() {
    for (std::size_t index = 0; index < tiles.size(); ++index) {
      if (result.edge_pixels[index] != 0) voting.push_back(index);
    }
  }

  void vote(std::size_t index) {
    thread_local voting_scratch scratch;
    vote_tile_concurrently(result.edges, tiles[index], settings.threshold, result.space, locks,
                           scratch);
  }

  const grey16& picture;
  const edge_settings& settings;
  edge_result& result;
  std::vector<pixel_rectangle> tiles;
  std::vector<std::size_t> voting;  // the tiles that have edge pixels
  line_locks locks;
};

}  // namespace

void detect_edges_serially(const grey16& picture, const edge_settings& settings,
                           edge_result& result) {
  const auto tiles = cut_into_tiles(picture.width(), picture.height(), settings.tile);
  prepare(picture, tiles.size(), result);
  for (std::size_t index = 0; index < tiles.size(); ++index) {
    result.edge_pixels[index] = sobel_tile(picture, tiles[index], settings.threshold, result.edges);
  }
  voting_scratch scratch;
  for (std::size_t index = 0; index < tiles.size(); ++index) {
    if (result.edge_pixels[index] != 0) {
      vote_tile(result.edges, tiles[index], settings.threshold, result.space, scratch);
    }
  }
  pick_lines(settings, result);
}

std::size_t detect_edges(runtime& workers, const grey16& picture, const edge_settings& settings,
                         edge_result& result) {
  stages work{picture, settings, result};
  workers.run([&] {
    std::optional<trace_region> phase(std::in_place, "edges");
    task_group sobel;
    // A worker begins with the newest: so the tiles come in the order of memory, which is what
    // processors fetch ahead.
    for (std::size_t index = work.tiles.size(); index-- > 0;) {
      sobel.spawn([&, index] { work.find_edges(index); },
                  hints(settings.where, index, workers, 1, "sobel"));
    }
    sobel.wait();
    work.list_voting();
    trace_counter("tiles that vote", static_cast<double>(work.voting.size()));
    phase.emplace("votes");
    task_group votes;
    for (std::size_t left = work.voting.size(); left-- > 0;) {
      const std::size_t index = work.voting[left];
      votes.spawn(
          [&, index] { work.vote(index); },
          hints(settings.where, index, workers, voting_cost(result.edge_pixels[index]), "vote"));
    }
    votes.wait();
  });
  pick_lines(settings, result);
  return work.tiles.size() + work.voting.size();
}

std::size_t detect_edges_by(const task_loop& loop, const grey16& picture,
                            const edge_settings& settings, edge_result& result) {
  stages work{picture, settings, result};
  loop(work.tiles.size(), [&](std::size_t index) { work.find_edges(index); });
  work.list_voting();
  loop(work.voting.size(), [&](std::size_t k) { work.vote(work.voting[k]); });
  pick_lines(settings, result);
  return work.tiles.size() + work.voting.size();
}

}  // namespace evencube::workloads
