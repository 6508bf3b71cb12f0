#include <algorithm>
#include <stdexcept>

#include <evencube/workloads/matrix.hpp>

#include "random_bits.hpp"

namespace evencube::workloads {

square_matrix random_matrix(std::size_t order, std::uint64_t seed) {
  square_matrix matrix{order};
  const auto stream = mix_bits(seed);
  std::uint64_t place = 0;
  for (auto& entry : matrix.entries()) {
    // 53 bits fill a double's significand: the quotient and the difference are exact.
    const auto bits = mix_bits(stream + place++) >> 11;
    entry = static_cast<double>(bits) * 0x1p-52 - 1.0;
  }
  return matrix;
}

std::vector<matrix_tile> cut_into_tiles(std::size_t order, std::size_t side) {
  if (side == 0) {
    throw std::invalid_argument{"tile side 0: at least 1 row is needed"};
  }
  std::vector<matrix_tile> tiles;
  for (std::size_t row = 0; row < order; row += std::min(side, order - row)) {
    for (std::size_t column = 0; column < order; column += std::min(side, order - column)) {
      tiles.push_back({row, row + std::min(side, order - row), column,
                       column + std::min(side, order - column)});
    }
  }
  return tiles;
}

}  // namespace evencube::workloads
