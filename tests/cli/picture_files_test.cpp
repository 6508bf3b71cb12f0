// evencube run edges on a user's own files: a readable file becomes a picture, and a bad file never
// changes files that exist.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <evencube/workloads/image_file.hpp>
#include <evencube/workloads/sobel.hpp>

#include "../workloads/test_images.hpp"
#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using workloads::testing::bytes;
using workloads::testing::file_bytes;
using workloads::testing::make_png;
using workloads::testing::put_file;
using workloads::testing::scratch_folder;
using workloads::testing::text_bytes;

/// A grey picture with a bright square in it.
bytes square_png() {
  std::vector<bytes> rows(60, bytes(80, 10));
  for (std::size_t y = 20; y < 40; ++y) {
    std::fill(rows[y].begin() + 30, rows[y].begin() + 50, std::uint8_t{240});
  }
  return make_png({80, 60, 8, PNG_COLOR_TYPE_GRAY, rows});
}

TEST(pictures, edges_are_written_as_grey_when_no_lines_are_asked_for) {
  const scratch_folder folder;
  put_file(folder / "in.png", square_png());
  const auto result = evencube({"run", "edges", "--lines", "0", "--input", folder / "in.png",
                                "--output", folder / "out.png"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("wrote " + (folder / "out.png").string()));
  const auto picture = workloads::read_picture(folder / "in.png");
  workloads::grey8 expected{80, 60};
  workloads::sobel_tile(picture, {0, 0, 80, 60}, 1, expected);
  const auto found = workloads::read_picture(folder / "out.png");
  ASSERT_EQ(found.samples().size(), expected.samples().size());
  for (std::size_t at = 0; at < expected.samples().size(); ++at) {
    ASSERT_EQ(found.samples()[at], expected.samples()[at] * 257) << at;
  }
  EXPECT_THAT(folder.names(), ElementsAre("in.png", "out.png"));
}

TEST(pictures, lines_are_drawn_in_colour) {
  const scratch_folder folder;
  put_file(folder / "in.png", square_png());
  const auto result = evencube({"run", "edges", "--lines", "4", "--input", folder / "in.png",
                                "--output", folder / "out.png", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(file_bytes(folder / "out.png").at(25), PNG_COLOR_TYPE_RGB);
  // Red 255, green and blue 40: brighter than black, darker than any edge of the square. A line
  // crosses the whole picture, so that each of the four lines has at least 60 pixels.
  const auto found = workloads::read_picture(folder / "out.png");
  const auto ink = std::ranges::count_if(found.samples(), [](std::uint16_t grey) {
    return grey / 257 == (19595 * 255 + (38470 + 7471) * 40) / 65536;
  });
  EXPECT_GE(ink, 100);
}

TEST(pictures, without_edges_there_is_no_second_stage) {
  const scratch_folder folder;
  put_file(folder / "flat.png",
           make_png({100, 50, 8, PNG_COLOR_TYPE_GRAY, std::vector<bytes>(50, bytes(100, 70))}));
  put_file(folder / "square.png", square_png());
  const auto tasks = [&](const std::string& name) {
    return evencube({"run", "edges", "--tile", "32", "--json", "--input", folder / name})
        .as_json()["tasks"]
        .get<int>();
  };
  EXPECT_EQ(tasks("flat.png"), 4 * 2);
  // All tiles except the two on the right, which the square does not reach.
  EXPECT_EQ(tasks("square.png"), 3 * 2 + 4);
}

TEST(pictures, every_readable_kind_can_be_the_input) {
  const scratch_folder folder;
  put_file(folder / "a.pgm", text_bytes("P2 2 2 255 0 255 0 255"));
  put_file(folder / "b.ppm", text_bytes("P3 1 1 255 1 2 3"));
  put_file(folder / "c.png", make_png({1, 1, 16, PNG_COLOR_TYPE_RGBA, {bytes(8, 7)}, true}));
  put_file(folder / "really-a-pgm.png", text_bytes("P2 1 1 255 9"));
  for (const auto& name : folder.names()) {
    const auto result = evencube(
        {"run", "edges", "--input", folder / name, "--output", folder / "out.png", "--json"});
    EXPECT_EQ(result.status, 0) << name << ": " << result.err;
    EXPECT_EQ(result.as_json()["verified"], true) << name;
  }
}

// An input is never replaced, whatever name leads to it.
TEST(inputs, are_not_replaced_by_results) {
  const scratch_folder folder;
  std::filesystem::create_directory(folder / "in");
  std::filesystem::create_directory(folder / "out");
  put_file(folder / "in/photo.png", square_png());
  put_file(folder / "in/a.mtx",
           text_bytes("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n"));
  put_file(folder / "in/lines.txt", text_bytes("b\na\n"));
  for (const auto& [workload, name] :
       {std::pair{"edges", "photo.png"}, {"pagerank", "a.mtx"}, {"sort", "lines.txt"}}) {
    const auto input = folder / "in" / name;
    const auto before = file_bytes(input);
    std::filesystem::create_symlink(input, folder / "link");
    std::filesystem::create_hard_link(input, folder / "twin");
    for (const auto& output :
         {input, folder / "in/../in" / name, folder / "link", folder / "twin"}) {
      const auto result = evencube({"run", workload, "--input", input, "--output", output});
      EXPECT_EQ(result.status, 2) << output;
      EXPECT_THAT(result.err,
                  HasSubstr("--output " + output.string() + ": this is also the file of --input"));
      EXPECT_EQ(file_bytes(input), before);
    }
    std::filesystem::remove(folder / "link");
    std::filesystem::remove(folder / "twin");
  }
  // Inputs in a folder are not replaced either.
  std::filesystem::create_symlink("../in/photo.png", folder / "out/photo.png");
  for (const auto& words : {std::vector<std::string>{"--output", folder / "out"},
                            {"--trace", folder / "in/photo.png"},
                            {"--trace", folder / "out/photo.png"}}) {
    auto arguments = std::vector<std::string>{"run", "edges", "--input", folder / "in"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const auto result = evencube(arguments);
    EXPECT_EQ(result.status, 2) << words.back();
    EXPECT_THAT(result.err, HasSubstr("this is also the file of --input"));
    EXPECT_EQ(file_bytes(folder / "in/photo.png"), square_png());
  }
}

class bad_inputs : public ::testing::Test {
 protected:
  bad_inputs() { put_file(folder_ / "out.png", text_bytes("precious")); }

  void expect_refusal(const std::filesystem::path& input, const std::string& reason) {
    const auto names = folder_.names();
    const auto result = evencube(
        {"run", "edges", "--input", input.string(), "--output", folder_ / "out.png", "--json"});
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(input.string()));
    EXPECT_THAT(result.err, HasSubstr(reason));
    EXPECT_EQ(file_bytes(folder_ / "out.png"), text_bytes("precious"));
    EXPECT_EQ(folder_.names(), names);
  }

  void expect_refusal(const bytes& content, const std::string& reason) {
    put_file(folder_ / "in.png", content);
    expect_refusal(folder_ / "in.png", reason);
  }

  scratch_folder folder_;
};

TEST_F(bad_inputs, missing) {
  expect_refusal(folder_ / "missing.png", "No such file or directory");
}

// Results of a folder go to a folder; here a file has the name of that folder.
TEST_F(bad_inputs, a_folder_into_a_file) {
  expect_refusal(folder_.path(), "cannot make the folder");
}

TEST_F(bad_inputs, empty) { expect_refusal(bytes{}, "the file is empty"); }

TEST_F(bad_inputs, truncated) {
  auto cut = square_png();
  cut.resize(cut.size() * 2 / 3);
  expect_refusal(cut, "ends too early");
}

TEST_F(bad_inputs, no_pixels) {
  auto nothing = square_png();
  std::fill(nothing.begin() + 16, nothing.begin() + 24, std::uint8_t{0});
  expect_refusal(nothing, "0 x 0 pixels");
}

TEST_F(bad_inputs, too_many_pixels) {
  auto huge = square_png();
  std::fill(huge.begin() + 16, huge.begin() + 24, std::uint8_t{0x7f});
  expect_refusal(huge, "at most 32768");
}

TEST_F(bad_inputs, text_that_is_called_png) {
  expect_refusal(text_bytes("This is no picture.\n"), "not a PNG, PGM or PPM");
}

TEST_F(bad_inputs, size_beside_a_file) {
  put_file(folder_ / "in.png", square_png());
  const auto result = evencube({"run", "edges", "--size", "100", "--input", folder_ / "in.png"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("cannot be combined with --input"));
}

TEST_F(bad_inputs, other_bad_arguments_leave_the_output_alone) {
  put_file(folder_ / "in.png", square_png());
  for (const std::string more : {"--workers 0", "--balancer magic", "--tile 1", "--bogus"}) {
    auto arguments = words("run edges " + more);
    arguments.insert(arguments.end(),
                     {"--input", folder_ / "in.png", "--output", folder_ / "out.png"});
    EXPECT_EQ(evencube(arguments).status, 2) << more;
    EXPECT_EQ(file_bytes(folder_ / "out.png"), text_bytes("precious")) << more;
  }
}

TEST(bad_outputs, are_found_before_the_work_begins) {
  const scratch_folder folder;
  put_file(folder / "in.png", square_png());
  const std::vector<std::pair<std::filesystem::path, std::string>> cases = {
      {folder / "missing/out.png", "No such file or directory"},
      {folder.path(), "Is a directory"},
      {folder / "in.png/out.png", "Not a directory"},
      {"/dev/full", "not a regular file"},
      {"/proc/out.png", "cannot write"},
  };
  for (const auto& [output, reason] : cases) {
    const auto result = evencube(
        {"run", "edges", "--input", folder / "in.png", "--output", output.string(), "--json"});
    EXPECT_EQ(result.status, 2) << output;
    EXPECT_EQ(result.out, "") << output;
    EXPECT_THAT(result.err, HasSubstr(output.string()));
    EXPECT_THAT(result.err, HasSubstr(reason));
  }
  EXPECT_THAT(folder.names(), ElementsAre("in.png"));
}

TEST(bad_outputs, a_workload_without_a_result_takes_none) {
  const scratch_folder folder;
  const auto result = evencube({"run", "spin", "--output", folder / "out.png"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("so --output is not allowed"));
  EXPECT_TRUE(folder.names().empty());
}

TEST(bad_outputs, a_write_that_fails_half_way_leaves_the_old_file_and_nothing_else) {
  const scratch_folder folder;
  put_file(folder / "out.png", text_bytes("precious"));
  // The file-size limit is one block: the disk is "full" when the picture is written.
  const auto result =
      shell("trap '' XFSZ; ulimit -f 1; exec \"$0\" run edges --size 900 --no-verify --output '" +
            (folder / "out.png").string() + "' 2>&1 | cat");
  EXPECT_THAT(result.out, HasSubstr("cannot write: File too large"));
  EXPECT_EQ(file_bytes(folder / "out.png"), text_bytes("precious"));
  EXPECT_THAT(folder.names(), ElementsAre("out.png"));
}

TEST(bad_outputs, a_trace_never_takes_the_place_of_a_picture) {
  const scratch_folder folder;
  put_file(folder / "in.png", square_png());
  std::filesystem::create_symlink("in.png", folder / "link");
  std::filesystem::create_hard_link(folder / "in.png", folder / "twin");
  for (const auto& [output, trace] : {std::pair{"out.png", "out.png"},
                                      {"out.png", "./out.png"},
                                      {"other.png", "in.png"},
                                      {"other.png", "link"},
                                      {"other.png", "twin"}}) {
    const auto result = evencube({"run", "edges", "--input", folder / "in.png", "--output",
                                  folder / output, "--trace", folder / trace});
    EXPECT_EQ(result.status, 2) << trace;
    EXPECT_THAT(result.err, HasSubstr("this is also the file of --")) << trace;
    EXPECT_EQ(file_bytes(folder / "in.png"), square_png());
    EXPECT_THAT(folder.names(), ElementsAre("in.png", "link", "twin"));
  }
}

TEST(bad_outputs, a_trace_for_which_there_is_no_room_says_so) {
  const scratch_folder folder;
  put_file(folder / "x.trace", text_bytes("precious"));
  const auto result = shell("(ulimit -f 0; \"$0\" run spin --size 20 --workers 2 --trace '" +
                            (folder / "x.trace").string() + "') 2>&1 >/dev/null | cat");
  EXPECT_EQ(result.out,
            "evencube: " + (folder / "x.trace").string() + ": cannot write: File too large\n");
  EXPECT_EQ(file_bytes(folder / "x.trace"), text_bytes("precious"));
  EXPECT_THAT(folder.names(), ElementsAre("x.trace"));
}

}  // namespace
}  // namespace evencube::cli::testing
