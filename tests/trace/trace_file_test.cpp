#include <zlib.h>

#include <algorithm>
#include <evencube/trace/trace.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_trace.hpp"

namespace evencube::traces {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class trace_file : public testing::Test {
 protected:
  trace_file()
      : path_(std::filesystem::path(testing::TempDir()) /
              (std::string("evencube_") +
               testing::UnitTest::GetInstance()->current_test_info()->name() + ".trace")) {}
  ~trace_file() override { std::filesystem::remove(path_); }

  [[nodiscard]] std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void replace(const std::string& content) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << content;
  }
  [[nodiscard]] std::string refusal() const {
    try {
      (void)read_trace(path_);
    } catch (const trace_error& problem) {
      return problem.what();
    }
    return "accepted";
  }

  /// The same for bytes that never were in a file.
  [[nodiscard]] std::string refusal_of(const std::string& content) const {
    std::istringstream bytes(content);
    try {
      (void)read_trace(bytes, content.size(), path_.string());
    } catch (const trace_error& problem) {
      return problem.what();
    }
    return "accepted";
  }

  std::filesystem::path path_;
};

TEST_F(trace_file, reads_back_what_was_written) {
  trace written = sample_trace();
  written.options = {{"order", "highest"}};
  written.mode = "thread";
  written.period = 250'000;
  written.threshold = 7;
  written.pulls = false;
  written.capacities = {1, 0.5};
  written.costs = {.costs = {1e-7, 2e-6, 3e-9, 4e-8, 5e-8},
                   .links = {.latency = 6e-6, .per_quantum = 7e-9},
                   .workers = 2};
  written.rounds[0].initiator = 1;
  written.rounds[0].seed = ~std::uint64_t{0};
  written.rounds[0].loads = {14, 0};
  written.rounds[0].planned.phases = {{{0, 1, 7}}};
  written.rounds[0].unit = 7;
  put_trace(written, path_);
  EXPECT_EQ(read_trace(path_), written);
}

TEST_F(trace_file, holds_more_entries_than_a_block) {
  trace written = sample_trace();
  for (std::uint64_t i = 0; i < 150'000; ++i) {
    written.tasks.push_back({no_task, 0, 40'000 + i, 1, 40'000 + i, 40'000 + 2 * i});
    written.makespan = std::max(written.makespan, written.tasks.back().ended);
  }
  put_trace(written, path_);
  EXPECT_EQ(read_trace(path_), written);
}

TEST_F(trace_file, refuses_a_file_cut_anywhere_and_says_where) {
  put_trace(sample_trace(), path_);
  const std::string whole = bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_THAT(refusal_of(whole.substr(0, size)),
                AllOf(HasSubstr(path_.string()), HasSubstr("byte ")))
        << size;
  }
}

TEST_F(trace_file, refuses_any_changed_byte) {
  put_trace(sample_trace(), path_);
  const std::string whole = bytes();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    ASSERT_NE(refusal_of(damaged), "accepted") << "byte " << at;
  }
}

TEST_F(trace_file, names_what_is_wrong) {
  EXPECT_THAT(refusal(), HasSubstr("cannot open"));
  replace("a text that is no trace");
  EXPECT_THAT(refusal(), HasSubstr("does not begin with EVCTRACE"));
  put_trace(sample_trace(), path_);
  std::string later = bytes();
  later[8] = 9;
  replace(later);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("byte 8"), HasSubstr("version 9")));
  put_trace(sample_trace(), path_);
  replace(bytes() + "more");
  EXPECT_THAT(refusal(), HasSubstr("4 bytes follow the end"));
}

TEST_F(trace_file, inconsistent_traces_are_not_written) {
  const auto message_of = [&](auto&& change) -> std::string {
    trace t = sample_trace();
    change(t);
    try {
      put_trace(t, path_);
    } catch (const trace_error& problem) {
      return problem.what();
    }
    return "accepted";
  };
  EXPECT_THAT(message_of([](trace& t) { t.tasks[1].parent = 9; }), HasSubstr("task 1"));
  EXPECT_THAT(message_of([](trace& t) { t.tasks[1].worker = 2; }), HasSubstr("task 1"));
  EXPECT_THAT(message_of([](trace& t) { t.tasks[2].ended = 1; }), HasSubstr("task 2"));
  EXPECT_THAT(message_of([](trace& t) { t.waits[0].ended = 99'000; }), HasSubstr("wait 0"));
  EXPECT_THAT(message_of([](trace& t) { t.migrations[0].round = 3; }), HasSubstr("migration 0"));
  EXPECT_THAT(message_of([](trace& t) { t.rounds[0].loads.pop_back(); }), HasSubstr("round 0"));
  EXPECT_THAT(message_of([](trace& t) { t.costs.links.latency = -1; }), HasSubstr("latency is -1"));
  EXPECT_THAT(message_of([](trace& t) { t.topology = "blob:3"; }), HasSubstr("blob"));
  EXPECT_THAT(message_of([](trace& t) { t.mode = "auto"; }), HasSubstr("the mode is \"auto\""));
  EXPECT_THAT(message_of([](trace& t) { t.period = 5; }), HasSubstr("the period is 5 ns"));
  EXPECT_THAT(message_of([](trace& t) {
                t.mode = "thread";
                t.period = latest_trace_time + 1;
              }),
              HasSubstr("are allowed"));
  EXPECT_THAT(message_of([](trace& t) { t.threshold = -1; }), HasSubstr("the threshold is -1"));
  EXPECT_THAT(message_of([](trace& t) {
                t.balancer = "random_stealing";
                t.pulls = false;
              }),
              HasSubstr("by pulls alone"));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

std::string packed(const trace& recorded) {
  std::string content;
  write_packed_trace(recorded, [&](std::span<const std::uint8_t> bytes) {
    content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  return content;
}

TEST_F(trace_file, reads_back_what_was_packed) {
  trace written = sample_trace();
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    written.tasks.push_back({no_task, 0, 40'000 + i, 1, 40'000 + i, 40'000 + 2 * i});
    written.makespan = std::max(written.makespan, written.tasks.back().ended);
  }
  const std::string content = packed(written);
  EXPECT_EQ(content, packed(written));
  replace(content);
  EXPECT_EQ(read_trace(path_), written);
  EXPECT_LT(content.size(), 20000 * 20U);
}

TEST_F(trace_file, says_what_is_wrong_with_a_packed_one) {
  const std::string content = packed(sample_trace());
  const std::string name = path_.string() + ": byte ";
  EXPECT_THAT(refusal_of(content.substr(0, content.size() - 3)),
              AllOf(HasSubstr(name), HasSubstr("cut: the packed trace goes on")));
  EXPECT_THAT(refusal_of(content + "xy"), HasSubstr("2 bytes follow the end"));
  std::string damaged = content;
  damaged[content.size() / 2] = static_cast<char>(damaged[content.size() / 2] ^ 0x55);
  EXPECT_THAT(refusal_of(damaged), HasSubstr(path_.string()));
  damaged = content;
  damaged[content.size() - 6] = static_cast<char>(damaged[content.size() - 6] ^ 1);  // its CRC
  EXPECT_THAT(refusal_of(damaged), HasSubstr("damaged: cannot be unpacked"));
  EXPECT_THAT(refusal_of("\x1F\x8B"), HasSubstr("cut"));
}

// A kilobyte of zeros that become a megabyte would be harmless; without a bound it is not.
TEST_F(trace_file, does_not_unpack_what_a_small_file_unfolds_to) {
  std::string content;
  z_stream stream{};
  ASSERT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::vector<Bytef> zeros(std::size_t{64} << 20);
  content.resize(std::size_t{1} << 20);
  stream.next_in = zeros.data();
  stream.avail_in = static_cast<uInt>(zeros.size());
  stream.next_out = reinterpret_cast<Bytef*>(content.data());
  stream.avail_out = static_cast<uInt>(content.size());
  ASSERT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  content.resize(stream.total_out);
  deflateEnd(&stream);
  EXPECT_THAT(refusal_of(content), HasSubstr("unpacks to more than"));
}

}  // namespace
}  // namespace evencube::traces
