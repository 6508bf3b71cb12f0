// Eigen's tensors on EvenCube: a product of matrices by Eigen's own pool of threads and by a
// runtime's workers, in turn; equal, and how long each took.
#define EIGEN_USE_THREADS
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string_view>

#include <unsupported/Eigen/CXX11/Tensor>

#include <evencube/evencube.hpp>
#include <evencube/interop/eigen.hpp>

namespace {

using matrix = Eigen::Tensor<float, 2>;

matrix filled(Eigen::Index side, float step) {
  matrix all(side, side);
  for (Eigen::Index i = 0; i < all.size(); ++i)
    all.data()[i] = static_cast<float>(i % 1013) * step - 0.5F;
  return all;
}

double milliseconds(const Eigen::ThreadPoolDevice& device, const matrix& a, const matrix& b,
                    matrix& product) {
  const auto begin = std::chrono::steady_clock::now();
  product.device(device) =
      a.contract(b, Eigen::array<Eigen::IndexPair<int>, 1>{Eigen::IndexPair<int>(1, 0)});
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

}  // namespace

int main(int argc, char** argv) {
  const bool tiny = argc > 1 && std::string_view(argv[1]) == "--tiny";
  const Eigen::Index side = tiny ? 200 : 1200;
  const matrix a = filled(side, 0.001F);
  const matrix b = filled(side, 0.0007F);
  matrix expected(side, side);
  matrix product(side, side);

  evencube::runtime rt;
  const int workers = static_cast<int>(rt.workers());
  Eigen::ThreadPool its_own(workers);
  const Eigen::ThreadPoolDevice own(&its_own, workers);
  evencube::eigen_pool pool(rt);
  const Eigen::ThreadPoolDevice ours(&pool, workers);

  std::array<double, 7> own_times{};
  std::array<double, 7> our_times{};
  for (std::size_t n = 0; n < own_times.size(); ++n) {
    own_times[n] = milliseconds(own, a, b, expected);
    our_times[n] = milliseconds(ours, a, b, product);
    if (std::memcmp(product.data(), expected.data(),
                    static_cast<std::size_t>(product.size()) * sizeof(float)) != 0) {
      std::puts("the products differ");
      return 1;
    }
  }
  std::sort(own_times.begin(), own_times.end());
  std::sort(our_times.begin(), our_times.end());
  std::printf("the same bits; medians of 7: Eigen's own pool %.2f ms, EvenCube %.2f ms\n",
              own_times[3], our_times[3]);
}
