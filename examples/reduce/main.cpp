// Sums in parallel: the fast one, and one whose bits are the same for any number of workers.
#include <cmath>
#include <cstdio>
#include <evencube/algorithms.hpp>
#include <functional>

double term(int i) { return (i % 2 == 0 ? 4.0 : -4.0) / (2.0 * i + 1); }

int main() {
  constexpr int terms = 10'000'000;
  evencube::runtime all;
  evencube::runtime one({.workers = 1});
  const double quick = evencube::parallel_reduce(all, 0, terms, 0.0, term, std::plus<>{});
  const double here =
      evencube::parallel_deterministic_reduce(all, 0, terms, 0.0, term, std::plus<>{});
  const double there =
      evencube::parallel_deterministic_reduce(one, 0, terms, 0.0, term, std::plus<>{});
  std::printf("pi is about %.12f\n", quick);
  std::printf("on %u workers %a, on one %a\n", all.workers(), here, there);
  return std::abs(quick - 3.14159265358979) < 1e-6 && here == there ? 0 : 1;
}
