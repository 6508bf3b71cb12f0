#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evencube::cli {

/// "0.000123" as "123 us": three significant digits in the unit that suits.
[[nodiscard]] std::string duration_text(double seconds);

/// 0.5 as "50.0 %".
[[nodiscard]] std::string share_text(double share);

/// 0.5 as "0.5000", for tables that programs read; empty where there is no value.
[[nodiscard]] std::string number_or_nothing(const std::optional<double>& value);

/// A whole number within [least, most]; throws usage_error naming `what`, the text and the range.
[[nodiscard]] std::int64_t whole_number(std::string_view what, std::string_view text,
                                        std::int64_t least, std::int64_t most);

/// A real number; throws usage_error naming `what` and the text. Infinity and NaN are none.
[[nodiscard]] double real_number(std::string_view what, std::string_view text);

/// What stands between the commas: at least one entry, which may be empty.
[[nodiscard]] std::vector<std::string_view> entries_of(std::string_view text);

/// "15,1,1": whole numbers of 64 bits. Throws usage_error naming `what` and the bad entry.
[[nodiscard]] std::vector<std::int64_t> whole_numbers(std::string_view what, std::string_view text);

/// "1,0.5,0": real numbers. Throws usage_error naming `what` and the bad entry.
[[nodiscard]] std::vector<double> real_numbers(std::string_view what, std::string_view text);

/// "key=value" pairs. Throws usage_error for one without a key or '=', or a key given twice.
[[nodiscard]] std::map<std::string, std::string, std::less<>> key_values(
    std::string_view what, const std::vector<std::string>& pairs);

}  // namespace evencube::cli
