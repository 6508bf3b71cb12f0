#pragma once

#include <cstddef>

#include <evencube/interop/tbb/blocked_range.hpp>

namespace evencube::tbb {

template <typename Page, typename Row = Page, typename Column = Row>
class blocked_range3d {
 public:
  using page_range_type = blocked_range<Page>;
  using row_range_type = blocked_range<Row>;
  using col_range_type = blocked_range<Column>;
  static constexpr bool is_splittable_in_proportion = true;

  blocked_range3d(Page page_begin, Page page_end, std::size_t page_grain, Row row_begin,
                  Row row_end, std::size_t row_grain, Column column_begin, Column column_end,
                  std::size_t column_grain)
      : pages_(page_begin, page_end, page_grain),
        rows_(row_begin, row_end, row_grain),
        columns_(column_begin, column_end, column_grain) {}
  blocked_range3d(Page page_begin, Page page_end, Row row_begin, Row row_end, Column column_begin,
                  Column column_end)
      : pages_(page_begin, page_end),
        rows_(row_begin, row_end),
        columns_(column_begin, column_end) {}
  /// Takes the right half of `r` in the dimension that is longest in grains.
  blocked_range3d(blocked_range3d& r, split by) : blocked_range3d(r, by, any()) {}
  blocked_range3d(blocked_range3d& r, const proportional_split& by)
      : blocked_range3d(r, by, any()) {}

  [[nodiscard]] const page_range_type& pages() const { return pages_; }
  [[nodiscard]] const row_range_type& rows() const { return rows_; }
  [[nodiscard]] const col_range_type& cols() const { return columns_; }
  [[nodiscard]] bool empty() const { return pages_.empty() || rows_.empty() || columns_.empty(); }
  [[nodiscard]] bool is_divisible() const {
    return pages_.is_divisible() || rows_.is_divisible() || columns_.is_divisible();
  }

 private:
  struct any {};
  template <typename Split>
  blocked_range3d(blocked_range3d& r, const Split& by, any)
      : pages_(r.pages_), rows_(r.rows_), columns_(r.columns_) {
    const bool rows_first = r.rows_.is_divisible() &&
                            (!r.columns_.is_divisible() || detail::longer(r.rows_, r.columns_));
    const bool pages_first =
        r.pages_.is_divisible() &&
        (rows_first ? detail::longer(r.pages_, r.rows_)
                    : !r.columns_.is_divisible() || detail::longer(r.pages_, r.columns_));
    if (pages_first) {
      pages_ = page_range_type(r.pages_, by);
    } else if (rows_first) {
      rows_ = row_range_type(r.rows_, by);
    } else {
      columns_ = col_range_type(r.columns_, by);
    }
  }

  page_range_type pages_;
  row_range_type rows_;
  col_range_type columns_;
};

}  // namespace evencube::tbb
