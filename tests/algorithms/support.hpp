#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <compare>
#include <cstddef>
#include <evencube/evencube.hpp>
#include <iterator>
#include <string>

#include "runtime/deadline.hpp"

namespace evencube::test {

/// Tests that run on a runtime whose number of workers is the parameter.
class on_workers : public testing::TestWithParam<unsigned> {
 protected:
  runtime rt_{runtime_options{.workers = GetParam()}};
  deadline deadline_{rt_, std::chrono::seconds{60}};
};

inline std::string workers_name(const testing::TestParamInfo<unsigned>& of) {
  return std::to_string(of.param) + "_workers";
}

/// The numbers in a range. They are not stored in memory: the iterators return values.
class numbers {
 public:
  class iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    using reference = int;
    using pointer = void;

    iterator() = default;
    explicit iterator(int at) : at_(at) {}
    int operator*() const { return at_; }
    int operator[](std::ptrdiff_t n) const { return *(*this + n); }
    iterator& operator+=(std::ptrdiff_t n) {
      at_ += static_cast<int>(n);
      return *this;
    }
    iterator& operator-=(std::ptrdiff_t n) { return *this += -n; }
    iterator& operator++() { return *this += 1; }
    iterator& operator--() { return *this += -1; }
    iterator operator++(int) {
      const iterator before = *this;
      ++*this;
      return before;
    }
    iterator operator--(int) {
      const iterator before = *this;
      --*this;
      return before;
    }
    friend iterator operator+(iterator i, std::ptrdiff_t n) { return i += n; }
    friend iterator operator+(std::ptrdiff_t n, iterator i) { return i += n; }
    friend iterator operator-(iterator i, std::ptrdiff_t n) { return i -= n; }
    friend std::ptrdiff_t operator-(iterator a, iterator b) { return a.at_ - b.at_; }
    friend auto operator<=>(const iterator&, const iterator&) = default;

   private:
    int at_ = 0;
  };

  numbers(int first, int last) : first_(first), last_(last) {}
  [[nodiscard]] iterator begin() const { return iterator(first_); }
  [[nodiscard]] iterator end() const { return iterator(last_); }

 private:
  int first_;
  int last_;
};

}  // namespace evencube::test
