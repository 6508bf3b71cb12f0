#include <algorithm>
#include <bit>
#include <cstdio>
#include <string>
#include <utility>

#include <evencube/algorithms.hpp>
#include <evencube/workloads/bucket_sort.hpp>
#include <evencube/workloads/output_file.hpp>

#include "byte_stream.hpp"
#include "staged_workload.hpp"
#include "workloads.hpp"

namespace evencube::workloads {
namespace {

constexpr std::string_view sort_name = "sort";

/// Items to move, or comparisons, in a quantum of work: some microseconds.
constexpr std::uint64_t items_per_quantum = 4096;
constexpr std::uint64_t comparisons_per_quantum = 4096;

std::string text_of(const sort_record& record) {
  char text[48];
  std::snprintf(text, sizeof text, "%llu %llu", static_cast<unsigned long long>(record.key),
                static_cast<unsigned long long>(record.value));
  return text;
}

std::string_view text_of(std::string_view line) { return line; }

/// Sorts items. Blocks of items go into buckets by the items' first byte; then each bucket is
/// sorted by itself, the larger buckets by several workers.
template <typename Item>
class sort_program {
 public:
  struct result {
    std::vector<bucket_places> blocks;
    std::vector<Item> items;
  };

  /// `text` holds the characters of lines that are views; null if there are none.
  sort_program(std::vector<Item> items, std::shared_ptr<const std::string> text, std::size_t block)
      : items_{std::move(items)}, text_{std::move(text)}, block_{block} {
    for (const Item& item : items_) content_ += fingerprint(item);
  }

  [[nodiscard]] std::uint64_t expected_tasks() const { return 2 * blocks() + sort_buckets; }

  [[nodiscard]] result blank() const {
    return {std::vector<bucket_places>(blocks()), std::vector<Item>(items_.size())};
  }

  void compute(result& made, stages& by) const {
    const auto even = [&](std::size_t) { return quanta(block_, items_per_quantum); };
    by(blocks(), [&](std::size_t index) { count_block(block(index), made.blocks[index]); }, even);
    const auto begins = place_blocks(made.blocks);
    by(
        blocks(),
        [&](std::size_t index) { scatter_block(block(index), made.blocks[index], made.items); },
        even);
    by(
        sort_buckets,
        [&](std::size_t bucket) {
          const auto at = [&](std::size_t index) {
            return made.items.begin() + static_cast<std::ptrdiff_t>(begins[index]);
          };
          // One worker sorts a bucket that is a small part of a worker's share, because sorting it
          // in parts takes longer in all.
          const std::size_t count = begins[bucket + 1] - begins[bucket];
          if (by.in_tasks() && count > items_.size() / (8 * this_task::workers())) {
            parallel_sort(at(bucket), at(bucket + 1));
          } else {
            std::sort(at(bucket), at(bucket + 1));
          }
        },
        [&](std::size_t bucket) {
          const auto count = begins[bucket + 1] - begins[bucket];
          // The standard says int since 2023; older libraries return the type of the argument.
          return quanta(count * static_cast<std::size_t>(std::bit_width(count)),
                        comparisons_per_quantum);
        });
  }

  [[nodiscard]] verification check(const result& serial, const result& parallel) const {
    const auto& sorted = parallel.items;
    const auto wrong = std::ranges::is_sorted_until(sorted);
    if (wrong != sorted.end()) {
      return {false,
              "item " + std::to_string(wrong - sorted.begin()) + " is less than the one before it"};
    }
    std::uint64_t content = 0;
    for (const Item& item : sorted) content += fingerprint(item);
    if (content != content_) return {false, "the sorted items are not those of the input"};
    if (sorted != serial.items) return {false, "the items differ from the serial twin's"};
    return {true, std::to_string(sorted.size()) +
                      " items in order, with the input's content, and equal to the serial twin's"};
  }

  void write(const result& done, const std::filesystem::path& file) const {
    replace_file(file, [&](const byte_sink& to) {
      std::string text;
      for (const Item& item : done.items) {
        text.append(text_of(item)).push_back('\n');
        if (text.size() > 60000) {
          to(bytes_of(text));
          text.clear();
        }
      }
      to(bytes_of(text));
    });
  }

 private:
  [[nodiscard]] std::size_t blocks() const { return (items_.size() + block_ - 1) / block_; }

  [[nodiscard]] std::span<const Item> block(std::size_t index) const {
    const auto begin = index * block_;
    return std::span{items_}.subspan(begin, std::min(block_, items_.size() - begin));
  }

  std::vector<Item> items_;
  std::shared_ptr<const std::string> text_;
  std::size_t block_;
  std::uint64_t content_ = 0;
};

std::unique_ptr<workload> make_sort(const option_values& options) {
  const auto block = options.whole("tile");
  if (const auto input = options.file("input")) {
    if (options.given("size") || options.given("seed")) {
      throw std::invalid_argument{
          "--size and --seed apply to the generated records only and cannot be combined with "
          "--input"};
    }
    const auto text = std::make_shared<const std::string>(read_text(*input));
    return make_staged(sort_name, options,
                       sort_program<std::string_view>{lines_of(*text), text, block});
  }
  return make_staged(
      sort_name, options,
      sort_program<sort_record>{make_records(options.whole("size"), options.whole("seed")), nullptr,
                                block});
}

}  // namespace

workload_entry sort_entry() {
  return {std::string{sort_name},
          "records or lines in order: into buckets of very different size, the large ones sorted "
          "in parallel",
          "the sorted lines or records as text",
          {{"size", "number of generated records", whole_option{4'000'000, 1, 1'000'000'000}},
           {"tile", "items that one task puts into buckets", whole_option{16384, 1, 1'000'000}},
           {"input", "a text whose lines are sorted by their bytes", file_option{}},
           seed_option()},
          make_sort};
}

}  // namespace evencube::workloads
