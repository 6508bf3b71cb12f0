#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench::metg {

/// The next state of a generator of random numbers (SplitMix64, Steele et al. 2014), and its
/// number.
inline std::uint64_t next_random(std::uint64_t& state) noexcept {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t x = state;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// The tasks of a run and what each of them needs. The tasks form steps of at most `width` points.
/// A task needs the results of up to three points of the step before. The patterns are those of the
/// benchmark Task Bench (Slaughter et al., SC 2020), with at most three inputs each:
/// - none: no task needs another
/// - stencil: the same point and its two neighbours
/// - fft: the same point and the one whose number differs in one bit, another bit in each step
/// - tree: point i needs point i / 2, and each step has twice as many points, up to the width
/// - random: three points drawn at random, fewer if the same one is drawn twice
class pattern {
 public:
  static constexpr std::size_t most_inputs = 3;

  /// Throws std::invalid_argument for an unknown name, and for no steps or points.
  pattern(std::string_view name, std::size_t width, std::size_t steps, std::uint64_t seed)
      : width_(width), steps_(steps), independent_(name == "none") {
    if (width == 0 || steps == 0) {
      throw std::invalid_argument("metg: a pattern needs at least one step and one point");
    }
    const auto needs = rule_of(name);
    std::uint64_t random = seed;
    first_.reserve(width * steps + 1);
    for (std::size_t step = 0; step < steps; ++step) {
      for (std::size_t point = 0; point < width; ++point) {
        first_.push_back(inputs_.size());
        if (step == 0 || point >= points(step, name == "tree")) continue;
        needs(*this, step, point, random);
        const auto begin = inputs_.begin() + static_cast<std::ptrdiff_t>(first_.back());
        std::ranges::sort(begin, inputs_.end());
        inputs_.erase(std::unique(begin, inputs_.end()), inputs_.end());
      }
      points_.push_back(points(step, name == "tree"));
      tasks_ += points_.back();
    }
    first_.push_back(inputs_.size());
  }

  [[nodiscard]] std::size_t width() const noexcept { return width_; }
  [[nodiscard]] std::size_t steps() const noexcept { return steps_; }
  [[nodiscard]] std::size_t tasks() const noexcept { return tasks_; }
  /// The number of points of a step, at most `width()`.
  [[nodiscard]] std::size_t points(std::size_t step) const noexcept { return points_[step]; }
  /// True if no task needs another.
  [[nodiscard]] bool independent() const noexcept { return independent_; }

  /// The number of a task, which is also its place among the results.
  [[nodiscard]] std::size_t task(std::size_t step, std::size_t point) const noexcept {
    return step * width_ + point;
  }
  /// The numbers of the tasks that a task needs, ascending.
  [[nodiscard]] const std::size_t* inputs_begin(std::size_t task) const noexcept {
    return inputs_.data() + first_[task];
  }
  [[nodiscard]] const std::size_t* inputs_end(std::size_t task) const noexcept {
    return inputs_.data() + first_[task + 1];
  }

 private:
  using rule = void (*)(pattern& of, std::size_t step, std::size_t point, std::uint64_t& random);

  // Names a point of the step before.
  void need(std::size_t step, std::size_t point) { inputs_.push_back(task(step - 1, point)); }

  [[nodiscard]] std::size_t points(std::size_t step, bool tree) const noexcept {
    const auto bits = static_cast<std::size_t>(std::bit_width(width_));
    return tree && step < bits ? std::min(width_, std::size_t{1} << step) : width_;
  }

  static rule rule_of(std::string_view name) {
    if (name == "none") return [](pattern&, std::size_t, std::size_t, std::uint64_t&) {};
    if (name == "stencil") {
      return [](pattern& of, std::size_t step, std::size_t point, std::uint64_t&) {
        if (point > 0) of.need(step, point - 1);
        of.need(step, point);
        if (point + 1 < of.width_) of.need(step, point + 1);
      };
    }
    if (name == "fft") {
      return [](pattern& of, std::size_t step, std::size_t point, std::uint64_t&) {
        of.need(step, point);
        const auto bits = static_cast<std::size_t>(std::bit_width(of.width_ - 1));
        if (bits == 0) return;
        const std::size_t partner = point ^ (std::size_t{1} << ((step - 1) % bits));
        if (partner < of.width_) of.need(step, partner);
      };
    }
    if (name == "tree") {
      return [](pattern& of, std::size_t step, std::size_t point, std::uint64_t&) {
        of.need(step, point / 2);
      };
    }
    if (name == "random") {
      return [](pattern& of, std::size_t step, std::size_t, std::uint64_t& random) {
        for (std::size_t k = 0; k < most_inputs; ++k) {
          of.need(step, static_cast<std::size_t>(next_random(random) % of.width_));
        }
      };
    }
    throw std::invalid_argument("metg: the pattern \"" + std::string(name) +
                                "\" is unknown; none, stencil, fft, tree or random");
  }

  std::size_t width_;
  std::size_t steps_;
  bool independent_;
  std::size_t tasks_ = 0;
  std::vector<std::size_t> points_;  // of each step
  std::vector<std::size_t> first_;   // of each task: where its inputs begin
  std::vector<std::size_t> inputs_;
};

/// The work of a task: `iterations` steps of integer arithmetic on eight values. The multiplier of
/// the processor is busy all the time, so two tasks in a row take as long as each by itself. No
/// compiler can leave out a step or use vectors for it.
inline std::uint64_t kernel(std::uint64_t value, std::uint64_t iterations) noexcept {
  std::array<std::uint64_t, 8> lanes{};
  for (std::uint64_t& lane : lanes) lane = next_random(value);
  for (std::uint64_t i = 0; i < iterations; ++i) {
    for (std::uint64_t& lane : lanes) {
      lane = (lane ^ (lane >> 29U)) * 0xbf58476d1ce4e5b9U;
      asm("" : "+r"(lane));
    }
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t lane : lanes) sum += lane;
  return sum;
}

/// The results of a run. The result of a task depends on the results that it needs, on the number
/// of the task and on the kernel, so a task that runs too early, twice or not at all changes it.
class results {
 public:
  explicit results(const pattern& of) : of_(of), values_(of.width() * of.steps()) {}

  [[nodiscard]] const pattern& of() const noexcept { return of_; }
  /// How many iterations the kernel of each task does from the next run on.
  void set_iterations(std::uint64_t number) noexcept { iterations_ = number; }
  void clear() { values_.assign(values_.size(), {}); }

  /// Runs a task, after those that it needs.
  void run(std::size_t task) noexcept {
    std::uint64_t value = task + 1;
    for (const std::size_t* input = of_.inputs_begin(task); input != of_.inputs_end(task);
         ++input) {
      value = (value ^ values_[*input].value) * 0x9e3779b97f4a7c15U + 1;
    }
    values_[task].value += kernel(value, iterations_);
  }
  /// Runs all tasks in their order.
  void run_all() noexcept {
    for (std::size_t step = 0; step < of_.steps(); ++step) {
      for (std::size_t point = 0; point < of_.points(step); ++point) run(of_.task(step, point));
    }
  }

  /// The address that stands for a task where an engine wants one, as OpenMP does.
  [[nodiscard]] std::uint64_t& at(std::size_t task) noexcept { return values_[task].value; }
  [[nodiscard]] std::vector<std::uint64_t> all() const {
    std::vector<std::uint64_t> found;
    found.reserve(values_.size());
    for (const padded& each : values_) found.push_back(each.value);
    return found;
  }

 private:
  // A line of the cache for each: tasks write at the same time.
  struct alignas(64) padded {
    std::uint64_t value = 0;
  };

  const pattern& of_;
  std::uint64_t iterations_ = 0;
  std::vector<padded> values_;
};

/// Calls `loop(count, body)` once for each part of the tasks that must have ended before the next
/// part begins, where `body(k)` runs one of `count` tasks: for each step, or once if no task needs
/// another.
template <typename Loop>
void for_each_part(results& of, const Loop& loop) {
  const pattern& shape = of.of();
  if (shape.independent()) {
    loop(shape.width() * shape.steps(), [&](std::size_t k) { of.run(k); });
    return;
  }
  for (std::size_t step = 0; step < shape.steps(); ++step) {
    loop(shape.points(step), [&, step](std::size_t k) { of.run(shape.task(step, k)); });
  }
}

}  // namespace bench::metg
