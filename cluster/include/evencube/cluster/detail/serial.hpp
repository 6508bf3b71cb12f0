#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <limits>
#include <ostream>
#include <streambuf>
#include <string>
#include <type_traits>
#include <vector>

#include <cereal/archives/binary.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/vector.hpp>

#include <evencube/cluster/detail/bytes.hpp>

namespace evencube::detail {

/// True for types with members by which cereal writes them. The output of these members is sent,
/// even if the type could be copied byte by byte.
template <typename T>
inline constexpr bool writes_itself =
    cereal::traits::has_member_serialize<T, cereal::BinaryOutputArchive>::value ||
    cereal::traits::has_member_save<T, cereal::BinaryOutputArchive>::value ||
    cereal::traits::has_member_save_minimal<T, cereal::BinaryOutputArchive>::value;

/// True for types that are sent as they are in memory.
template <typename T>
inline constexpr bool is_sent_as_it_is = goes_as_it_lies<T> && !writes_itself<T>;

template <typename T>
inline constexpr bool is_block = false;
/// True for types whose elements are one piece of memory: one copy into the message, one out of it.
template <typename T, typename A>
inline constexpr bool is_block<std::vector<T, A>> = is_sent_as_it_is<T> && !std::same_as<T, bool>;
template <typename A>
inline constexpr bool is_block<std::basic_string<char, std::char_traits<char>, A>> = true;

/// The stream buffer to which cereal's archives write.
class writing_buffer final : public std::streambuf {
 public:
  explicit writing_buffer(byte_writer& into) : into_(into) {}

 private:
  std::streamsize xsputn(const char* from, std::streamsize count) override {
    into_.raw(from, static_cast<std::size_t>(count));
    return count;
  }
  int_type overflow(int_type c) override {
    const char one = traits_type::to_char_type(c);
    into_.raw(&one, 1);
    return c;
  }

  byte_writer& into_;
};

/// The stream buffer from which cereal's archives read.
class reading_buffer final : public std::streambuf {
 public:
  explicit reading_buffer(byte_reader& from) : from_(from) {}

 private:
  std::streamsize xsgetn(char* to, std::streamsize count) override {
    from_.raw(to, static_cast<std::size_t>(count));
    return count;
  }

  byte_reader& from_;
};

/// Appends a value: as it is in memory if that is enough, otherwise by cereal. Throws what cereal
/// throws.
template <typename T>
void write_value(byte_writer& out, const T& value) {
  static_assert(!std::is_pointer_v<T>, "an address means nothing to another rank");
  if constexpr (is_sent_as_it_is<T>) {
    out.put(value);
  } else if constexpr (is_block<T>) {
    out.block(value.data(), value.size() * sizeof(typename T::value_type));
  } else {
    writing_buffer buffer(out);
    std::ostream stream(&buffer);
    cereal::BinaryOutputArchive archive(stream);
    archive(value);
  }
}

template <typename T>
[[nodiscard]] T read_value(byte_reader& in) {
  static_assert(std::default_initializable<T>,
                "what travels between ranks is made first and then read: it needs a constructor "
                "without arguments");
  if constexpr (is_sent_as_it_is<T>) {
    return in.get<T>();
  } else if constexpr (is_block<T>) {
    using element = typename T::value_type;
    const auto found = in.block();
    T value(found.size() / sizeof(element), element{});
    if (!found.empty()) std::memcpy(value.data(), found.data(), found.size());
    return value;
  } else {
    T value{};
    reading_buffer buffer(in);
    std::istream stream(&buffer);
    cereal::BinaryInputArchive archive(stream);
    archive(value);
    return value;
  }
}

/// Writes a value, within what cereal writes, as it would travel alone.
template <typename Archive, typename T>
void save_value(Archive& archive, const T& value) {
  byte_writer out;
  write_value(out, value);
  const message_bytes bytes = out.take();
  archive(std::uint64_t{bytes.size()}, cereal::binary_data(bytes.data(), bytes.size()));
}
template <typename Archive, typename T>
void load_value(Archive& archive, T& value) {
  std::uint64_t size = 0;
  archive(size);
  message_bytes bytes(static_cast<std::size_t>(size));
  archive(cereal::binary_data(bytes.data(), bytes.size()));
  byte_reader in(bytes);
  value = read_value<T>(in);
}

}  // namespace evencube::detail
