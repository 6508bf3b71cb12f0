#include "exact.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include <evencube/detail/number_text.hpp>

namespace evencube {
namespace {

constexpr load_type largest_load = std::numeric_limits<load_type>::max();
constexpr std::uint64_t most_denominator = std::uint64_t{1} << 20;
constexpr std::uint64_t most_common = std::uint64_t{1} << 40;
constexpr int decimal_places = 18;

std::uint64_t low_half(wide value) { return static_cast<std::uint64_t>(value); }
std::uint64_t high_half(wide value) { return static_cast<std::uint64_t>(value >> 64); }

wide greatest_common(wide a, wide b) {
  while (b != 0) {
    const wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

std::uint64_t power_of_ten(int exponent) {
  std::uint64_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

/// The simplest fraction that rounds to `value`, or denominator 0 if it needs a larger denominator
/// than is allowed. Tries the convergents of the continued fraction of the value, each by dividing.
fraction simple_fraction(double value) {
  std::uint64_t before[2] = {0, 1};  // of the convergent before: numerator, denominator
  std::uint64_t now[2] = {1, 0};
  double rest = value;
  while (rest < 0x1p53) {
    const double whole = std::floor(rest);
    const auto digit = static_cast<std::uint64_t>(whole);
    std::uint64_t next[2];
    for (int i = 0; i < 2; ++i) {
      if (__builtin_mul_overflow(digit, now[i], &next[i]) ||
          __builtin_add_overflow(next[i], before[i], &next[i])) {
        return {0, 0};
      }
      before[i] = now[i];
      now[i] = next[i];
    }
    if (now[1] > most_denominator || now[0] > std::uint64_t{1} << 53) break;
    if (static_cast<double>(now[0]) / static_cast<double>(now[1]) == value) {
      return {now[0], now[1]};
    }
    if (rest == whole) break;
    rest = 1.0 / (rest - whole);
  }
  return {0, 0};
}

/// digits * 10^exponent, in the form in which a double is printed.
struct decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
  /// The value is below 10^above.
  int above = 0;
};

decimal shortest_decimal(double value) {
  if (value == 0.0) return {};
  char text[40];
  const char* const end = detail::scientific_text(value, text);
  decimal found;
  const char* at = text;
  int after_point = 0;
  for (bool point = false; at != end && *at != 'e'; ++at) {
    if (*at == '.') {
      point = true;
      continue;
    }
    found.digits = found.digits * 10 + static_cast<std::uint64_t>(*at - '0');
    if (point) ++after_point;
  }
  int power = 0;
  // from_chars accepts no plus sign.
  std::from_chars(at + (at[1] == '+' ? 2 : 1), end, power);
  found.exponent = power - after_point;
  found.above = power + 1;
  return found;
}

/// The decimal in units of 10^unit, rounded to nearest. The caller knows that it fits.
wide in_units(const decimal& value, int unit) {
  if (value.exponent >= unit) {
    wide scaled = value.digits;
    for (int i = unit; i < value.exponent; ++i) scaled *= 10;
    return scaled;
  }
  const int cut = unit - value.exponent;
  if (cut > decimal_places) return 0;
  const std::uint64_t power = power_of_ten(cut);
  return value.digits / power + (value.digits % power >= power - power / 2 ? 1 : 0);
}

/// Fills `whole` if all values are simple fractions with a small common denominator.
bool as_fractions(std::span<const double> values, wide most, std::vector<wide>& whole) {
  std::uint64_t common = 1;
  whole.clear();
  for (const double value : values) {
    const fraction simple = simple_fraction(value);
    if (simple.denominator == 0) return false;
    common = std::lcm(common, simple.denominator);  // both at most 2^40: no overflow
    if (common > most_common) return false;
  }
  for (const double value : values) {
    const fraction simple = simple_fraction(value);
    const wide scaled = wide{simple.numerator} * (common / simple.denominator);
    if (scaled > most) return false;
    whole.push_back(scaled);
  }
  return true;
}

void as_decimals(std::span<const double> values, wide most, std::vector<wide>& whole) {
  int digits = 0;
  for (wide power = 10; power <= most; power *= 10) {
    ++digits;
    if (power > most / 10) break;
  }
  int above = std::numeric_limits<int>::min();
  int finest = std::numeric_limits<int>::max();
  for (const double value : values) {
    if (value == 0.0) continue;
    const decimal read = shortest_decimal(value);
    above = std::max(above, read.above);
    finest = std::min(finest, read.exponent);
  }
  const int unit = above == std::numeric_limits<int>::min() ? 0 : std::max(finest, above - digits);
  whole.clear();
  for (const double value : values) {
    const wide scaled = value == 0.0 ? 0 : in_units(shortest_decimal(value), unit);
    whole.push_back(value > 0.0 && scaled == 0 ? 1 : scaled);
  }
}

}  // namespace

product::product(std::initializer_list<wide> factors) noexcept {
  limbs_[0] = 1;
  for (const wide factor : factors) times(factor);
}

void product::times(wide factor) noexcept {
  const std::uint64_t halves[2] = {low_half(factor), high_half(factor)};
  std::array<std::uint64_t, 8> result{};
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    if (limbs_[i] == 0) continue;
    std::uint64_t carry = 0;
    for (std::size_t j = 0; i + j < result.size(); ++j) {
      const wide part = wide{limbs_[i]} * (j < 2 ? halves[j] : 0) + result[i + j] + carry;
      result[i + j] = low_half(part);
      carry = high_half(part);
      if (j >= 2 && carry == 0) break;
    }
  }
  limbs_ = result;
}

long double product::estimate() const noexcept {
  long double sum = 0;
  for (std::size_t i = limbs_.size(); i-- > 0;) sum = sum * 0x1p64L + limbs_[i];
  return sum;
}

std::strong_ordering operator<=>(const product& a, const product& b) noexcept {
  for (std::size_t i = a.limbs_.size(); i-- > 0;) {
    if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] <=> b.limbs_[i];
  }
  return std::strong_ordering::equal;
}

load_type quotient(const product& above, const product& below, rounding mode) {
  const auto reached = [&](load_type q) {
    product times = below;
    times.times(static_cast<wide>(q));
    return times <= above;
  };
  const long double guess = above.estimate() / below.estimate();
  load_type low = guess >= 0x1p63L ? largest_load : static_cast<load_type>(guess);
  if (low == largest_load && reached(low)) return largest_load;
  // The estimate is off by a few units at most. The steps double in case it is not.
  for (load_type step = 1; !reached(low); step *= 2) low = low > step ? low - step : 0;
  load_type high = low;
  for (load_type step = 1;; step *= 2) {
    if (low == largest_load) return largest_load;
    high = low < largest_load - step ? low + step : largest_load;
    if (!reached(high)) break;
    low = high;
  }
  while (high - low > 1) {
    const load_type middle = low + (high - low) / 2;
    (reached(middle) ? low : high) = middle;
  }
  if (mode == rounding::floor) return low;
  product exact = below;
  exact.times(static_cast<wide>(low));
  if (mode == rounding::ceiling) return exact < above ? low + 1 : low;
  product half_up = below;
  half_up.times(wide{2} * static_cast<wide>(low) + 1);
  product twice = above;
  twice.times(2);
  return half_up <= twice ? low + 1 : low;
}

load_type quotient_of(wide a, wide b, wide c, wide d, rounding mode) {
  wide above = 0;
  wide below = 0;
  if (__builtin_mul_overflow(a, b, &above) || __builtin_mul_overflow(c, d, &below)) {
    return quotient({a, b}, {c, d}, mode);
  }
  // A division of 64 bits takes a fraction of the time of one of 128.
  wide whole = 0;
  if (high_half(above) == 0 && high_half(below) == 0) {
    whole = low_half(above) / low_half(below);
  } else {
    whole = above / below;
  }
  const wide rest = above - whole * below;
  if (mode == rounding::ceiling && rest != 0) ++whole;
  if (mode == rounding::nearest && rest >= below - rest) ++whole;
  return whole > static_cast<wide>(largest_load) ? largest_load : static_cast<load_type>(whole);
}

std::strong_ordering compare_products(wide a, wide b, wide c, wide d) {
  wide left = 0;
  wide right = 0;
  if (!__builtin_mul_overflow(a, b, &left) && !__builtin_mul_overflow(c, d, &right)) {
    return left <=> right;
  }
  return product{a, b} <=> product{c, d};
}

void proportions(std::span<const double> values, wide most, std::vector<wide>& whole) {
  if (!as_fractions(values, most, whole)) as_decimals(values, most, whole);
  wide common = 0;
  for (const wide value : whole) common = greatest_common(value, common);
  if (common > 1) {
    for (wide& value : whole) value /= common;
  }
}

fraction make_fraction(std::uint64_t numerator, std::uint64_t denominator) noexcept {
  const std::uint64_t common = std::gcd(numerator, denominator);
  return {numerator / common, denominator / common};
}

std::optional<fraction> parse_decimal(std::string_view text) noexcept {
  std::uint64_t digits = 0;
  int places = 0;
  bool any = false;
  bool point = false;
  std::size_t at = 0;
  int zeros = 0;  // read but not yet needed: zeros at the end mean nothing
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    any = true;
    if (point && c == '0') {
      ++zeros;
      continue;
    }
    for (; zeros > 0; --zeros, ++places) {
      if (__builtin_mul_overflow(digits, std::uint64_t{10}, &digits)) return std::nullopt;
    }
    if (__builtin_mul_overflow(digits, std::uint64_t{10}, &digits) ||
        __builtin_add_overflow(digits, static_cast<std::uint64_t>(c - '0'), &digits)) {
      return std::nullopt;
    }
    if (point) ++places;
  }
  if (!any) return std::nullopt;
  if (at < text.size()) {
    if (text[at] != 'e' && text[at] != 'E') return std::nullopt;
    const char* begin = text.data() + at + 1;
    const char* const end = text.data() + text.size();
    if (end - begin > 1 && begin[0] == '+' && begin[1] != '-') ++begin;
    int power = 0;
    const auto [stop, error] = std::from_chars(begin, end, power);
    if (error != std::errc() || stop != end || begin == end) return std::nullopt;
    if (power < -1000 || power > 1000) return std::nullopt;
    places -= power;
  }
  if (digits == 0) return fraction{};
  for (; places > 0 && digits % 10 == 0; --places) digits /= 10;
  for (; places < 0; ++places) {
    if (__builtin_mul_overflow(digits, std::uint64_t{10}, &digits)) return std::nullopt;
  }
  if (places > decimal_places || digits > static_cast<std::uint64_t>(largest_load))
    return std::nullopt;
  return make_fraction(digits, power_of_ten(places));
}

fraction fraction_of(double value) noexcept {
  const fraction simple = simple_fraction(value);
  if (simple.denominator != 0) return simple;
  const auto scaled =
      static_cast<std::uint64_t>(in_units(shortest_decimal(value), -decimal_places));
  return make_fraction(scaled, power_of_ten(decimal_places));
}

bool less(fraction a, fraction b) noexcept {
  return wide{a.numerator} * b.denominator < wide{b.numerator} * a.denominator;
}

load_type floor_part(load_type quanta, fraction part) noexcept {
  return static_cast<load_type>(static_cast<wide>(quanta) * part.numerator / part.denominator);
}

load_type ceiling_part(load_type quanta, fraction part) noexcept {
  const wide above = static_cast<wide>(quanta) * part.numerator;
  return static_cast<load_type>(above / part.denominator + (above % part.denominator != 0 ? 1 : 0));
}

}  // namespace evencube
