#pragma once

#include <cmath>
#include <string>

#include <unsupported/Eigen/CXX11/Tensor>

#include "../common/program.hpp"

namespace bench::eigen {

inline const workload about{
    "eigen", "multiplication", {{"side", "512", "48", "of the two matrices"}}};

using matrix = Eigen::Tensor<float, 2>;

inline matrix filled(Eigen::Index side, float step) {
  matrix all(side, side);
  for (Eigen::Index i = 0; i < all.size(); ++i) {
    all.data()[i] = static_cast<float>(i % 1013) * step - 0.5F;
  }
  return all;
}

/// c = a b, on whatever `device` is; one call.
template <typename Device>
void multiply(const Device& device, const matrix& a, const matrix& b, matrix& c) {
  c.device(device) =
      a.contract(b, Eigen::array<Eigen::IndexPair<int>, 1>{Eigen::IndexPair<int>(1, 0)});
}

/// How Eigen divides the sums depends on the number of threads, and so the last digits do.
template <typename Device>
int measure(program& with, const Device& device) {
  const auto side = static_cast<Eigen::Index>(with.number("side"));
  const matrix a = filled(side, 0.001F);
  const matrix b = filled(side, 0.0007F);
  matrix right(side, side);
  multiply(Eigen::DefaultDevice(), a, b, right);
  matrix c(side, side);
  const double multiplications = std::pow(static_cast<double>(side), 3);
  return with.measure({
      .units = multiplications,
      .prepare = [&] { c.setZero(); },
      .run = [&] { return timed([&] { multiply(device, a, b, c); }); },
      .verify =
          [&] {
            for (Eigen::Index i = 0; i < c.size(); ++i) {
              const float near = 1e-3F * (1.0F + std::abs(right.data()[i]));
              if (!(std::abs(c.data()[i] - right.data()[i]) <= near)) {
                return std::string("not the product of serial code");
              }
            }
            return std::string();
          },
  });
}

}  // namespace bench::eigen
