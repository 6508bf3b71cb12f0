#include <evencube/simulator/distribution.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include <evencube/detail/number_text.hpp>
#include <evencube/simulator/portable_math.hpp>

#include "text.hpp"

namespace evencube::simulator {
namespace {

void require(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

bool is_duration(double value) { return std::isfinite(value) && value >= 0; }

std::vector<double> read_numbers(std::string_view text, std::string_view all) {
  std::vector<double> numbers;
  while (true) {
    const auto comma = text.find(',');
    const auto part = text.substr(0, comma);
    double value = 0;
    if (!detail::read_number(std::string(part), value)) {
      const std::string message =
          "'" + std::string(part) + "' in the distribution '" + std::string(all) + "' is no number";
      throw std::invalid_argument(message);
    }
    numbers.push_back(value);
    if (comma == std::string_view::npos) return numbers;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

distribution distribution::constant(double value) {
  require(is_duration(value),
          "constant:" + shortest(value) + ": the value must be finite and >= 0");
  return {kind::constant, value, 0, 0};
}

distribution distribution::uniform(double low, double high) {
  require(is_duration(low) && is_duration(high) && low <= high,
          "uniform:" + shortest(low) + "," + shortest(high) + ": 0 <= low <= high is needed");
  return {kind::uniform, low, high, 0};
}

distribution distribution::exponential(double mean) {
  require(is_duration(mean) && mean > 0,
          "exponential:" + shortest(mean) + ": the mean must be finite and > 0");
  return {kind::exponential, mean, 0, 0};
}

distribution distribution::bimodal(double low, double high, double share_high) {
  require(is_duration(low) && is_duration(high) && share_high >= 0 && share_high <= 1,
          "bimodal:" + shortest(low) + "," + shortest(high) + "," + shortest(share_high) +
              ": two values >= 0 and a share in [0, 1] are needed");
  return {kind::bimodal, low, high, share_high};
}

distribution distribution::pareto(double minimum, double shape) {
  require(is_duration(minimum) && minimum > 0 && std::isfinite(shape) && shape > 0,
          "pareto:" + shortest(minimum) + "," + shortest(shape) +
              ": the minimum and the shape must be finite and > 0");
  return {kind::pareto, minimum, shape, 0};
}

distribution distribution::trace(std::vector<double> values) {
  require(!values.empty(), "a trace of service times must hold at least one value");
  for (std::size_t i = 0; i < values.size(); ++i) {
    require(is_duration(values[i]), "value " + std::to_string(i) + " of the trace is " +
                                        shortest(values[i]) + ": it must be finite and >= 0");
  }
  distribution made;
  made.kind_ = kind::trace;
  made.values_ = std::move(values);
  return made;
}

distribution distribution::parse(std::string_view text) {
  const auto colon = text.find(':');
  const auto name = text.substr(0, colon);
  const auto numbers = colon == std::string_view::npos ? std::vector<double>{}
                                                       : read_numbers(text.substr(colon + 1), text);
  const auto expect = [&](std::size_t count) {
    require(numbers.size() == count, "the distribution '" + std::string(text) + "' needs " +
                                         std::to_string(count) + " numbers after '" +
                                         std::string(name) + ":'");
  };
  if (name == "constant") return expect(1), constant(numbers[0]);
  if (name == "uniform") return expect(2), uniform(numbers[0], numbers[1]);
  if (name == "exponential") return expect(1), exponential(numbers[0]);
  if (name == "bimodal") return expect(3), bimodal(numbers[0], numbers[1], numbers[2]);
  if (name == "pareto") return expect(2), pareto(numbers[0], numbers[1]);
  throw std::invalid_argument("unknown distribution '" + std::string(text) +
                              "': constant:V, uniform:LOW,HIGH, exponential:MEAN, "
                              "bimodal:LOW,HIGH,SHARE_HIGH or pareto:MINIMUM,SHAPE is allowed");
}

double distribution::sample(double u, std::uint64_t index) const noexcept {
  switch (kind_) {
    case kind::constant:
      return a_;
    case kind::uniform:
      return a_ + (b_ - a_) * u;
    case kind::exponential:
      return -a_ * portable_log(u);
    case kind::bimodal:
      return u < c_ ? b_ : a_;
    case kind::pareto:
      return a_ * portable_exp(-portable_log(u) / b_);
    case kind::trace:
      return values_[index % values_.size()];
  }
  return a_;
}

double distribution::mean() const noexcept {
  switch (kind_) {
    case kind::constant:
    case kind::exponential:
      return a_;
    case kind::uniform:
      return (a_ + b_) / 2;
    case kind::bimodal:
      return a_ + (b_ - a_) * c_;
    case kind::pareto:
      return b_ > 1 ? a_ * b_ / (b_ - 1) : std::numeric_limits<double>::infinity();
    case kind::trace: {
      double sum = 0;
      for (const double value : values_) sum += value;
      return sum / static_cast<double>(values_.size());
    }
  }
  return a_;
}

double distribution::variance() const noexcept {
  switch (kind_) {
    case kind::constant:
      return 0;
    case kind::exponential:
      return a_ * a_;
    case kind::uniform:
      return (b_ - a_) * (b_ - a_) / 12;
    case kind::bimodal:
      return (b_ - a_) * (b_ - a_) * c_ * (1 - c_);
    case kind::pareto:
      return b_ > 2 ? a_ * a_ * b_ / ((b_ - 1) * (b_ - 1) * (b_ - 2))
                    : std::numeric_limits<double>::infinity();
    case kind::trace: {
      const double average = mean();
      double sum = 0;
      for (const double value : values_) sum += (value - average) * (value - average);
      return sum / static_cast<double>(values_.size());
    }
  }
  return 0;
}

std::string distribution::text() const {
  switch (kind_) {
    case kind::constant:
      return "constant:" + shortest(a_);
    case kind::uniform:
      return "uniform:" + shortest(a_) + "," + shortest(b_);
    case kind::exponential:
      return "exponential:" + shortest(a_);
    case kind::bimodal:
      return "bimodal:" + shortest(a_) + "," + shortest(b_) + "," + shortest(c_);
    case kind::pareto:
      return "pareto:" + shortest(a_) + "," + shortest(b_);
    case kind::trace:
      return "trace(" + std::to_string(values_.size()) + " values)";
  }
  return {};
}

}  // namespace evencube::simulator
