#pragma once

#include <algorithm>
#include <atomic>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <evencube/interop/tbb/allocators.hpp>
#include <evencube/interop/tbb/blocked_range.hpp>

namespace evencube::tbb {

/// The method by which oneTBB's enumerable_thread_specific finds a thread's value. In EvenCube, the
/// choice has no effect.
enum ets_key_usage_type { ets_key_per_instance, ets_no_key, ets_suspend_aware };

namespace detail {

/// The values that the calling thread used last, keyed by the numbers of the objects that own the
/// values.
struct recent_places {
  struct entry {
    std::uint64_t number = 0;
    void* value = nullptr;
  };
  static constexpr std::size_t size = 64;
  entry entries[size];

  [[nodiscard]] entry& at(std::uint64_t number) noexcept { return entries[number % size]; }
};
inline thread_local recent_places places_here{};

/// Returns a number that no other object has or had; never 0.
inline std::uint64_t new_number() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

/// A random-access iterator over the threads' values.
template <typename Owner, typename Value>
class thread_value_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = Value;  // const for constant values, as in oneTBB
  using difference_type = std::ptrdiff_t;
  using reference = Value&;
  using pointer = Value*;

  thread_value_iterator() = default;
  thread_value_iterator(const Owner& of, std::ptrdiff_t index) : of_(&of), index_(index) {}
  // NOLINTNEXTLINE(google-explicit-constructor): as for all iterators
  operator thread_value_iterator<Owner, const Value>() const
    requires(!std::is_const_v<Value>)
  {
    return of_ == nullptr ? thread_value_iterator<Owner, const Value>()
                          : thread_value_iterator<Owner, const Value>(*of_, index_);
  }

  reference operator*() const { return of_->at(static_cast<std::size_t>(index_)); }
  pointer operator->() const { return std::addressof(**this); }
  reference operator[](difference_type n) const { return *(*this + n); }
  thread_value_iterator& operator+=(difference_type n) {
    index_ += n;
    return *this;
  }
  thread_value_iterator& operator-=(difference_type n) { return *this += -n; }
  thread_value_iterator& operator++() { return *this += 1; }
  thread_value_iterator& operator--() { return *this -= 1; }
  thread_value_iterator operator++(int) { return std::exchange(*this, *this + 1); }
  thread_value_iterator operator--(int) { return std::exchange(*this, *this - 1); }
  friend thread_value_iterator operator+(thread_value_iterator i, difference_type n) {
    return i += n;
  }
  friend thread_value_iterator operator+(difference_type n, thread_value_iterator i) {
    return i += n;
  }
  friend thread_value_iterator operator-(thread_value_iterator i, difference_type n) {
    return i -= n;
  }
  friend difference_type operator-(const thread_value_iterator& a, const thread_value_iterator& b) {
    return a.index_ - b.index_;
  }
  friend bool operator==(const thread_value_iterator& a, const thread_value_iterator& b) {
    return a.index_ == b.index_;
  }
  friend auto operator<=>(const thread_value_iterator& a, const thread_value_iterator& b) {
    return a.index_ <=> b.index_;
  }

 private:
  const Owner* of_ = nullptr;
  std::ptrdiff_t index_ = 0;
};

/// A range of the threads' values, for parallel loops.
template <typename Iterator>
class thread_value_range : public blocked_range<Iterator> {
 public:
  using value_type = typename std::iterator_traits<Iterator>::value_type;
  using reference = typename std::iterator_traits<Iterator>::reference;
  using iterator = Iterator;
  using const_iterator = Iterator;
  using difference_type = std::ptrdiff_t;

  thread_value_range(Iterator first, Iterator last, std::size_t grain = 1)
      : blocked_range<Iterator>(first, last, grain) {}
  thread_value_range(thread_value_range& r, split by) : blocked_range<Iterator>(r, by) {}
  thread_value_range(thread_value_range& r, const proportional_split& by)
      : blocked_range<Iterator>(r, by) {}
  /// Makes a range of constant values from a range of values.
  template <typename Other>
    requires(!std::is_same_v<Other, Iterator> && std::is_convertible_v<Other, Iterator>)
  // NOLINTNEXTLINE(google-explicit-constructor): as oneTBB's
  thread_value_range(const thread_value_range<Other>& r)
      : blocked_range<Iterator>(r.begin(), r.end(), r.grainsize()) {}
};

}  // namespace detail

/// One value per thread that calls `local`. Several threads may call `local` simultaneously; no
/// other member may be called meanwhile.
template <typename T, typename Allocator = cache_aligned_allocator<T>,
          ets_key_usage_type Key = ets_no_key>
class enumerable_thread_specific {
  struct shared {};  // the tag of a private constructor

 public:
  using allocator_type = Allocator;
  using value_type = T;
  using reference = T&;
  using const_reference = const T&;
  using pointer = T*;
  using const_pointer = const T*;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using iterator = detail::thread_value_iterator<enumerable_thread_specific, T>;
  using const_iterator = detail::thread_value_iterator<enumerable_thread_specific, const T>;
  using range_type = detail::thread_value_range<iterator>;
  using const_range_type = detail::thread_value_range<const_iterator>;

  enumerable_thread_specific() : make_([](void* at) { ::new (at) T(); }) {}
  /// Makes an object that makes each value by calling make().
  template <typename Make>
    requires std::is_invocable_r_v<T, std::decay_t<Make>&> && (!std::same_as<std::decay_t<Make>, T>)
  explicit enumerable_thread_specific(Make make)
      : make_([make](void* at) mutable { ::new (at) T(make()); }) {}
  /// Makes an object whose values begin as copies of `exemplar`.
  explicit enumerable_thread_specific(const T& exemplar)
      : enumerable_thread_specific(shared(), exemplar) {}
  explicit enumerable_thread_specific(T&& exemplar)
      : enumerable_thread_specific(shared(), std::move(exemplar)) {}
  /// Makes an object that makes each value from these arguments.
  template <typename First, typename... More>
    requires((sizeof...(More) > 0 && !std::same_as<std::decay_t<First>, shared>) ||
             (sizeof...(More) == 0 && !std::is_invocable_r_v<T, std::decay_t<First>&> &&
              !std::same_as<std::decay_t<First>, T> &&
              !std::derived_from<std::decay_t<First>, enumerable_thread_specific> &&
              std::constructible_from<T, const std::decay_t<First>&>))
  explicit enumerable_thread_specific(First&& first, More&&... more)
      : enumerable_thread_specific(shared(), std::forward<First>(first),
                                   std::forward<More>(more)...) {}

  /// Copies the values: each thread's value here is a copy of its value in `other`.
  enumerable_thread_specific(const enumerable_thread_specific& other) : make_(other.make_) {
    copy_values(other);
  }
  enumerable_thread_specific(enumerable_thread_specific&& other) : make_(other.make_) {
    take(other);
  }
  template <typename Other, ets_key_usage_type OtherKey>
    requires(
        !std::same_as<enumerable_thread_specific<T, Other, OtherKey>, enumerable_thread_specific>)
  explicit enumerable_thread_specific(const enumerable_thread_specific<T, Other, OtherKey>& other)
      : make_(other.make_) {
    copy_values(other);
  }
  template <typename Other, ets_key_usage_type OtherKey>
    requires(
        !std::same_as<enumerable_thread_specific<T, Other, OtherKey>, enumerable_thread_specific>)
  explicit enumerable_thread_specific(enumerable_thread_specific<T, Other, OtherKey>&& other)
      : make_(other.make_) {
    take(other);
  }
  template <typename Other, ets_key_usage_type OtherKey>
  enumerable_thread_specific& operator=(
      const enumerable_thread_specific<T, Other, OtherKey>& other) {
    enumerable_thread_specific copy(other);
    return *this = std::move(copy);
  }
  enumerable_thread_specific& operator=(const enumerable_thread_specific& other) {
    if (this != &other) {
      enumerable_thread_specific copy(other);
      *this = std::move(copy);
    }
    return *this;
  }
  enumerable_thread_specific& operator=(enumerable_thread_specific&& other) {
    if (this != &other) {
      make_ = other.make_;
      clear();
      take(other);
    }
    return *this;
  }
  ~enumerable_thread_specific() = default;

  /// Returns the calling thread's value, and makes it first if it does not exist.
  reference local() {
    bool existed = false;
    return local(existed);
  }
  /// Like `local()`, but also sets `exists` to true if the value already existed, otherwise to
  /// false.
  reference local(bool& exists) {
    detail::recent_places::entry& recent = detail::places_here.at(number_);
    exists = true;
    if (recent.number == number_) return *static_cast<T*>(recent.value);
    T* const value = find(exists);
    // Looked up again, because the value's constructor may have used other values.
    detail::places_here.at(number_) = {number_, value};
    return *value;
  }
  [[nodiscard]] size_type size() const noexcept { return values_.size(); }
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
  iterator begin() { return iterator(*this, 0); }
  iterator end() { return iterator(*this, static_cast<std::ptrdiff_t>(size())); }
  const_iterator begin() const { return const_iterator(*this, 0); }
  const_iterator end() const { return const_iterator(*this, static_cast<std::ptrdiff_t>(size())); }
  range_type range(size_type grain = 1) { return range_type(begin(), end(), grain); }
  const_range_type range(size_type grain = 1) const {
    return const_range_type(begin(), end(), grain);
  }
  /// Returns all values combined from left to right, or a new value if there are none.
  template <typename F>
  T combine(F f) {
    if (empty()) {
      place made(make_);
      return std::move(made.value);
    }
    T all = at(0);
    for (std::size_t k = 1; k < size(); ++k) all = f(all, at(k));
    return all;
  }
  template <typename F>
  void combine_each(F f) {
    for (T& value : *this) f(value);
  }
  void clear() {
    number_ = detail::new_number();
    of_thread_.clear();
    values_.clear();
  }
  void swap(enumerable_thread_specific& other) {
    enumerable_thread_specific before(std::move(*this));
    *this = std::move(other);
    other = std::move(before);
  }

 private:
  template <typename, typename, ets_key_usage_type>
  friend class enumerable_thread_specific;
  friend iterator;
  friend const_iterator;

  /// A value that has cache lines to itself.
  struct alignas(alignof(T) > 128 ? alignof(T) : 128) place {
    explicit place(const std::function<void(void*)>& make) { make(&value); }
    explicit place(const T& of) { ::new (static_cast<void*>(&value)) T(of); }
    place(const place&) = delete;
    place& operator=(const place&) = delete;
    ~place() { value.~T(); }

    union {
      T value;
    };
  };
  template <typename... Arguments>
  explicit enumerable_thread_specific(shared /*tag*/, Arguments&&... arguments)
      : make_([kept = std::make_shared<const std::tuple<std::decay_t<Arguments>...>>(
                   std::forward<Arguments>(arguments)...)](void* at) {
          std::apply([at](const auto&... each) { ::new (at) T(each...); }, *kept);
        }) {}

  [[nodiscard]] T& at(std::size_t index) const { return values_[index]->value; }

  T* find(bool& exists) {
    const std::thread::id self = std::this_thread::get_id();
    {
      const std::lock_guard lock(lock_);
      const auto found = of_thread_.find(self);
      if (found != of_thread_.end()) return &values_[found->second]->value;
    }
    exists = false;
    auto made = std::make_unique<place>(make_);  // not locked: `make_` may call `local`
    T* const value = &made->value;
    const std::lock_guard lock(lock_);
    of_thread_.emplace(self, values_.size());
    values_.push_back(std::move(made));
    return value;
  }
  template <typename Other>
  void copy_values(const Other& other) {
    if constexpr (std::copy_constructible<T>) {
      for (const auto& one : other.values_) values_.push_back(std::make_unique<place>(one->value));
      of_thread_ = other.of_thread_;
    }
  }
  template <typename Other>
  void take(Other& other) {
    if constexpr (std::same_as<Other, enumerable_thread_specific>) {
      values_ = std::move(other.values_);
      of_thread_ = std::move(other.of_thread_);
    } else {
      copy_values(other);
    }
    other.clear();
  }

  std::uint64_t number_ = detail::new_number();
  std::function<void(void*)> make_;
  std::mutex lock_;  // guards the next two members while threads call `local`
  std::vector<std::unique_ptr<place>> values_;
  std::unordered_map<std::thread::id, std::size_t> of_thread_;
};

/// A view of the elements of all containers in a container, in order.
template <typename Container>
class flattened2d {
  using outer_iterator = decltype(std::begin(std::declval<const Container&>()));

 public:
  using inner_type = typename Container::value_type;
  using value_type = typename inner_type::value_type;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = value_type&;
  using const_reference = const value_type&;

 private:
  template <typename Value>
  class element_iterator {
    using inner = std::remove_const_t<inner_type>;
    using inner_iterator = decltype(std::begin(std::declval<inner&>()));

   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::remove_const_t<Value>;
    using difference_type = std::ptrdiff_t;
    using reference = Value&;
    using pointer = Value*;

    element_iterator() = default;
    element_iterator(outer_iterator at, outer_iterator end) : outer_(at), end_(end) {
      if (outer_ != end_) element_ = std::begin(inner_here());
      skip();
    }
    /// As in oneTBB, constant and other iterators convert to each other.
    template <typename Other>
      requires std::is_same_v<std::remove_const_t<Other>, value_type>
    // NOLINTNEXTLINE(google-explicit-constructor): as oneTBB's
    element_iterator(const element_iterator<Other>& other)
        : outer_(other.outer_), end_(other.end_), element_(other.element_) {}
    reference operator*() const { return *element_; }
    pointer operator->() const { return std::addressof(*element_); }
    element_iterator& operator++() {
      ++element_;
      skip();
      return *this;
    }
    element_iterator operator++(int) {
      element_iterator before(*this);
      ++*this;
      return before;
    }
    template <typename Other>
    bool operator==(const element_iterator<Other>& other) const {
      return outer_ == other.outer_ && (outer_ == end_ || element_ == other.element_);
    }

   private:
    template <typename Other>
    friend class element_iterator;

    // As in oneTBB, the elements are not const, even if the container is const.
    [[nodiscard]] inner& inner_here() const { return const_cast<inner&>(*outer_); }
    void skip() {
      while (outer_ != end_ && element_ == std::end(inner_here())) {
        if (++outer_ != end_) element_ = std::begin(inner_here());
      }
    }

    outer_iterator outer_{};
    outer_iterator end_{};
    inner_iterator element_{};
  };

 public:
  using iterator = element_iterator<value_type>;
  using const_iterator = element_iterator<const value_type>;

  explicit flattened2d(const Container& of) : first_(std::begin(of)), last_(std::end(of)) {}
  flattened2d(const Container& /*of*/, outer_iterator first, outer_iterator last)
      : first_(first), last_(last) {}

  iterator begin() { return iterator(first_, last_); }
  iterator end() { return iterator(last_, last_); }
  const_iterator begin() const { return const_iterator(first_, last_); }
  const_iterator end() const { return const_iterator(last_, last_); }
  [[nodiscard]] size_type size() const {
    size_type all = 0;
    for (auto i = first_; i != last_; ++i) all += i->size();
    return all;
  }

 private:
  outer_iterator first_;
  outer_iterator last_;
};

template <typename Container>
flattened2d<Container> flatten2d(const Container& of) {
  return flattened2d<Container>(of);
}
template <typename Container>
flattened2d<Container> flatten2d(const Container& of,
                                 decltype(std::begin(std::declval<const Container&>())) first,
                                 decltype(std::begin(std::declval<const Container&>())) last) {
  return flattened2d<Container>(of, first, last);
}

}  // namespace evencube::tbb
