#pragma once

#include <cstddef>

#include <evencube/interop/tbb/blocked_range.hpp>

namespace evencube::tbb {

template <typename Row, typename Column = Row>
class blocked_range2d {
 public:
  using row_range_type = blocked_range<Row>;
  using col_range_type = blocked_range<Column>;
  static constexpr bool is_splittable_in_proportion = true;

  blocked_range2d(Row row_begin, Row row_end, std::size_t row_grain, Column column_begin,
                  Column column_end, std::size_t column_grain)
      : rows_(row_begin, row_end, row_grain), columns_(column_begin, column_end, column_grain) {}
  blocked_range2d(Row row_begin, Row row_end, Column column_begin, Column column_end)
      : rows_(row_begin, row_end), columns_(column_begin, column_end) {}
  /// Takes the right half of `r` in the dimension that is longer in grains.
  blocked_range2d(blocked_range2d& r, split by) : blocked_range2d(r, by, any()) {}
  blocked_range2d(blocked_range2d& r, const proportional_split& by)
      : blocked_range2d(r, by, any()) {}

  [[nodiscard]] const row_range_type& rows() const { return rows_; }
  [[nodiscard]] const col_range_type& cols() const { return columns_; }
  [[nodiscard]] bool empty() const { return rows_.empty() || columns_.empty(); }
  [[nodiscard]] bool is_divisible() const {
    return rows_.is_divisible() || columns_.is_divisible();
  }

 private:
  struct any {};
  template <typename Split>
  blocked_range2d(blocked_range2d& r, const Split& by, any) : rows_(r.rows_), columns_(r.columns_) {
    if (r.columns_.is_divisible() &&
        (!r.rows_.is_divisible() || !detail::longer(r.rows_, r.columns_))) {
      columns_ = col_range_type(r.columns_, by);
    } else {
      rows_ = row_range_type(r.rows_, by);
    }
  }

  row_range_type rows_;
  col_range_type columns_;
};

}  // namespace evencube::tbb
