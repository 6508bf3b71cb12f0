#include "carried_edges.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <evencube/evencube.hpp>
#include <evencube/workloads/sobel.hpp>

#include "packed.hpp"

namespace evencube::workloads {
namespace {

/// What an argument begins with.
struct carried_head {
  std::uint64_t index;
  std::uint32_t whole;  ///< 1: a picture; 0: a tile.
  std::uint32_t width;  ///< Of the pixels that follow.
  std::uint32_t height;
  pixel_rectangle tile;   ///< Among them.
  pixel_rectangle place;  ///< In the picture.
};

/// What a result begins with.
struct result_head {
  std::uint64_t index;
  std::uint64_t tasks;
  std::uint32_t width;
  std::uint32_t height;
  std::uint32_t edge_pixels;  ///< Of a tile; of a picture: how many tiles have an entry.
  std::uint32_t lines;
};

/// The part of a picture that a tile's edges depend on. Where it ends the picture does, or the
/// tile is a pixel away.
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

/// By tasks of the runtime, where this is one.
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
  out.put_all(made.edges.samples());
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

}  // namespace

std::unique_ptr<carried_function> make_carried_edges(const edge_settings& settings) {
  return std::make_unique<carried_edges>(settings);
}

carried_task carried_tile(const grey16& picture, const pixel_rectangle& tile, std::size_t index) {
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

carried_task carried_picture(const grey16& picture, std::size_t index, std::uint32_t cost) {
  const pixel_rectangle all{0, 0, picture.width(), picture.height()};
  packer out{sizeof(carried_head) + picture.samples().size_bytes()};
  out.put(carried_head{index, 1, picture.width(), picture.height(), all, all});
  out.put_all(picture.samples());
  return {out.take(), cost};
}

picture_taken take_picture(std::span<const std::byte> result) {
  unpacker in{result};
  const auto head = in.get<result_head>();
  picture_taken taken{head.index, {}, head.tasks};
  edge_result& made = taken.result;
  made.edges = grey8{head.width, head.height};
  for (std::uint32_t y = 0; y < head.height; ++y) in.get_all(made.edges.row(y));
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

}  // namespace evencube::workloads
