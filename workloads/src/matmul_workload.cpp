#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include <evencube/evencube.hpp>

#include "packed.hpp"
#include "spawning.hpp"
#include "workloads.hpp"

namespace evencube::workloads {
namespace {

constexpr std::string_view matmul_name = "matmul";
constexpr std::uint64_t check_seed = 0x5eed;
constexpr unsigned check_rounds = 4;

/// A tile of the product: what a task carries is this, its rows of A and its columns of B, and what
/// comes back is this and its entries.
struct carried_tile {
  std::uint64_t index;
  std::uint64_t rows;
  std::uint64_t columns;
  std::uint64_t depth;
};

class carried_product final : public carried_function {
 public:
  carried_product(std::unique_ptr<multiply_kernel> kernel, unsigned threads)
      : kernel_{std::move(kernel)} {
    kernel_->prepare(threads);
  }

  [[nodiscard]] outcome run(std::span<const std::byte> argument) const override {
    unpacker in{argument};
    const auto tile = in.get<carried_tile>();
    std::vector<double> a(tile.rows * tile.depth);
    std::vector<double> b(tile.depth * tile.columns);
    std::vector<double> c(tile.rows * tile.columns);
    in.get_all(std::span{a});
    in.get_all(std::span{b});
    kernel_->multiply({tile.rows, tile.columns, tile.depth, a.data(), tile.depth, b.data(),
                       tile.columns, c.data(), tile.columns});
    packer out{sizeof tile + c.size() * sizeof(double)};
    out.put(tile);
    out.put_all(std::span<const double>{c});
    return {out.take(), {}};
  }

 private:
  std::unique_ptr<multiply_kernel> kernel_;
};

class matmul_workload final : public workload {
 public:
  matmul_workload(std::size_t order, std::size_t tile, std::uint64_t seed,
                  std::unique_ptr<multiply_kernel> kernel, placement where)
      : kernel_{std::move(kernel)},
        where_{where},
        a_{random_matrix(order, 2 * seed)},
        b_{random_matrix(order, 2 * seed + 1)},
        serial_{order},
        parallel_{order},
        tiles_{cut_into_tiles(order, tile)} {}

  [[nodiscard]] std::string_view name() const noexcept override { return matmul_name; }

  void run_serial() override {
    kernel_->prepare(1);
    for (const auto& tile : tiles_) kernel_->multiply(a_, b_, tile, serial_);
  }

  void reset() override {
    std::ranges::fill(parallel_.entries(), std::numeric_limits<double>::quiet_NaN());
    ran_ = false;
  }

  void run(runtime& workers) override {
    kernel_->prepare(static_cast<unsigned>(workers.workers()));
    workers.run([&] {
      task_group group;
      for (std::size_t index = 0; index < tiles_.size(); ++index) {
        group.spawn([this, index] { multiply(index); }, hints(where_, index, workers, 1, "tile"));
      }
      group.wait();
    });
    ran_ = true;
  }

  void run_by(const task_loop& loop, unsigned threads) override {
    kernel_->prepare(threads);
    loop(tiles_.size(), [this](std::size_t index) { multiply(index); });
    ran_ = true;
  }

  [[nodiscard]] std::unique_ptr<carried_run> run_carried() override {
    ran_ = false;
    return std::make_unique<numbered_run>(
        std::vector{tiles_.size()},
        [this](const carried_part& part) { return carried(part.index); },
        [this](std::span<const std::byte> result) { take(result); }, [this] { ran_ = true; });
  }

  [[nodiscard]] std::string problem() const override {
    return "matrices of order " + std::to_string(a_.order());
  }

  [[nodiscard]] std::uint64_t tasks() const noexcept override { return tiles_.size(); }

  [[nodiscard]] verification verify() const override {
    if (!ran_) throw std::logic_error{"nothing to check: run() comes first"};
    return check_product(a_, b_, parallel_);
  }

 private:
  [[nodiscard]] carried_task carried(std::size_t index) const {
    const auto& tile = tiles_[index];
    const carried_tile head{index, tile.last_row - tile.first_row,
                            tile.last_column - tile.first_column, a_.order()};
    packer out{sizeof head + (head.rows + head.columns) * head.depth * sizeof(double)};
    out.put(head);
    out.put_all(std::span<const double>{a_.row(tile.first_row), head.rows * head.depth});
    for (std::size_t k = 0; k < head.depth; ++k) {
      out.put_all(std::span<const double>{b_.row(k) + tile.first_column, head.columns});
    }
    return {out.take()};
  }

  void take(std::span<const std::byte> result) {
    unpacker in{result};
    const auto head = in.get<carried_tile>();
    const auto& tile = tiles_.at(head.index);
    for (auto row = tile.first_row; row < tile.last_row; ++row) {
      in.get_all(
          std::span{parallel_.row(row) + tile.first_column, tile.last_column - tile.first_column});
    }
  }

  void multiply(std::size_t index) { kernel_->multiply(a_, b_, tiles_[index], parallel_); }

  std::unique_ptr<multiply_kernel> kernel_;
  placement where_;
  square_matrix a_;
  square_matrix b_;
  square_matrix serial_;
  square_matrix parallel_;
  std::vector<matrix_tile> tiles_;
  bool ran_ = false;
};

std::string describe(const char* what, const product_check& check) {
  char text[160];
  std::snprintf(text, sizeof text, "%s: largest error %.3g, bound %.3g", what, check.error,
                check.bound);
  return text;
}

}  // namespace

verification check_product(const square_matrix& a, const square_matrix& b, const square_matrix& c) {
  const bool full = a.order() <= largest_full_check;
  const auto check =
      full ? check_every_entry(a, b, c) : check_by_vectors(a, b, c, check_seed, check_rounds);
  return {check.passed(),
          describe(full ? "every entry against a plain product" : "C x against A (B x)", check)};
}

workload_entry matmul_entry() {
  constexpr std::int64_t most_order = 16384;
  return {std::string{matmul_name},
          "product of two square matrices, a task per tile",
          "",
          {{"size", "order of the matrices", whole_option{1024, 1, most_order}},
           {"tile", "side of the tile that is one task", whole_option{128, 8, 4096}},
           {"kernel", "auto, portable or blas (where it was found)",
            text_option{"auto", {"auto", "portable", "blas"}}},
           seed_option()},
          [](const option_values& options) {
            // The multiplications are the cube of the order.
            const std::uint64_t alone = options.whole("size");
            const double grown = static_cast<double>(alone) * std::cbrt(options.times());
            const std::uint64_t order =
                grown_within(alone, options.times(),
                             static_cast<std::uint64_t>(std::llround(grown)), most_order);
            return std::make_unique<matmul_workload>(
                order, options.whole("tile"), options.whole("seed"),
                make_multiply_kernel(options.text("kernel")), options.where());
          },
          "the order grows with the cube root of the workers, so that each multiplies as much",
          "",
          [](const option_values& options, unsigned threads) -> std::unique_ptr<carried_function> {
            return std::make_unique<carried_product>(make_multiply_kernel(options.text("kernel")),
                                                     threads);
          }};
}

}  // namespace evencube::workloads
