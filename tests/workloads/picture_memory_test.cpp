// However much a file promises, what reading takes is in proportion to what it holds.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <thread>

#include <evencube/workloads/image_file.hpp>

#include "peak_new.hpp"
#include "test_images.hpp"

namespace evencube::workloads::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t mega = std::size_t{1} << 20;

std::string refusal(const std::function<void()>& read) {
  try {
    read();
  } catch (const image_error& problem) {
    return problem.what();
  }
  return "accepted";
}

std::string refusal(const bytes& file) {
  return refusal([&] { static_cast<void>(decode_picture(file, "photo")); });
}

void append_chunk(bytes& file, const char* name, const bytes& content) {
  const auto number = [&](std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      file.push_back(static_cast<std::uint8_t>(value >> shift));
    }
  };
  number(static_cast<std::uint32_t>(content.size()));
  const auto begin = file.size();
  file.insert(file.end(), name, name + 4);
  file.insert(file.end(), content.begin(), content.end());
  number(static_cast<std::uint32_t>(
      crc32(0, file.data() + begin, static_cast<uInt>(file.size() - begin))));
}

bytes compressed(std::size_t zeros) {
  const bytes plain(zeros);
  uLongf size = compressBound(zeros);
  bytes packed(size);
  EXPECT_EQ(compress2(packed.data(), &size, plain.data(), zeros, 9), Z_OK);
  packed.resize(size);
  return packed;
}

/// A valid header of a picture of 8 bytes a pixel if colour is 6 and bits 16.
bytes png_header(std::uint32_t side, std::uint8_t bits, std::uint8_t colour, bool interlaced) {
  bytes file{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  bytes header;
  for (int twice = 0; twice < 2; ++twice) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      header.push_back(static_cast<std::uint8_t>(side >> shift));
    }
  }
  header.insert(header.end(), {bits, colour, 0, 0, static_cast<std::uint8_t>(interlaced ? 1 : 0)});
  append_chunk(file, "IHDR", header);
  return file;
}

TEST(picture_memory, a_png_of_74_bytes_that_claims_two_gigabytes_takes_next_to_nothing) {
  for (const bool interlaced : {false, true}) {
    auto file = png_header(16384, 16, 6, interlaced);
    append_chunk(file, "IDAT", compressed(16));
    append_chunk(file, "IEND", {});
    forget_peak();
    EXPECT_THAT(refusal(file), HasSubstr("the file ends too early"));
    EXPECT_LT(peak_bytes(), mega);
  }
}

TEST(picture_memory, a_small_png_unfolds_only_as_far_as_it_is_trusted) {
  // One bit a pixel, all zero: 64 million pixels and more in some kilobytes.
  constexpr std::uint32_t side = 8320;
  auto file = png_header(side, 1, 0, false);
  append_chunk(file, "IDAT", compressed(std::size_t{side} * (side / 8 + 1)));
  append_chunk(file, "IEND", {});
  ASSERT_LT(file.size(), 64 * 1024);
  forget_peak();
  EXPECT_THAT(refusal(file), HasSubstr("--max-pixels"));
  EXPECT_LT(peak_bytes(), mega);
  EXPECT_EQ(decode_picture(file, "photo", max_picture_pixels).width(), side);
  EXPECT_LT(peak_bytes(), 2 * std::size_t{side} * side + mega);
}

TEST(picture_memory, an_interlaced_picture_takes_no_more_than_a_plain_one) {
  constexpr std::size_t side = 1024;
  std::vector<bytes> rows(side, bytes(side * 8));
  for (std::size_t y = 0; y < side; ++y) {
    for (std::size_t i = 0; i < side * 8; ++i) rows[y][i] = static_cast<std::uint8_t>(i * 7 + y);
  }
  const auto file = make_png({side, side, 16, PNG_COLOR_TYPE_RGBA, rows, true});
  forget_peak();
  EXPECT_EQ(decode_picture(file, "photo").width(), side);
  EXPECT_LT(peak_bytes(), 2 * side * side + mega);
}

// Each text of 8 KB unfolds to megabytes, and a file may hold a thousand of them.
TEST(picture_memory, texts_in_a_png_are_passed_over) {
  auto file = png_header(1, 8, 0, false);
  auto text = bytes{'k', 0, 0};
  const auto packed = compressed(6 * mega);
  text.insert(text.end(), packed.begin(), packed.end());
  for (int i = 0; i < 500; ++i) append_chunk(file, "zTXt", text);
  append_chunk(file, "IDAT", compressed(2));
  append_chunk(file, "IEND", {});
  // libpng takes its memory by malloc: what counts is how much more of it the process ever had.
  rusage before = {};
  rusage after = {};
  ASSERT_EQ(::getrusage(RUSAGE_SELF, &before), 0);
  EXPECT_EQ(refusal(file), "accepted");
  ASSERT_EQ(::getrusage(RUSAGE_SELF, &after), 0);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 * 1024);  // in KiB
}

TEST(picture_memory, what_stands_behind_a_picture_is_not_read) {
  const scratch_folder folder;
  auto file = text_bytes("P5 4 4 255\n");
  file.insert(file.end(), 16, std::uint8_t{7});
  put_file(folder / "sparse.pgm", file);
  put_file(folder / "sparse.png",
           make_png({4, 4, 8, PNG_COLOR_TYPE_GRAY, std::vector<bytes>(4, bytes(4, 9))}));
  for (const auto& name : folder.names()) {
    std::filesystem::resize_file(folder / name, std::uintmax_t{4} << 30);
    forget_peak();
    EXPECT_EQ(read_picture(folder / name).width(), 4U) << name;
    EXPECT_LT(peak_bytes(), mega) << name;
  }
}

/// What reading from a pipe says while somebody writes `beginning` and then `endless` for ever.
std::string refusal_of_pipe(const std::string& beginning, char endless) {
  const scratch_folder folder;
  const auto pipe = folder / "pipe";
  EXPECT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::signal(SIGPIPE, SIG_IGN);
  std::thread writer{[&] {
    const int out = ::open(pipe.c_str(), O_WRONLY | O_CLOEXEC);
    const std::string piece(65536, endless);
    if (::write(out, beginning.data(), beginning.size()) > 0) {
      while (::write(out, piece.data(), piece.size()) > 0) {
      }
    }
    ::close(out);
  }};
  const auto why = refusal([&] { static_cast<void>(read_picture(pipe)); });
  writer.join();
  return why;
}

TEST(picture_memory, an_endless_pipe_is_given_up) {
  forget_peak();
  EXPECT_THAT(refusal_of_pipe("P5 ", '\0'), HasSubstr("the width is not a number"));
  EXPECT_THAT(refusal_of_pipe("P5 ", ' '), HasSubstr("more than 65536 bytes of white space"));
  EXPECT_THAT(refusal_of_pipe("P5 #", 'x'), HasSubstr("white space and comments"));
  EXPECT_THAT(refusal_of_pipe("P5 1", '1'), HasSubstr("the width is too large"));
  EXPECT_THAT(refusal_of_pipe("P2 2 2 9 1 ", '\n'), HasSubstr("before the last pixel"));
  EXPECT_THAT(refusal_of_pipe("P5 16384 16384 255\n", 'x'), HasSubstr("--max-pixels"));
  EXPECT_EQ(refusal_of_pipe("P5 300 200 255\n", 'x'), "accepted");
  EXPECT_LT(peak_bytes(), mega);
}

}  // namespace
}  // namespace evencube::workloads::testing
