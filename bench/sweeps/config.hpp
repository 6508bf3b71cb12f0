#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../common/program.hpp"

namespace bench::sweeps {

inline const workload about{
    "sweeps",
    "sweep",
    {{"cells", "8192", "512", "numbers, of four bytes each"},
     {"sweeps", "2000", "20", "sweeps over all of them, one after the other"},
     {"blocks", "8", "4", "parts of the numbers, for loops over parts"}}};

/// Jacobi's method on a line: in each sweep a cell becomes a mean of itself and its neighbours.
class line {
 public:
  explicit line(const program& with)
      : sweeps_(with.number("sweeps")),
        blocks_(with.number("blocks")),
        even_(with.number("cells") + 2) {
    begin();
  }

  [[nodiscard]] std::size_t cells() const { return even_.size() - 2; }
  [[nodiscard]] std::size_t sweeps() const { return sweeps_; }
  [[nodiscard]] std::size_t blocks() const { return blocks_; }

  void begin() {
    for (std::size_t i = 0; i < even_.size(); ++i) even_[i] = static_cast<float>(i * 37 % 101);
    odd_ = even_;
  }

  /// The cells [first, last) of a sweep.
  void step(std::size_t sweep, std::size_t first, std::size_t last) {
    const float* const from = (sweep % 2 == 0 ? even_ : odd_).data() + 1;
    float* const to = (sweep % 2 == 0 ? odd_ : even_).data() + 1;
    for (std::size_t i = first; i < last; ++i) {
      to[i] = 0.25F * from[i - 1] + 0.5F * from[i] + 0.25F * from[i + 1];
    }
  }
  /// The cells of a block of a sweep.
  void step_block(std::size_t sweep, std::size_t block) {
    step(sweep, cells() * block / blocks_, cells() * (block + 1) / blocks_);
  }

  [[nodiscard]] bool operator==(const line& other) const = default;

 private:
  std::size_t sweeps_;
  std::size_t blocks_;
  std::vector<float> even_;
  std::vector<float> odd_;
};

/// `run(line)` does all sweeps, each after the one before.
template <typename Run>
int measure(program& with, const Run& run) {
  line cells{with};
  line expected{with};
  for (std::size_t sweep = 0; sweep < expected.sweeps(); ++sweep) {
    expected.step(sweep, 0, expected.cells());
  }
  return with.measure({
      .units = static_cast<double>(cells.sweeps()),
      .prepare = [&] { cells.begin(); },
      .run = [&] { return timed([&] { run(cells); }); },
      .verify =
          [&] {
            return cells == expected ? std::string()
                                     : std::string("cells differ from those of serial sweeps");
          },
  });
}

}  // namespace bench::sweeps
