// Eigen's tensors on a runtime: the same bits as on Eigen's own pool of as many threads.
#define EIGEN_USE_THREADS
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <evencube/evencube.hpp>
#include <evencube/interop/eigen.hpp>
#include <unsupported/Eigen/CXX11/Tensor>
#include <vector>

namespace evencube {
namespace {

template <typename T, int Rank, typename... Sizes>
Eigen::Tensor<T, Rank> filled(Sizes... sizes) {
  Eigen::Tensor<T, Rank> all(sizes...);
  std::uint32_t state = 4711;
  for (Eigen::Index i = 0; i < all.size(); ++i) {
    state = state * 1664525U + 1013904223U;
    all.data()[i] = static_cast<T>(state >> 8U) / static_cast<T>(1 << 23) - T(1);
  }
  return all;
}

template <typename Tensor>
std::vector<typename Tensor::Scalar> values(const Tensor& of) {
  return {of.data(), of.data() + of.size()};
}

using index_pair = Eigen::IndexPair<Eigen::Index>;

/// Products of matrices of shapes that Eigen divides in different ways, a product over two
/// dimensions, and an expression without one.
template <typename T>
std::vector<std::vector<T>> results(const Eigen::ThreadPoolDevice& device) {
  std::vector<std::vector<T>> all;
  const std::array<std::array<Eigen::Index, 3>, 4> shapes{
      {{300, 200, 250}, {20, 5000, 30}, {1, 900, 700}, {700, 3, 600}}};
  for (const auto& [rows, inner, columns] : shapes) {
    const auto a = filled<T, 2>(rows, inner);
    const auto b = filled<T, 2>(inner, columns);
    Eigen::Tensor<T, 2> c(rows, columns);
    c.device(device) = a.contract(b, Eigen::array<index_pair, 1>{index_pair(1, 0)});
    all.push_back(values(c));
  }
  const auto a = filled<T, 3>(30, 40, 50);
  const auto b = filled<T, 3>(40, 50, 60);
  Eigen::Tensor<T, 2> c(30, 60);
  c.device(device) = a.contract(b, Eigen::array<index_pair, 2>{index_pair(1, 0), index_pair(2, 1)});
  all.push_back(values(c));
  Eigen::Tensor<T, 3> d(50, 40, 30);
  d.device(device) = (a * a + a.constant(T(2))).shuffle(Eigen::array<int, 3>{2, 1, 0}).exp();
  all.push_back(values(d));
  return all;
}

template <typename T>
std::vector<std::vector<T>> on_its_own_pool(int threads) {
  Eigen::ThreadPool pool(threads);
  return results<T>(Eigen::ThreadPoolDevice(&pool, threads));
}

class eigen_tensors : public testing::TestWithParam<unsigned> {
 protected:
  runtime rt_{runtime_options{.workers = GetParam(), .spare_workers = 1, .pin_to = pinning::none}};
  eigen_pool pool_{rt_};
  Eigen::ThreadPoolDevice device_{&pool_, static_cast<int>(GetParam())};
};

TEST_P(eigen_tensors, are_the_same_as_with_its_own_threads) {
  const int threads = static_cast<int>(GetParam());
  const auto floats = on_its_own_pool<float>(threads);
  const auto doubles = on_its_own_pool<double>(threads);
  for (int n = 0; n < 3; ++n) {
    EXPECT_EQ(results<float>(device_), floats);
    EXPECT_EQ(results<double>(device_), doubles);
  }
}

TEST_P(eigen_tensors, may_be_assigned_in_a_task_that_lends_its_place) {
  const auto expected = on_its_own_pool<float>(static_cast<int>(GetParam()));
  rt_.run([&] { blocking([&] { EXPECT_EQ(results<float>(device_), expected); }); });
}

INSTANTIATE_TEST_SUITE_P(on, eigen_tensors, testing::Values(1, 2, 3, 8));

}  // namespace
}  // namespace evencube
