#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <evencube/detail/elements.hpp>

namespace evencube {

namespace rule {

/// A type whose ranges can be divided into blocks: an integer or a random-access iterator.
template <typename T>
concept integer_or_random_access_iterator =
    integers_of_at_most_64_bits<T, T> || std::random_access_iterator<T>;

}  // namespace rule

/// The integers of a half-open range, for a range-based for loop; made by `blocked_range::indices`.
template <typename T>
class index_range {  // not constrained, because a blocked_range of iterators names this type
                     // without using it
  static_assert(std::integral<T>, "an index_range is one of integers");

 public:
  /// The iterator returns values, so for C++17 algorithms it is only an input iterator.
  class iterator {
   public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using reference = T;
    using pointer = void;

    iterator() = default;
    explicit iterator(T at) noexcept : at_(at) {}
    [[nodiscard]] T operator*() const noexcept { return at_; }
    iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    iterator operator++(int) noexcept {
      const iterator before = *this;
      ++at_;
      return before;
    }
    friend bool operator==(iterator a, iterator b) noexcept { return a.at_ == b.at_; }

   private:
    T at_{};
  };

  /// Makes the range [first, last), which is empty if `last` is before `first`.
  index_range(T first, T last) noexcept : first_(first), last_(last < first ? first : last) {}
  [[nodiscard]] iterator begin() const noexcept { return iterator(first_); }
  [[nodiscard]] iterator end() const noexcept { return iterator(last_); }

 private:
  T first_;
  T last_;
};

/// A half-open range of integers or iterators, together with the maximum number of elements per
/// block. The range is empty if its end is before its beginning.
///
/// A range-based for loop over a blocked range of iterators visits the elements. A blocked range of
/// integers cannot be used in such a loop, because its `begin()` and `end()` return plain integers,
/// as in oneTBB. Write `for (std::size_t i : block.indices())` instead.
template <typename T>
class blocked_range {
  static_assert(rule::integer_or_random_access_iterator<T>,
                "a blocked_range is one of integers or of random-access iterators");

 public:
  using value_type = T;

  /// Makes a range of the integers in [first, last). `grain` is the number of elements per block;
  /// if it is 0, there are at most 2048 blocks.
  /// Throws std::invalid_argument for a bound that T cannot represent, such as a negative bound
  /// when the other bound is unsigned.
  template <std::integral First, std::integral Last>
    requires std::integral<T> && rule::integers_of_at_most_64_bits<First, Last>
  blocked_range(First first, Last last, std::size_t grain = 0)
      : first_(detail::bound_as<T>(first, "blocked_range")),
        last_(detail::bound_as<T>(last, "blocked_range")),
        grain_(grain) {}
  /// Makes a range of the iterators in [first, last). `grain` is the number of elements per block;
  /// if it is 0, there are at most 2048 blocks.
  blocked_range(T first, T last, std::size_t grain = 0)
    requires std::random_access_iterator<T>
      : first_(first), last_(last), grain_(grain) {}

  /// Returns the first integer or iterator of the range.
  [[nodiscard]] T begin() const { return first_; }
  /// Returns the end of the range, which is not part of it.
  [[nodiscard]] T end() const { return last_; }
  /// Returns the number of elements of the range.
  [[nodiscard]] std::size_t size() const {
    if constexpr (std::integral<T>) {
      return detail::iterations(first_, last_);
    } else {
      return detail::distance(first_, last_);
    }
  }
  /// Returns true if the range has no elements.
  [[nodiscard]] bool empty() const { return size() == 0; }
  /// Returns the number of elements per block; 0 if the library chooses this number.
  [[nodiscard]] std::size_t grain() const noexcept { return grain_; }
  /// Returns the integers, for a range-based for loop. The result may outlive the blocked range.
  [[nodiscard]] index_range<T> indices() const noexcept
    requires std::integral<T>
  {
    return {first_, last_};
  }

  /// Returns the elements [from, to) of the range, counted from 0. Neither bound may exceed size().
  [[nodiscard]] blocked_range part(std::size_t from, std::size_t to) const {
    if constexpr (std::integral<T>) {
      return blocked_range(detail::index_at(first_, from), detail::index_at(first_, to), grain_);
    } else {
      return blocked_range(detail::advanced(first_, from), detail::advanced(first_, to), grain_);
    }
  }

 private:
  T first_;
  T last_;
  std::size_t grain_;
};

template <std::integral First, std::integral Last>
blocked_range(First, Last, std::size_t = 0) -> blocked_range<std::common_type_t<First, Last>>;
template <std::random_access_iterator T>
blocked_range(T, T, std::size_t = 0) -> blocked_range<T>;

/// A two-dimensional range: rows times columns.
template <typename Rows, typename Columns = Rows>
class blocked_range_2d {
 public:
  /// Makes the product of two ranges, with their grains. If both grains are 0, the blocks are
  /// roughly square.
  blocked_range_2d(const blocked_range<Rows>& rows, const blocked_range<Columns>& columns)
      : rows_(rows), columns_(columns) {}
  /// Makes a range of the rows [row, row_end) and columns [column, column_end); the library chooses
  /// the blocks. Throws the exceptions of `blocked_range`.
  template <std::integral R0, std::integral R1, std::integral C0, std::integral C1>
  blocked_range_2d(R0 row, R1 row_end, C0 column, C1 column_end)
      : rows_(row, row_end), columns_(column, column_end) {}

  /// Returns the range of rows.
  [[nodiscard]] const blocked_range<Rows>& rows() const noexcept { return rows_; }
  /// Returns the range of columns.
  [[nodiscard]] const blocked_range<Columns>& columns() const noexcept { return columns_; }
  /// Returns true if there are no rows or no columns.
  [[nodiscard]] bool empty() const { return rows_.empty() || columns_.empty(); }

 private:
  blocked_range<Rows> rows_;
  blocked_range<Columns> columns_;
};

template <typename R0, typename R1, typename C0, typename C1>
blocked_range_2d(R0, R1, C0, C1)
    -> blocked_range_2d<std::common_type_t<R0, R1>, std::common_type_t<C0, C1>>;

/// A three-dimensional range: pages times rows times columns.
template <typename Pages, typename Rows = Pages, typename Columns = Rows>
class blocked_range_3d {
 public:
  /// Makes the product of three ranges, with their grains. If all grains are 0, the blocks are
  /// roughly cubes.
  blocked_range_3d(const blocked_range<Pages>& pages, const blocked_range<Rows>& rows,
                   const blocked_range<Columns>& columns)
      : pages_(pages), rows_(rows), columns_(columns) {}
  /// Makes a range of the pages [page, page_end), rows [row, row_end) and columns [column,
  /// column_end); the library chooses the blocks. Throws the exceptions of `blocked_range`.
  template <std::integral P0, std::integral P1, std::integral R0, std::integral R1,
            std::integral C0, std::integral C1>
  blocked_range_3d(P0 page, P1 page_end, R0 row, R1 row_end, C0 column, C1 column_end)
      : pages_(page, page_end), rows_(row, row_end), columns_(column, column_end) {}

  /// Returns the range of pages.
  [[nodiscard]] const blocked_range<Pages>& pages() const noexcept { return pages_; }
  /// Returns the range of rows.
  [[nodiscard]] const blocked_range<Rows>& rows() const noexcept { return rows_; }
  /// Returns the range of columns.
  [[nodiscard]] const blocked_range<Columns>& columns() const noexcept { return columns_; }
  /// Returns true if there are no pages, no rows or no columns.
  [[nodiscard]] bool empty() const { return pages_.empty() || rows_.empty() || columns_.empty(); }

 private:
  blocked_range<Pages> pages_;
  blocked_range<Rows> rows_;
  blocked_range<Columns> columns_;
};

template <typename P0, typename P1, typename R0, typename R1, typename C0, typename C1>
blocked_range_3d(P0, P1, R0, R1, C0, C1)
    -> blocked_range_3d<std::common_type_t<P0, P1>, std::common_type_t<R0, R1>,
                        std::common_type_t<C0, C1>>;

namespace detail {

/// The division of a one-, two- or three-dimensional blocked range into blocks. The blocks are
/// numbered so that the last dimension varies fastest. Throws std::length_error if there are more
/// blocks than std::size_t can count.
template <typename Blocked>
class tiling;

template <typename T>
class tiling<blocked_range<T>> {
 public:
  explicit tiling(const blocked_range<T>& all) : all_(all), blocks_(all.size(), all.grain()) {}
  [[nodiscard]] std::size_t number() const noexcept { return blocks_.number(); }
  [[nodiscard]] blocked_range<T> operator[](std::size_t b) const {
    return all_.part(blocks_.first(b), blocks_.last(b));
  }

 private:
  blocked_range<T> all_;
  blocks blocks_;
};

/// The product of two block counts. Throws std::length_error if it cannot be represented.
inline std::size_t blocks_times(std::size_t a, std::size_t b) {
  if (a != 0 && b > (std::numeric_limits<std::size_t>::max)() / a) {
    throw std::length_error("blocked_range: " + std::to_string(a) + " times " + std::to_string(b) +
                            " blocks are more than 2^64 - 1; larger grains make fewer");
  }
  return a * b;
}

/// Chooses the block lengths of the dimensions that have no grain, by halving the largest length
/// until there are enough blocks.
template <std::size_t Dimensions>
void choose_lengths(const std::size_t (&sizes)[Dimensions], std::size_t (&lengths)[Dimensions]) {
  bool chosen[Dimensions] = {};
  std::size_t blocks_so_far = 1;
  for (std::size_t d = 0; d < Dimensions; ++d) {
    chosen[d] = lengths[d] == 0;
    if (chosen[d]) {
      lengths[d] = sizes[d];
    } else {
      blocks_so_far = detail::blocks_times(blocks_so_far, (sizes[d] - 1) / lengths[d] + 1);
    }
  }
  while (blocks_so_far < blocks::most / 2) {
    std::size_t longest = Dimensions;
    for (std::size_t d = 0; d < Dimensions; ++d) {
      if (chosen[d] && lengths[d] > 1 && (longest == Dimensions || lengths[d] > lengths[longest])) {
        longest = d;
      }
    }
    if (longest == Dimensions) return;
    lengths[longest] = (lengths[longest] + 1) / 2;
    blocks_so_far *= 2;
  }
}

template <typename Rows, typename Columns>
class tiling<blocked_range_2d<Rows, Columns>> {
 public:
  explicit tiling(const blocked_range_2d<Rows, Columns>& all)
      : all_(all), rows_(0, 1), columns_(0, 1) {
    if (all.empty()) return;
    const std::size_t sizes[] = {all.rows().size(), all.columns().size()};
    std::size_t lengths[] = {all.rows().grain(), all.columns().grain()};
    detail::choose_lengths(sizes, lengths);
    rows_ = blocks(sizes[0], lengths[0]);
    columns_ = blocks(sizes[1], lengths[1]);
    number_ = detail::blocks_times(rows_.number(), columns_.number());
  }
  [[nodiscard]] std::size_t number() const noexcept { return number_; }
  [[nodiscard]] blocked_range_2d<Rows, Columns> operator[](std::size_t b) const {
    const std::size_t row = b / columns_.number();
    const std::size_t column = b % columns_.number();
    return {all_.rows().part(rows_.first(row), rows_.last(row)),
            all_.columns().part(columns_.first(column), columns_.last(column))};
  }

 private:
  blocked_range_2d<Rows, Columns> all_;
  blocks rows_;
  blocks columns_;
  std::size_t number_ = 0;
};

template <typename Pages, typename Rows, typename Columns>
class tiling<blocked_range_3d<Pages, Rows, Columns>> {
 public:
  explicit tiling(const blocked_range_3d<Pages, Rows, Columns>& all)
      : all_(all), pages_(0, 1), rows_(0, 1), columns_(0, 1) {
    if (all.empty()) return;
    const std::size_t sizes[] = {all.pages().size(), all.rows().size(), all.columns().size()};
    std::size_t lengths[] = {all.pages().grain(), all.rows().grain(), all.columns().grain()};
    detail::choose_lengths(sizes, lengths);
    pages_ = blocks(sizes[0], lengths[0]);
    rows_ = blocks(sizes[1], lengths[1]);
    columns_ = blocks(sizes[2], lengths[2]);
    number_ = detail::blocks_times(detail::blocks_times(pages_.number(), rows_.number()),
                                   columns_.number());
  }
  [[nodiscard]] std::size_t number() const noexcept { return number_; }
  [[nodiscard]] blocked_range_3d<Pages, Rows, Columns> operator[](std::size_t b) const {
    const std::size_t column = b % columns_.number();
    const std::size_t above = b / columns_.number();
    const std::size_t row = above % rows_.number();
    const std::size_t page = above / rows_.number();
    return {all_.pages().part(pages_.first(page), pages_.last(page)),
            all_.rows().part(rows_.first(row), rows_.last(row)),
            all_.columns().part(columns_.first(column), columns_.last(column))};
  }

 private:
  blocked_range_3d<Pages, Rows, Columns> all_;
  blocks pages_;
  blocks rows_;
  blocks columns_;
  std::size_t number_ = 0;
};

}  // namespace detail

}  // namespace evencube
