// What workloads read and write: good files come out whole, bad ones are refused by name, and an
// interrupted run leaves nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>

#include <evencube/workloads/image_file.hpp>

#include "../workloads/test_images.hpp"
#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using workloads::testing::file_bytes;
using workloads::testing::put_file;
using workloads::testing::scratch_folder;
using workloads::testing::text_bytes;

std::string text_of(const std::filesystem::path& file) {
  const auto bytes = file_bytes(file);
  return {bytes.begin(), bytes.end()};
}

/// The workload's output in the folder, which holds nothing else of the run.
outcome run_to(const std::string& arguments, const std::filesystem::path& output) {
  auto all = words("run " + arguments);
  all.insert(all.end(), {"--output", output.string()});
  return evencube(all);
}

struct picture_run {
  std::string arguments;
  unsigned width;

  friend void PrintTo(const picture_run& one, std::ostream* out) { *out << one.arguments; }
};

class picture_runs : public ::testing::TestWithParam<picture_run> {};

TEST_P(picture_runs, write_a_picture_that_is_not_of_one_colour) {
  const scratch_folder folder;
  const auto result = run_to(GetParam().arguments, folder / "out.png");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("wrote " + (folder / "out.png").string()));
  EXPECT_THAT(folder.names(), ElementsAre("out.png"));
  EXPECT_EQ(file_bytes(folder / "out.png").at(25), PNG_COLOR_TYPE_RGB);
  const auto picture = workloads::read_picture(folder / "out.png");
  EXPECT_EQ(picture.width(), GetParam().width);
  const auto [least, most] = std::ranges::minmax(picture.samples());
  EXPECT_GT(most, least + 10'000);
}

INSTANTIATE_TEST_SUITE_P(
    all, picture_runs,
    ::testing::Values(picture_run{"mandelbrot --size 90", 90},
                      picture_run{"mandelbrot --real 0 --imaginary 1 --zoom 1e60 --size 64", 64},
                      picture_run{"heat --size 120 --steps 80", 120},
                      picture_run{"nbody --size 500 --steps 3", 800},
                      picture_run{"pathtrace --size 48 --samples 4", 48}));

TEST(ranks, are_written_highest_first) {
  const scratch_folder folder;
  put_file(folder / "web.mtx",
           text_bytes("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n2 1\n3 1\n"));
  const auto result = run_to("pagerank --damping 0.5 --input " + (folder / "web.mtx").string(),
                             folder / "ranks.csv");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto text = text_of(folder / "ranks.csv");
  EXPECT_THAT(text, StartsWith("vertex,rank,links_in,links_out\n1,0.49999"));
  EXPECT_THAT(text, HasSubstr(",2,0\n2,0.25"));
  EXPECT_THAT(text, HasSubstr(",0,1\n3,0.2"));
}

TEST(ranks, of_a_bad_file_are_refused_and_nothing_is_touched) {
  const scratch_folder folder;
  put_file(folder / "out.csv", text_bytes("precious"));
  put_file(folder / "web.mtx",
           text_bytes("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n2 1\n4 1\n"));
  const auto result =
      run_to("pagerank --input " + (folder / "web.mtx").string(), folder / "out.csv");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr((folder / "web.mtx").string() + ":4: row \"4\""));
  EXPECT_EQ(text_of(folder / "out.csv"), "precious");
  EXPECT_THAT(folder.names(), ElementsAre("out.csv", "web.mtx"));
}

TEST(ranks, of_a_small_file_that_claims_to_be_large_take_no_memory) {
  const scratch_folder folder;
  put_file(folder / "web.mtx", text_bytes("%%MatrixMarket matrix coordinate pattern general\n"
                                          "2000000000 2000000000 1\n1 1\n"));
  const auto result = shell("ulimit -v 2000000; exec \"$0\" run pagerank --workers 1 --input " +
                            (folder / "web.mtx").string());
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("for which the file is very small"));
}

TEST(lines, without_an_end_are_refused_and_nothing_is_touched) {
  const scratch_folder folder;
  put_file(folder / "out.txt", text_bytes("precious"));
  for (const std::string workload : {"sort", "pagerank"}) {
    const auto result = run_to(workload + " --workers 1 --input /dev/zero", folder / "out.txt");
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("/dev/zero: goes on after 268435456 bytes"));
  }
  EXPECT_EQ(text_of(folder / "out.txt"), "precious");
}

TEST(lines, are_sorted_by_their_bytes) {
  const scratch_folder folder;
  put_file(folder / "in.txt", text_bytes("pear\napple\n\nPear\napple\n\xff\nfig"));
  const auto input = (folder / "in.txt").string();
  const auto result = run_to("sort --tile 2 --workers 2 --input " + input, folder / "out.txt");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(text_of(folder / "out.txt"), "\nPear\napple\napple\nfig\npear\n\xff\n");
  // But not onto itself.
  EXPECT_EQ(run_to("sort --input " + input, folder / "in.txt").status, 2);
  EXPECT_EQ(text_of(folder / "in.txt"), "pear\napple\n\nPear\napple\n\xff\nfig");
  EXPECT_THAT(folder.names(), ElementsAre("in.txt", "out.txt"));
}

TEST(lines, of_an_empty_file_are_none) {
  const scratch_folder folder;
  put_file(folder / "in.txt", {});
  const auto result = run_to("sort --input " + (folder / "in.txt").string(), folder / "out.txt");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(text_of(folder / "out.txt"), "");
}

TEST(lines, of_many_kinds_come_out_as_sort_has_them) {
  const scratch_folder folder;
  const auto at = folder.path().string();
  const auto result = shell("cd '" + at +
                            "' && seq 1 20000 > in && \"$0\" run sort --input in "
                            "--output out > log && LC_ALL=C sort in | cmp - out");
  EXPECT_EQ(result.status, 0) << result.err << result.out;
}

TEST(trees, are_counted_as_published) {
  for (const auto& [tree, text] : {std::pair{"T1", "4130071 nodes, 3305118 leaves, depth 10"},
                                   {"T3", "4112897 nodes, 3599034 leaves, depth 1572"}}) {
    const auto result = evencube({"run", "uts", "--tree", tree, "--workers", "2"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr(text));
    EXPECT_THAT(result.out, HasSubstr("as published"));
  }
}

TEST(folders, of_pictures_become_folders_of_edges_and_bad_files_are_named) {
  const scratch_folder folder;
  std::filesystem::create_directory(folder / "in");
  std::filesystem::create_directory(folder / "in" / "below");
  put_file(folder / "in/a.pgm", text_bytes("P2 2 2 255 0 255 0 255"));
  put_file(folder / "in/b.ppm", text_bytes("P3 1 1 255 1 2 3"));
  put_file(folder / "in/c.txt", text_bytes("no picture"));
  put_file(folder / "in/d.pgm", text_bytes("P2 2 2 255 0"));
  const auto result = evencube(
      {"run", "edges", "--workers", "2", "--input", folder / "in", "--output", folder / "out"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.out, HasSubstr("verified: 2 pictures"));
  EXPECT_THAT(result.err, HasSubstr((folder / "in/c.txt").string() + ": not a PNG"));
  EXPECT_THAT(result.err, HasSubstr((folder / "in/d.pgm").string() + ": "));
  EXPECT_THAT(result.err, HasSubstr("2 files of " + (folder / "in").string() +
                                    " were left out; the results of the other files are written"));
  EXPECT_THAT(folder.names(), ElementsAre("in", "out"));
  EXPECT_EQ(workloads::read_picture(folder / "out/a.pgm.png").width(), 2U);
  EXPECT_EQ(workloads::read_picture(folder / "out/b.ppm.png").width(), 1U);
  std::filesystem::remove(folder / "in/c.txt");
  std::filesystem::remove(folder / "in/d.pgm");
  EXPECT_EQ(run_to("edges --input " + (folder / "in").string(), folder / "out").status, 0);
}

TEST(folders, without_a_picture_or_onto_themselves_are_refused) {
  const scratch_folder folder;
  std::filesystem::create_directory(folder / "in");
  const auto run = [&](const std::string& output) {
    return run_to("edges --input " + (folder / "in").string(), folder / output);
  };
  EXPECT_THAT(run("out").err, HasSubstr("no picture in this folder"));
  put_file(folder / "in/a.pgm", text_bytes("P2 2 2 255 0 255 0 255"));
  put_file(folder / "file", text_bytes("precious"));
  for (const auto& [output, reason] : {std::pair{"in", "this is also the folder of --input"},
                                       {"file", "cannot make the folder"},
                                       {"missing/out", "cannot make the folder"}}) {
    const auto result = run(output);
    EXPECT_EQ(result.status, 2) << output;
    EXPECT_EQ(result.out, "") << output;
    EXPECT_THAT(result.err, HasSubstr(reason)) << output;
  }
  EXPECT_EQ(text_of(folder / "file"), "precious");
}

TEST(folders, with_links_in_a_circle_are_read_but_for_these) {
  const scratch_folder folder;
  std::filesystem::create_directory(folder / "in");
  put_file(folder / "in/a.pgm", text_bytes("P2 2 2 255 0 255 0 255"));
  std::filesystem::create_symlink("circle.png", folder / "in/circle.png");
  const auto result = run_to("edges --input " + (folder / "in").string(), folder / "out");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("verified: 1 pictures"));
}

TEST(folders, are_not_left_empty_by_what_is_refused) {
  const scratch_folder folder;
  const std::string out = folder / "new";
  for (const std::string& arguments :
       {"run heat --size 0 --frames 2 --output " + out, "demo --size 0 --folder " + out + "/deep",
        "run heat --frames 2 --output " + out + " --trace " + out + "/no/trace",
        "reproduce loh-table-1 --output " + out + "/deep --page " + out + "/no/page.md"}) {
    const auto result = evencube(words(arguments));
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_THAT(folder.names(), ::testing::IsEmpty()) << arguments;
  }
}

TEST(folders, are_refused_in_one_that_is_gone) {
  const scratch_folder folder;
  for (const std::string arguments :
       {"demo --size 64", "run heat --size 64 --frames 2 --output new", "reproduce loh-table-1"}) {
    const auto result =
        shell("mkdir '" + (folder / "gone").string() + "' && cd '" + (folder / "gone").string() +
              "' && rmdir '" + (folder / "gone").string() + "' && timeout 20 \"$0\" " + arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_THAT(result.err, HasSubstr("cannot make the folder: ")) << arguments;
  }
}

TEST(interruption, ends_a_run_with_130_and_leaves_what_was_there) {
  const scratch_folder folder;
  put_file(folder / "out.png", text_bytes("precious"));
  // It has far more to do than there is time; wherever the signal finds it, the same is to be seen.
  const auto result = shell(
      "timeout --preserve-status -s INT 1 \"$0\" run mandelbrot --size 8192 --real 0 --imaginary 0 "
      "--zoom 4 --iterations 1000000 --output '" +
      (folder / "out.png").string() + "'; exit $?");
  EXPECT_EQ(result.status, 130);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(text_of(folder / "out.png"), "precious");
  EXPECT_THAT(folder.names(), ElementsAre("out.png"));
}

TEST(help, of_all_has_each_option_once_with_whose_it_is_and_its_default) {
  const auto help = evencube({"run", "--help-all"}).out;
  EXPECT_THAT(help, HasSubstr("--zoom"));
  EXPECT_THAT(help, HasSubstr("(default 5000)"));
  EXPECT_THAT(help, HasSubstr("--samples"));
  EXPECT_THAT(help, HasSubstr("--max-pixels"));
  EXPECT_THAT(help, HasSubstr("the sorted lines"));
}

constexpr const char* small_heat = "heat --size 40 --tile 16 --steps 30 --frames ";

TEST(heat_frames, are_a_folder_that_a_shorter_run_replaces) {
  const scratch_folder folder;
  const auto frames = folder / "frames";
  auto result = run_to(small_heat + std::string("12"), frames);
  ASSERT_EQ(result.status, 0) << result.err;
  std::size_t pictures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(frames)) {
    EXPECT_EQ(workloads::read_picture(entry.path()).width(), 40U);
    ++pictures;
  }
  EXPECT_EQ(pictures, 12U);
  EXPECT_NE(file_bytes(frames / "0001.heat.png"), file_bytes(frames / "0012.heat.png"));
  put_file(frames / "mine.png", text_bytes("precious"));
  result = run_to(small_heat + std::string("2"), frames);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(std::filesystem::exists(frames / "0002.heat.png"));
  EXPECT_FALSE(std::filesystem::exists(frames / "0003.heat.png"));
  EXPECT_EQ(text_of(frames / "mine.png"), "precious");
}

TEST(heat_frames, may_go_into_the_folder_in_which_one_is) {
  const scratch_folder folder;
  std::filesystem::create_directory(folder / "frames");
  const auto result = shell("cd '" + (folder / "frames").string() +
                            "' && \"$0\" run heat --size 64 --steps 4 --frames 2 --output . >said "
                            "&& ls -1 . && touch here");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "0001.heat.png\n0002.heat.png\nsaid\n");
  EXPECT_TRUE(std::filesystem::exists(folder / "frames/here"));
}

TEST(heat_frames, are_refused_where_they_cannot_be) {
  const scratch_folder folder;
  put_file(folder / "file", text_bytes("precious"));
  const auto refusal = [&](const std::string& frames, const char* name) {
    const auto result = run_to(small_heat + frames, folder / name);
    EXPECT_EQ(result.status, 2) << result.out;
    return result.err;
  };
  EXPECT_THAT(refusal("31", "new"), HasSubstr("--frames 31: there are only 30 steps"));
  EXPECT_THAT(refusal("10000", "new"), HasSubstr("10000"));
  EXPECT_THAT(refusal("3", "file"), HasSubstr("cannot make the folder: File exists"));
  std::filesystem::create_symlink("circle", folder / "circle");
  EXPECT_THAT(refusal("3", "circle"), HasSubstr("circle: cannot make the folder: "));
  EXPECT_THAT(refusal("3", std::string(300, 'n').c_str()), HasSubstr("File name too long"));
  EXPECT_EQ(text_of(folder / "file"), "precious");
  const auto result = run_to("heat --size 8192 --steps 9999 --frames 5", folder / "many");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("--frames 5 of 8192 x 8192 cells"));
}

}  // namespace
}  // namespace evencube::cli::testing
