#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include <evencube/workloads/fixed_point.hpp>

namespace evencube::workloads {
namespace {

constexpr unsigned word_bits = 32;

[[noreturn]] void refuse(std::string_view text, const char* why) {
  std::string shown{text.substr(0, 60)};
  if (shown.size() != text.size()) shown += "...";
  throw std::invalid_argument{"\"" + shown + "\": " + why};
}

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

}  // namespace

fixed_point::fixed_point(std::string_view decimal, std::size_t words) : words_(words + 1) {
  auto rest = decimal;
  if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) {
    negative_ = rest.front() == '-';
    rest.remove_prefix(1);
  }
  const auto point = std::min(rest.find('.'), rest.size());
  const auto whole = rest.substr(0, point);
  const auto places = rest.substr(std::min(point + 1, rest.size()));
  if (whole.size() + places.size() > most_digits) refuse(decimal, "has more than 1000 digits");
  if (whole.size() + places.size() == 0 || !std::ranges::all_of(whole, is_digit) ||
      !std::ranges::all_of(places, is_digit)) {
    refuse(decimal, "must be a decimal number without exponent, such as -0.75");
  }
  // From the last digit on: each is put before the point and all is divided by ten, which cuts off
  // less than a unit, of which ever smaller parts remain.
  for (std::size_t i = places.size(); i-- > 0;) {
    words_.back() += static_cast<std::uint32_t>(places[i] - '0');
    std::uint64_t remainder = 0;
    for (std::size_t w = words_.size(); w-- > 0;) {
      const std::uint64_t value = remainder << word_bits | words_[w];
      words_[w] = static_cast<std::uint32_t>(value / 10);
      remainder = value % 10;
    }
  }
  std::uint32_t integer = 0;
  for (const char letter : whole) {
    integer = 10 * integer + static_cast<std::uint32_t>(letter - '0');
    if (integer > 1000) refuse(decimal, "is too large");
  }
  words_.back() += integer;
}

double fixed_point::to_double() const noexcept {
  double value = 0;
  int exponent = 0;
  int taken = 0;
  // Four words hold 97 significant bits at least, more than a double.
  for (std::size_t w = words_.size(); w-- > 0 && taken < 4; exponent -= 32) {
    if (words_[w] == 0 && taken == 0) continue;
    value += std::ldexp(static_cast<double>(words_[w]), exponent);
    ++taken;
  }
  return negative_ ? -value : value;
}

int fixed_point::compare(const magnitude& a, const magnitude& b) noexcept {
  for (std::size_t w = a.size(); w-- > 0;) {
    if (a[w] != b[w]) return a[w] < b[w] ? -1 : 1;
  }
  return 0;
}

fixed_point fixed_point::signed_sum(const fixed_point& a, const fixed_point& b, bool b_negative) {
  fixed_point sum{a.words_.size() - 1};
  if (a.negative_ == b_negative) {
    std::uint64_t carry = 0;
    for (std::size_t w = 0; w < a.words_.size(); ++w) {
      carry += std::uint64_t{a.words_[w]} + b.words_[w];
      sum.words_[w] = static_cast<std::uint32_t>(carry);
      carry >>= word_bits;
    }
    sum.negative_ = a.negative_;
    return sum;
  }
  const int order = compare(a.words_, b.words_);
  const auto& larger = order < 0 ? b.words_ : a.words_;
  const auto& smaller = order < 0 ? a.words_ : b.words_;
  std::uint64_t borrow = 0;
  for (std::size_t w = 0; w < larger.size(); ++w) {
    const std::uint64_t difference = std::uint64_t{larger[w]} - smaller[w] - borrow;
    sum.words_[w] = static_cast<std::uint32_t>(difference);
    borrow = difference >> 63;
  }
  sum.negative_ = order < 0 ? b_negative : a.negative_;
  return sum;
}

fixed_point operator+(const fixed_point& a, const fixed_point& b) {
  return fixed_point::signed_sum(a, b, b.negative_);
}

fixed_point operator-(const fixed_point& a, const fixed_point& b) {
  return fixed_point::signed_sum(a, b, !b.negative_);
}

fixed_point operator*(const fixed_point& a, const fixed_point& b) {
  const std::size_t words = a.words_.size();
  std::vector<std::uint32_t> product(2 * words);
  for (std::size_t i = 0; i < words; ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < words; ++j) {
      carry += std::uint64_t{a.words_[i]} * b.words_[j] + product[i + j];
      product[i + j] = static_cast<std::uint32_t>(carry);
      carry >>= word_bits;
    }
    product[i + words] = static_cast<std::uint32_t>(carry);
  }
  fixed_point cut{words - 1};
  std::copy_n(product.begin() + static_cast<std::ptrdiff_t>(words - 1), words, cut.words_.begin());
  cut.negative_ = a.negative_ != b.negative_;
  return cut;
}

}  // namespace evencube::workloads
