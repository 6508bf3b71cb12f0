#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace evencube::workloads {

/// A square matrix, stored row by row.
class square_matrix {
 public:
  square_matrix() = default;
  explicit square_matrix(std::size_t order) : order_{order}, entries_(order * order) {}

  [[nodiscard]] std::size_t order() const noexcept { return order_; }
  [[nodiscard]] std::span<double> entries() noexcept { return entries_; }
  [[nodiscard]] std::span<const double> entries() const noexcept { return entries_; }
  [[nodiscard]] double* row(std::size_t index) noexcept { return entries_.data() + index * order_; }
  [[nodiscard]] const double* row(std::size_t index) const noexcept {
    return entries_.data() + index * order_;
  }

  friend bool operator==(const square_matrix&, const square_matrix&) = default;

 private:
  std::size_t order_ = 0;
  std::vector<double> entries_;
};

/// Makes a matrix of random entries in [-1, 1). Each entry depends only on the seed and its
/// position.
[[nodiscard]] square_matrix random_matrix(std::size_t order, std::uint64_t seed);

/// Rows [first_row, last_row) and columns [first_column, last_column) of a product.
struct matrix_tile {
  std::size_t first_row;
  std::size_t last_row;
  std::size_t first_column;
  std::size_t last_column;
};

/// Cuts an order x order matrix into tiles with sides of `side` >= 1, row by row.
[[nodiscard]] std::vector<matrix_tile> cut_into_tiles(std::size_t order, std::size_t side);

/// The product C = A B of blocks of larger matrices. A stride counts entries from one row to the
/// next.
struct product_block {
  std::size_t rows;
  std::size_t columns;
  std::size_t depth;
  const double* a;
  std::size_t a_stride;
  const double* b;
  std::size_t b_stride;
  double* c;
  std::size_t c_stride;
};

/// Multiplies matrices on the calling thread. Several threads may multiply simultaneously.
class multiply_kernel {
 public:
  multiply_kernel() = default;
  multiply_kernel(const multiply_kernel&) = delete;
  multiply_kernel& operator=(const multiply_kernel&) = delete;
  virtual ~multiply_kernel() = default;

  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  /// Call this before up to `threads` threads call multiply() simultaneously. Throws std::bad_alloc
  /// if there is not enough memory for the kernel's own buffers.
  virtual void prepare(unsigned threads) { static_cast<void>(threads); }
  virtual void multiply(const product_block& block) const = 0;

  /// Computes one tile of C from whole rows of A and whole columns of B.
  void multiply(const square_matrix& a, const square_matrix& b, const matrix_tile& tile,
                square_matrix& c) const {
    multiply({tile.last_row - tile.first_row, tile.last_column - tile.first_column, a.order(),
              a.row(tile.first_row), a.order(), b.row(0) + tile.first_column, b.order(),
              c.row(tile.first_row) + tile.first_column, c.order()});
  }
};

/// The names of the kernels in this build: always `portable`, and `blas` if a BLAS library was
/// found at configure time.
[[nodiscard]] std::vector<std::string_view> multiply_kernels();

/// Makes a kernel; `auto` means `blas` if this build has it, otherwise `portable`. While a `blas`
/// kernel exists, OpenBLAS uses only the calling thread, because more threads would take processors
/// from the workers. For an unknown name, throws std::invalid_argument, whose message lists the
/// known kernels. Throws std::runtime_error if a kernel's library cannot be loaded.
[[nodiscard]] std::unique_ptr<multiply_kernel> make_multiply_kernel(std::string_view name);

/// The error of a computed product, and its bound.
struct product_check {
  double error;
  double bound;

  /// Returns true if the error is within the bound; false if it is NaN.
  [[nodiscard]] bool passed() const noexcept { return error <= bound; }
};

/// The largest order for which check_every_entry is used.
inline constexpr std::size_t largest_full_check = 512;

/// Compares C entry by entry with a product S that the function computes by a plain triple loop.
///
/// Any order of summation, with or without fused operations, gives |C - AB| <= g |A||B| entry by
/// entry, with g = n u / (1 - n u) and u = 2^-53 (Higham, Accuracy and Stability of Numerical
/// Algorithms, 2nd ed., section 3.5, (3.13)). Both products are within this bound of AB, and no
/// entry of |A||B| exceeds n max|A| max|B|, so
///     max|C - S| <= 2 g n max|A| max|B|:
/// the norm-wise bound c n eps max|A| max|B| with c = n / (1 - n u), because eps = 2 u.
/// Time O(n^3).
[[nodiscard]] product_check check_every_entry(const square_matrix& a, const square_matrix& b,
                                              const square_matrix& c);

/// Compares C x with A (B x) for a random vector x of -1 and +1 from the seed (Freivalds, IFIP
/// 1977). Returns the error and the bound of the row where the error is largest relative to its
/// bound.
///
/// With y = B x, each of C, C x, y and A y is computed to within g |.||.| as above. So, to first
/// order, |C x - A y| <= 4 g |A||B||x| in each row. To cover second-order terms, g for 4 n
/// operations replaces 4 times g for n operations. A wrong entry goes undetected only if errors in
/// several entries of its row cancel. For a random x, the probability of this is at most 1/2 per
/// row, so `rounds` vectors are tried. Time O(rounds n^2).
[[nodiscard]] product_check check_by_vectors(const square_matrix& a, const square_matrix& b,
                                             const square_matrix& c, std::uint64_t seed,
                                             unsigned rounds);

}  // namespace evencube::workloads
