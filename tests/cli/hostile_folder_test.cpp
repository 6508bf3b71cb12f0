// Whatever is called as a program or module that EvenCube starts: from the current folder nothing
// is run, though PATH and PYTHONPATH name it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "program.hpp"

namespace evencube::cli::testing {
namespace {

namespace fs = std::filesystem;

class hostile_folder : public ::testing::Test {
 protected:
  hostile_folder()
      : folder_{fs::path(::testing::TempDir()) /
                (std::string("evencube_hostile_folder_") +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())},
        marks_{folder_ / "run"} {
    fs::remove_all(folder_);
    fs::create_directories(marks_);
    for (const std::string name : {"matplotlib", "numpy", "csv", "json", "pathlib", "signal",
                                   "sitecustomize", "usercustomize"}) {
      std::ofstream(folder_ / (name + ".py"))
          << "open('" + mark(name + ".py") + "', 'w').close()\n";
    }
    // What draws, and what matplotlib, Python's starters and shells may ask for.
    for (const std::string name : {"python3", "python", "python3.11", "evencube-ranks", "mpirun",
                                   "dot", "gnuplot", "fc-list", "latex", "dvipng", "env", "bash",
                                   "sh", "pyenv", "xdg-open", "sensible-browser", "less"}) {
      std::ofstream(folder_ / name) << "#!/bin/sh\n: > '" + mark(name) + "'\n";
      fs::permissions(folder_ / name, fs::perms::owner_all);
    }
    // Of matplotlib's own settings: LaTeX would be started.
    std::ofstream(folder_ / "matplotlibrc") << "text.usetex: True\n";
  }
  ~hostile_folder() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string mark(const std::string& name) const { return (marks_ / name).string(); }

  /// The program, run in the folder with arguments, and what of the folder was run.
  std::vector<std::string> run_of(const std::string& settings, const std::string& arguments) {
    fs::remove_all(marks_);
    fs::create_directory(marks_);
    result_ = shell("cd " + quoted(folder_) + " && unset EVENCUBE_PYTHON && export " + settings +
                    " && exec \"$0\" " + arguments);
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(marks_)) {
      found.push_back(entry.path().filename().string());
    }
    return found;
  }

  fs::path folder_;
  fs::path marks_;
  outcome result_;
};

TEST_F(hostile_folder, nothing_of_it_draws_the_papers) {
  for (const std::string path : {"$PATH", ":$PATH", ".:$PATH", "$PATH:", "::/usr/bin", "."}) {
    const std::string settings =
        "PATH=\"" + path + "\" PYTHONPATH=. PYTHONHOME= PYTHONSTARTUP=csv.py";
    EXPECT_THAT(run_of(settings, "reproduce loh-table-1 --output out"), ::testing::IsEmpty())
        << path;
    EXPECT_EQ(result_.status, 0) << result_.err;
    EXPECT_THAT(result_.out, ::testing::HasSubstr("pictures ")) << path;
    EXPECT_THAT(result_.out, ::testing::Not(::testing::HasSubstr("script failed"))) << path;
    EXPECT_FALSE(fs::exists(folder_ / "__pycache__")) << path;
  }
}

TEST_F(hostile_folder, nothing_of_it_is_run_by_other_commands) {
  for (const std::string arguments :
       {"run edges --size 64 --trace t", "trace t --html t.html", "whatif t",
        "plan dem --loads 3,1", "topology", "demo --size 32", "simulate batch", "help run",
        "completion bash"}) {
    EXPECT_THAT(run_of("PATH=\".:$PATH\" PAGER=less BROWSER=xdg-open", arguments),
                ::testing::IsEmpty())
        << arguments;
    EXPECT_EQ(result_.status, 0) << arguments << ": " << result_.err;
  }
}

TEST_F(hostile_folder, a_python_that_was_chosen_is_used) {
  const std::string settings = "EVENCUBE_PYTHON=./python3";
  result_ = shell("cd " + quoted(folder_) + " && " + settings +
                  " exec \"$0\" reproduce loh-table-1 --output out");
  EXPECT_TRUE(fs::exists(mark("python3")));
  EXPECT_THAT(result_.out, ::testing::HasSubstr("pictures drawn"));
}

}  // namespace
}  // namespace evencube::cli::testing
