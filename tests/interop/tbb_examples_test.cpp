// What the public examples of oneTBB do with it, on a small scale. Each is compared with plain
// code.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "either_tbb.hpp"

namespace {

// ---------------------------------------------------------- primes: a reduction by a body of its
// own

bool is_prime(int n) {
  for (int d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return n > 1;
}

struct prime_count {
  prime_count() = default;
  prime_count(const prime_count&, tbb::split) {}
  void operator()(const tbb::blocked_range<int>& range) {
    for (int n = range.begin(); n != range.end(); ++n) found += is_prime(n) ? 1 : 0;
  }
  void join(const prime_count& other) { found += other.found; }

  int found = 0;
};

TEST(examples, primes_are_counted) {
  prime_count count;
  tbb::parallel_reduce(tbb::blocked_range<int>(0, 20000, 100), count);
  EXPECT_EQ(count.found, 2262);
  prime_count again;
  tbb::parallel_reduce(tbb::blocked_range<int>(0, 20000), again, tbb::simple_partitioner());
  EXPECT_EQ(again.found, 2262);
}

// -------------------------------------------- seismic: frames over rows, with an
// affinity_partitioner

struct seismic_field {
  static constexpr int width = 96;
  static constexpr int height = 80;

  seismic_field()
      : stress_x(width * height, 0.0F), stress_y(stress_x), velocity(stress_x), material(stress_x) {
    for (int i = 0; i < width * height; ++i) material[at(i)] = i % 5 == 0 ? 0.2F : 0.12F;
    velocity[at(40 * width + 30)] = 1.0F;
  }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void update_stress(int first, int last) {
    for (int y = first; y < last; ++y) {
      for (int x = 0; x + 1 < width; ++x) {
        const int i = y * width + x;
        stress_x[at(i)] += material[at(i)] * (velocity[at(i + 1)] - velocity[at(i)]);
        if (y + 1 < height) {
          stress_y[at(i)] += material[at(i)] * (velocity[at(i + width)] - velocity[at(i)]);
        }
      }
    }
  }
  void update_velocity(int first, int last) {
    for (int y = std::max(first, 1); y < last; ++y) {
      for (int x = 1; x < width; ++x) {
        const int i = y * width + x;
        velocity[at(i)] = 0.999F * (velocity[at(i)] + stress_x[at(i)] - stress_x[at(i - 1)] +
                                    stress_y[at(i)] - stress_y[at(i - width)]);
      }
    }
  }

  std::vector<float> stress_x, stress_y, velocity, material;
};

TEST(examples, seismic_waves_spread) {
  seismic_field plain;
  seismic_field parallel;
  tbb::affinity_partitioner affinity;
  for (int frame = 0; frame < 30; ++frame) {
    plain.update_stress(0, seismic_field::height);
    plain.update_velocity(0, seismic_field::height);
    const tbb::blocked_range<int> rows(0, seismic_field::height);
    tbb::parallel_for(
        rows, [&](const auto& r) { parallel.update_stress(r.begin(), r.end()); }, affinity);
    tbb::parallel_for(
        rows, [&](const auto& r) { parallel.update_velocity(r.begin(), r.end()); }, affinity);
  }
  EXPECT_EQ(plain.velocity, parallel.velocity);  // the same operations in the same order
}

// --------------------------------------------------------------- game of life: cells in any
// division

using board = std::vector<char>;
constexpr int side = 60;

board next_generation(const board& now, int first, int last, board next) {
  for (int cell = first; cell < last; ++cell) {
    const int row = cell / side;
    const int column = cell % side;
    int neighbours = 0;
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        if (dx == 0 && dy == 0) continue;
        const int y = (row + dy + side) % side;
        const int x = (column + dx + side) % side;
        neighbours += now[static_cast<std::size_t>(y * side + x)];
      }
    }
    next[static_cast<std::size_t>(cell)] =
        neighbours == 3 || (neighbours == 2 && now[static_cast<std::size_t>(cell)] != 0) ? 1 : 0;
  }
  return next;
}

TEST(examples, cells_live_and_die) {
  board plain(side * side, 0);
  for (int cell = 0; cell < side * side; ++cell) {
    plain[static_cast<std::size_t>(cell)] = cell * 7919 % 11 < 4 ? 1 : 0;
  }
  board parallel = plain;
  for (int generation = 0; generation < 10; ++generation) {
    plain = next_generation(plain, 0, side * side, plain);
    board next(parallel.size());
    tbb::parallel_for(tbb::blocked_range<int>(0, side * side, 50), [&](const auto& r) {
      const board mine = next_generation(parallel, r.begin(), r.end(), board(parallel.size()));
      std::copy(mine.begin() + r.begin(), mine.begin() + r.end(), next.begin() + r.begin());
    });
    parallel = std::move(next);
    ASSERT_EQ(plain, parallel);
  }
}

// -------------------------------------- sub_string_finder: of each position the longest match
// elsewhere

TEST(examples, matching_strings_are_found) {
  std::string text("a");
  std::string before("b");
  for (int i = 0; i < 9; ++i) text = std::exchange(before, before + text);
  const auto longest = [&](std::size_t i) {
    std::size_t best = 0;
    for (std::size_t j = 0; j < text.size(); ++j) {
      if (j == i) continue;
      const std::size_t limit = text.size() - std::max(i, j);
      std::size_t k = 0;
      while (k < limit && text[i + k] == text[j + k]) ++k;
      best = std::max(best, k);
    }
    return best;
  };
  std::vector<std::size_t> plain(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) plain[i] = longest(i);
  std::vector<std::size_t> parallel(text.size());
  tbb::parallel_for(std::size_t{0}, text.size(), [&](std::size_t i) { parallel[i] = longest(i); });
  EXPECT_EQ(plain, parallel);
}

// -------------------------- parallel_preorder: a graph from its roots, a node when all before it
// are done

TEST(examples, graphs_are_walked_in_preorder) {
  struct cell {
    std::vector<std::size_t> after;
    std::atomic<int> missing{0};
    long value = 1;
    std::atomic<int> visits{0};
  };
  std::vector<cell> cells(2000);
  const auto before = [](std::size_t i) { return std::vector<std::size_t>{i / 2, i * 5 / 7}; };
  std::vector<long> plain(cells.size(), 1);
  for (std::size_t i = 10; i < cells.size(); ++i) {
    for (const std::size_t b : before(i)) {
      cells[b].after.push_back(i);
      ++cells[i].missing;
      plain[i] = (plain[i] + plain[b]) % 1000003;
    }
  }
  const std::vector<std::size_t> roots{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  tbb::parallel_for_each(roots.begin(), roots.end(),
                         [&](std::size_t i, tbb::feeder<std::size_t>& feed) {
                           ++cells[i].visits;
                           if (i >= 10) {
                             for (const std::size_t b : before(i)) {
                               cells[i].value = (cells[i].value + cells[b].value) % 1000003;
                             }
                           }
                           for (const std::size_t next : cells[i].after) {
                             if (--cells[next].missing == 0) feed.add(next);
                           }
                         });
  for (std::size_t i = 0; i < cells.size(); ++i) {
    ASSERT_EQ(cells[i].visits, 1);
    ASSERT_EQ(cells[i].value, plain[i]);
  }
}

// ------------------------------------------- fractal: two pictures at once, in blocks of two
// dimensions

std::vector<int> mandelbrot(double centre, bool in_parallel) {
  constexpr int size = 48;
  std::vector<int> picture(size * size);
  const auto draw = [&](int first_row, int last_row, int first_column, int last_column) {
    for (int y = first_row; y < last_row; ++y) {
      for (int x = first_column; x < last_column; ++x) {
        const std::complex<double> c(centre + 3.0 * x / size, -1.5 + 3.0 * y / size);
        std::complex<double> z = 0;
        int steps = 0;
        while (steps < 200 && std::norm(z) < 4.0) {
          z = z * z + c;
          ++steps;
        }
        picture[static_cast<std::size_t>(y * size + x)] = steps;
      }
    }
  };
  if (in_parallel) {
    tbb::parallel_for(
        tbb::blocked_range2d<int>(0, size, 6, 0, size, 6),
        [&](const tbb::blocked_range2d<int>& r) {
          draw(r.rows().begin(), r.rows().end(), r.cols().begin(), r.cols().end());
        },
        tbb::simple_partitioner());
  } else {
    draw(0, size, 0, size);
  }
  return picture;
}

TEST(examples, two_fractals_are_drawn_by_a_group) {
  tbb::task_arena arena(2);
  std::vector<int> one;
  std::vector<int> other;
  arena.execute([&] {
    tbb::task_group group;
    group.run([&] { one = mandelbrot(-2.0, true); });
    group.run([&] { other = mandelbrot(-1.5, true); });
    group.wait();
  });
  EXPECT_EQ(one, mandelbrot(-2.0, false));
  EXPECT_EQ(other, mandelbrot(-1.5, false));
}

}  // namespace
