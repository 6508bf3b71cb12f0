#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Numbers without bounds, for twins of the balancers: written for clearness alone and sharing
/// nothing with the library.
namespace evencube::testing {

/// A whole number >= 0, decimal digits of 10^9 with the lowest first, no leading zeros.
class natural {
 public:
  natural() = default;
  natural(std::uint64_t value) {  // NOLINT: a number is a number
    for (; value != 0; value /= base) digits_.push_back(static_cast<std::uint32_t>(value % base));
  }

  friend natural operator+(const natural& a, const natural& b) {
    natural sum;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < std::max(a.size(), b.size()) || carry != 0; ++i) {
      carry += std::uint64_t{a[i]} + b[i];
      sum.digits_.push_back(static_cast<std::uint32_t>(carry % base));
      carry /= base;
    }
    return sum;
  }
  /// a >= b.
  friend natural operator-(const natural& a, const natural& b) {
    natural rest;
    std::int64_t borrow = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      std::int64_t digit = std::int64_t{a[i]} - b[i] - borrow;
      borrow = digit < 0 ? 1 : 0;
      if (digit < 0) digit += base;
      rest.digits_.push_back(static_cast<std::uint32_t>(digit));
    }
    rest.trim();
    return rest;
  }
  friend natural operator*(const natural& a, const natural& b) {
    natural all;
    all.digits_.assign(a.size() + b.size(), 0);
    for (std::size_t i = 0; i < a.size(); ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; j < b.size() || carry != 0; ++j) {
        carry += all.digits_[i + j] + std::uint64_t{a[i]} * b[j];
        all.digits_[i + j] = static_cast<std::uint32_t>(carry % base);
        carry /= base;
      }
    }
    all.trim();
    return all;
  }
  /// Quotient and rest, by trying every digit's binary places. b > 0.
  friend std::pair<natural, natural> divide(const natural& a, const natural& b) {
    natural quotient;
    natural rest;
    quotient.digits_.assign(a.size(), 0);
    for (std::size_t i = a.size(); i-- > 0;) {
      rest = rest * natural{base} + natural{a[i]};
      for (std::uint32_t bit = 1U << 29; bit != 0; bit /= 2) {
        const natural part = b * natural{bit};
        if (rest < part) continue;
        rest = rest - part;
        quotient.digits_[i] += bit;
      }
    }
    quotient.trim();
    return {quotient, rest};
  }
  friend std::strong_ordering operator<=>(const natural& a, const natural& b) {
    if (a.size() != b.size()) return a.size() <=> b.size();
    for (std::size_t i = a.size(); i-- > 0;) {
      if (a[i] != b[i]) return a[i] <=> b[i];
    }
    return std::strong_ordering::equal;
  }
  friend bool operator==(const natural& a, const natural& b) = default;

  [[nodiscard]] std::int64_t to_load() const {
    std::int64_t value = 0;
    for (std::size_t i = size(); i-- > 0;) value = value * base + digits_[i];
    return value;
  }

 private:
  static constexpr std::int64_t base = 1'000'000'000;

  [[nodiscard]] std::size_t size() const { return digits_.size(); }
  std::uint32_t operator[](std::size_t i) const { return i < size() ? digits_[i] : 0; }
  void trim() {
    while (!digits_.empty() && digits_.back() == 0) digits_.pop_back();
  }

  std::vector<std::uint32_t> digits_;
};

/// A rational number, positive or negative.
class rational {
 public:
  rational() = default;
  rational(std::int64_t value)  // NOLINT: a number is a number
      : negative_(value < 0),
        above_(value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                         : static_cast<std::uint64_t>(value)) {}
  rational(std::int64_t above, std::int64_t below) : rational(rational(above) / rational(below)) {}

  friend rational operator+(const rational& a, const rational& b) {
    rational sum;
    sum.below_ = a.below_ * b.below_;
    const natural left = a.above_ * b.below_;
    const natural right = b.above_ * a.below_;
    if (a.negative_ == b.negative_) {
      sum.above_ = left + right;
      sum.negative_ = a.negative_;
    } else {
      sum.above_ = left < right ? right - left : left - right;
      sum.negative_ = left < right ? b.negative_ : a.negative_;
    }
    sum.reduce();
    return sum;
  }
  friend rational operator-(const rational& a) {
    rational other = a;
    other.negative_ = !a.negative_;
    return other;
  }
  friend rational operator-(const rational& a, const rational& b) { return a + -b; }
  friend rational operator*(const rational& a, const rational& b) {
    rational all;
    all.negative_ = a.negative_ != b.negative_;
    all.above_ = a.above_ * b.above_;
    all.below_ = a.below_ * b.below_;
    all.reduce();
    return all;
  }
  friend rational operator/(const rational& a, const rational& b) {
    rational inverse;
    inverse.negative_ = b.negative_;
    inverse.above_ = b.below_;
    inverse.below_ = b.above_;
    return a * inverse;
  }
  friend std::strong_ordering operator<=>(const rational& a, const rational& b) {
    const rational gap = a - b;
    if (gap.above_ == natural{}) return std::strong_ordering::equal;
    return gap.negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  friend bool operator==(const rational& a, const rational& b) { return (a <=> b) == 0; }

  /// The largest whole number not above it, and the smallest not below it.
  [[nodiscard]] std::int64_t floor() const {
    const auto [whole, rest] = divide(above_, below_);
    if (!negative_) return whole.to_load();
    return -whole.to_load() - (rest == natural{} ? 0 : 1);
  }
  [[nodiscard]] std::int64_t ceiling() const { return -(-*this).floor(); }
  /// To the nearest whole number, a half away from 0.
  [[nodiscard]] std::int64_t rounded() const {
    return negative_ ? -(-*this).rounded() : (*this + rational(1) / rational(2)).floor();
  }

 private:
  void reduce() {
    natural a = above_;
    natural b = below_;
    while (b != natural{}) a = std::exchange(b, divide(a, b).second);
    above_ = divide(above_, a).first;
    below_ = divide(below_, a).first;
  }

  bool negative_ = false;
  natural above_;
  natural below_ = natural{1};
};

}  // namespace evencube::testing
