// The trace files that a runtime writes by itself, without the component `trace`, which reads them,
// and the pages and Perfetto's files that it writes with the library `pages`: by `save_trace`, and
// at its end if EVENCUBE_TRACE asks for one.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <evencube/blocking.hpp>
#include <evencube/detail/trace_converter.hpp>
#include <evencube/evencube.hpp>
#include <evencube/interop/trace_of.hpp>
#include <evencube/region.hpp>

#include "observe/requested_trace.hpp"
#include "observe/trace_file.hpp"

namespace evencube::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

/// A folder for the files of a test, and an environment without EVENCUBE_TRACE.
class saved_trace : public ::testing::Test {
 protected:
  saved_trace() {
    unsetenv("EVENCUBE_TRACE");
    std::string name = (fs::temp_directory_path() / "evencube-saved-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
  }
  ~saved_trace() override {
    unsetenv("EVENCUBE_TRACE");
    fs::remove_all(folder_);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  fs::path folder_;
};

std::string text_of(const std::string& file) {
  std::ifstream bytes(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(bytes), {}};
}

/// What a page says of its run, as its script reads it.
nlohmann::json report_in(const std::string& page) {
  const std::string before = "<script type=\"application/json\" id=\"report\">";
  const std::size_t begin = page.find(before);
  if (begin == std::string::npos) return {};
  const std::size_t end = page.find("</script>", begin);
  return nlohmann::json::parse(page.substr(begin + before.size(), end - begin - before.size()));
}

/// The names of the tasks in a file for Perfetto, one for each task.
std::vector<std::string> tasks_in(const std::string& events) {
  std::vector<std::string> names;
  const auto parsed = nlohmann::json::parse(events);
  for (const auto& event : parsed.at("traceEvents")) {
    if (event.value("cat", "") == "task") names.push_back(event.at("name"));
  }
  return names;
}

/// A program that is not linked with the library that writes pages.
class without_pages {
 public:
  without_pages() : linked_(detail::set_trace_converter(nullptr)) {}
  without_pages(const without_pages&) = delete;
  without_pages& operator=(const without_pages&) = delete;
  ~without_pages() { detail::set_trace_converter(linked_); }

 private:
  detail::trace_converter linked_;
};

std::string failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const error& problem) {
    return problem.what();
  }
  return "no failure";
}

void run_tasks(runtime& rt, int tasks) {
  rt.run([&] {
    task_group group;
    for (int i = 0; i < tasks; ++i) group.spawn([] {}, {.name = "small"});
    group.wait();
  });
}

/// A recording with everything that a trace can say, and more tasks and rounds than go into a
/// block.
recording everything() {
  recording take;
  take.names = {"small", "phase", "\xff any bytes", std::string(240, 'x')};
  take.cut = true;
  const std::uint32_t none = recording::none;
  take.tasks.push_back({none, 0, 0, 0, 1000, 0, 1000, 90'000'000'000, none, 1});
  for (std::uint32_t i = 0; i < 70'000; ++i) {
    take.tasks.push_back({0, i % 3, i % 2, 1, 2000 + i, (i + 1) % 3, 300'000 + std::uint64_t{i},
                          5'000'000'000, i % 4, 1 + i % 65536});
  }
  take.waits.push_back({0, 1, 2000, 6'000'000'000});
  take.migrations.push_back({1, 250'000, 0, 2, 0});
  take.migrations.push_back({2, 10, 0, 1, none});
  take.migrations.push_back({3, 260'000, 1, 2, recording::rescued});
  take.regions.push_back({0, 1, 3000, 4000});
  take.counts.push_back({1, 2, 5000, -0.1});
  take.counts.push_back({1, 2, 10, 1});    // before the first task
  take.counts.push_back({3, 2, 5000, 1});  // of a spare worker
  for (std::uint32_t i = 0; i < 4000; ++i) {
    recording::round one;
    one.time = 2000 + i;
    one.loads = {30, 0, 0};
    one.seed = ~std::uint64_t{0};
    if (i % 2 == 0) one.initiator = 2;
    if (i % 3 == 0) one.leader = 1;
    if (i % 4 == 0) one.service_times = {1.5, std::numeric_limits<double>::infinity(), 1e-9};
    if (i % 5 == 0) one.capacities = {1, 0.5, 0.1};
    one.unit = i % 2 == 0 ? 1 : 10;
    one.planned.phases = {{{0, 1, 10}, {0, 2, 10}}, {}};
    take.rounds.push_back(one);
  }
  return take;
}

TEST_F(saved_trace, is_read_as_trace_of_makes_it) {
  const runtime_options options{.workers = 3,
                                .balancer = "cwa",
                                .transmission = "pipelined:4",
                                .mode = balancer_mode::thread,
                                .period = std::chrono::microseconds{70},
                                .threshold = 5};
  runtime rt(options);
  for (const recording& take : {everything(), recording{}}) {
    detail::write_trace_file(path("a.trace"), detail::trace_bytes(take, {"mine", options, false}));
    EXPECT_EQ(traces::read_trace(path("a.trace")), traces::trace_of(take, rt, options, "mine"));
  }
  const runtime_options others{.workers = 2,
                               .balancer = "sender_initiated",
                               .options = {{"high", "7"}},
                               .mode = balancer_mode::on_demand,
                               .largest_first = false};
  runtime other(others);
  detail::write_trace_file(path("a.trace"), detail::trace_bytes({}, {"", others, true}));
  EXPECT_EQ(traces::read_trace(path("a.trace")), traces::trace_of({}, other, others));
}

TEST_F(saved_trace, has_what_was_recorded) {
  runtime rt({.workers = 3, .balancer = "dem"});
  rt.start_recording();
  rt.run([] {
    const trace_region phase("phase");
    task_group group;
    for (int i = 0; i < 200; ++i) group.spawn([] { trace_counter("here", 1); }, {.cost = 2});
    group.wait();
  });
  rt.save_trace(path("run.trace"), "mine");
  const traces::trace read = traces::read_trace(path("run.trace"));
  EXPECT_EQ(read.workload, "mine");
  EXPECT_EQ(read.balancer, "dem");
  EXPECT_EQ(read.topology, "cube:3");
  EXPECT_EQ(read.tasks.size(), 201U);
  EXPECT_EQ(read.regions.size(), 1U);
  EXPECT_EQ(read.counts.size(), 200U);
  EXPECT_EQ(failure_of([&] { rt.save_trace(path("run.trace")); }),
            "stop_recording(): no recording is in progress");
  rt.start_recording();
  rt.save_trace(path("run.trace"));
  EXPECT_EQ(traces::read_trace(path("run.trace")).workload, "saved_trace_test");
  EXPECT_THAT(files(), UnorderedElementsAre("run.trace"));
}

TEST_F(saved_trace, goes_on_if_the_file_cannot_be_written) {
  runtime rt({.workers = 2});
  rt.start_recording();
  run_tasks(rt, 5);
  const std::string begin = "cannot write the trace ";
  EXPECT_EQ(failure_of([&] { rt.save_trace(path("no/run.trace")); }),
            begin + path("no/run.trace") + ": No such file or directory");
  EXPECT_EQ(failure_of([&] { rt.save_trace(folder_); }),
            begin + folder_.string() + ": it is a folder");
  EXPECT_EQ(failure_of([&] { rt.save_trace("/dev/null"); }),
            begin + "/dev/null: it is not a regular file");
  EXPECT_EQ(failure_of([&] { rt.save_trace(""); }), begin + "\"\": the name is empty");
  EXPECT_THAT(failure_of([&] { rt.save_trace(path("run.trace.gz")); }), HasSubstr("gzip FILE"));
  EXPECT_TRUE(files().empty());
  rt.save_trace(path("run.trace"));
  EXPECT_EQ(traces::read_trace(path("run.trace")).tasks.size(), 6U);
}

TEST_F(saved_trace, is_a_page_or_for_perfetto_by_its_name) {
  runtime rt({.workers = 2, .balancer = "dem"});
  rt.start_recording();
  run_tasks(rt, 30);
  rt.save_trace(path("run.html"), "mine");
  const auto report = report_in(text_of(path("run.html")));
  ASSERT_TRUE(report.is_object());
  EXPECT_EQ(report.at("figures").at("workload"), "mine");
  EXPECT_EQ(report.at("figures").at("balancer"), "dem");
  EXPECT_EQ(report.at("figures").at("workers"), 2);
  EXPECT_EQ(report.at("figures").at("tasks"), 31);
  EXPECT_EQ(report.at("what_if").front().at("recorded"), true);
  EXPECT_THAT(report.at("origin").at("date").get<std::string>(), EndsWith(" UTC"));
  rt.start_recording();
  run_tasks(rt, 40);
  rt.save_trace(path("run.json"));
  EXPECT_EQ(std::ranges::count(tasks_in(text_of(path("run.json"))), "small"), 40);
  EXPECT_THAT(files(), UnorderedElementsAre("run.html", "run.json"));
}

TEST_F(saved_trace, goes_on_if_nothing_writes_pages) {
  runtime rt({.workers = 2});
  rt.start_recording();
  run_tasks(rt, 5);
  const without_pages here;
  EXPECT_EQ(failure_of([&] { rt.save_trace(path("run.html")); }),
            "cannot write the trace " + path("run.html") +
                ": only programs that link EvenCube::pages (pkg-config: evencube-pages) write "
                "pages; any program writes " +
                path("run.trace") + ", and then run: evencube trace " + path("run.trace") +
                " --html " + path("run.html"));
  EXPECT_THAT(failure_of([&] { rt.save_trace(path("run.json")); }),
              EndsWith(" --perfetto " + path("run.json")));
  EXPECT_TRUE(files().empty());
  rt.save_trace(path("run.trace"));
  EXPECT_EQ(traces::read_trace(path("run.trace")).tasks.size(), 6U);
}

TEST_F(saved_trace, that_is_refused_as_a_page_leaves_no_file) {
  runtime rt({.workers = 2});
  rt.start_recording();
  EXPECT_EQ(failure_of([&] { rt.save_trace(path("run.html")); }),
            "cannot write the trace " + path("run.html") + ": the trace holds no work");
  EXPECT_TRUE(files().empty());
}

TEST_F(saved_trace, has_no_places_for_spare_workers) {
  runtime rt({.workers = 1, .spare_workers = 1});
  rt.start_recording();
  std::atomic<bool> ran{false};
  // The only worker blocks until the other task has run, so the spare worker runs it.
  auto blocked = rt.async([&] {
    const blocking_scope here;
    while (!ran) std::this_thread::yield();
  });
  auto other = rt.async([&] { ran = true; });
  other.wait();
  blocked.wait();
  EXPECT_EQ(failure_of([&] { rt.save_trace(path("run.trace")); }),
            "spare worker 1 had a task, and a trace has no places for spare workers");
}

TEST_F(saved_trace, is_written_at_the_end_if_the_environment_asks) {
  setenv("EVENCUBE_TRACE", "", 1);
  {
    runtime rt({.workers = 2});
  }
  EXPECT_TRUE(files().empty());
  setenv("EVENCUBE_TRACE", path("%p.trace").c_str(), 1);
  const std::string id = std::to_string(getpid());
  CaptureStderr();
  {
    runtime one({.workers = 2});
    run_tasks(one, 10);
    runtime two({.workers = 3});
    run_tasks(two, 20);
    two.stop();
    const runtime idle({.workers = 1});
  }
  const std::string said = GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("wrote 11 tasks to " + path(id)));
  EXPECT_THAT(said, HasSubstr("wrote 21 tasks to " + path(id)));
  EXPECT_THAT(said, HasSubstr("; to look at it: evencube trace " + path(id)));
  EXPECT_THAT(said, HasSubstr("no task ran in runtime "));
  // Which numbers they have depends on the runtimes that were recorded before.
  EXPECT_THAT(files(), ElementsAre(StartsWith(id), StartsWith(id)));
  std::vector<std::pair<std::string, std::size_t>> found;
  for (const std::string& file : files()) {
    const traces::trace read = traces::read_trace(path(file));
    found.emplace_back(read.topology, read.tasks.size());
  }
  EXPECT_THAT(found, UnorderedElementsAre(Pair("cube:2", 11), Pair("cube:3", 21)));
}

TEST_F(saved_trace, that_cannot_be_written_does_not_fail_the_program) {
  for (const std::string file : {"no/run.trace", "no/run.html", "no/run.json"}) {
    setenv("EVENCUBE_TRACE", path(file).c_str(), 1);
    CaptureStderr();
    {
      runtime rt({.workers = 2});
      run_tasks(rt, 10);
      rt.start_recording();  // nothing else is being recorded
      EXPECT_EQ(rt.stop_recording().tasks.size(), 0U);
    }
    EXPECT_THAT(GetCapturedStderr(),
                StartsWith("EvenCube: EVENCUBE_TRACE: cannot write the trace " + path("no/run")));
  }
  EXPECT_TRUE(files().empty());
}

// The folder is lost while the program runs.
TEST_F(saved_trace, that_cannot_be_written_at_the_end_does_not_fail_the_program) {
  fs::create_directory(path("lost"));
  setenv("EVENCUBE_TRACE", path("lost/run.html").c_str(), 1);
  CaptureStderr();
  {
    runtime rt({.workers = 2});
    run_tasks(rt, 10);
    fs::remove_all(path("lost"));
  }
  EXPECT_THAT(GetCapturedStderr(),
              StartsWith("EvenCube: EVENCUBE_TRACE: cannot write the trace " + path("lost/run")));
}

TEST_F(saved_trace, of_the_environment_is_a_page_or_for_perfetto_by_its_name) {
  for (const std::string ending : {"html", "json"}) {
    setenv("EVENCUBE_TRACE", path("%p." + ending).c_str(), 1);
    CaptureStderr();
    {
      runtime one({.workers = 2});
      run_tasks(one, 10);
      runtime two({.workers = 2});
      run_tasks(two, 10);
    }
    const std::string said = GetCapturedStderr();
    EXPECT_THAT(said, HasSubstr("wrote 11 tasks to " + path(std::to_string(getpid()))));
    EXPECT_THAT(said, HasSubstr(ending == "html" ? "; open it in any browser\n"
                                                 : "; open it in ui.perfetto.dev or "));
    EXPECT_THAT(said, Not(HasSubstr("evencube trace ")));
  }
  std::size_t pages = 0;
  for (const std::string& file : files()) {
    const std::string text = text_of(path(file));
    if (file.ends_with(".html")) {
      ++pages;
      EXPECT_EQ(report_in(text).at("figures").at("tasks"), 11) << file;
    } else {
      EXPECT_EQ(std::ranges::count(tasks_in(text), "small"), 10) << file;
    }
  }
  EXPECT_EQ(pages, 2U);
  EXPECT_EQ(files().size(), 4U);
}

TEST_F(saved_trace, of_the_environment_says_what_writes_pages) {
  setenv("EVENCUBE_TRACE", path("run.html").c_str(), 1);
  CaptureStderr();
  {
    const without_pages here;
    runtime rt({.workers = 2});
    run_tasks(rt, 10);
  }
  const std::string said = GetCapturedStderr();
  EXPECT_THAT(said, StartsWith("EvenCube: EVENCUBE_TRACE: cannot write the trace "));
  EXPECT_THAT(said, HasSubstr("link EvenCube::pages"));
  EXPECT_EQ(said.find('\n'), said.size() - 1);
  EXPECT_TRUE(files().empty());
}

TEST_F(saved_trace, of_the_environment_ends_where_the_program_records) {
  setenv("EVENCUBE_TRACE", path("%p.trace").c_str(), 1);
  CaptureStderr();
  {
    runtime rt({.workers = 2});
    run_tasks(rt, 10);
    EXPECT_EQ(failure_of([&] { (void)rt.stop_recording(); }),
              "stop_recording(): no recording is in progress");
    rt.start_recording();
    EXPECT_EQ(files().size(), 1U);
    EXPECT_EQ(failure_of([&] { rt.start_recording(); }),
              "start_recording(): a recording is in progress");
    run_tasks(rt, 20);
    EXPECT_EQ(rt.stop_recording().tasks.size(), 21U);
  }
  static_cast<void>(GetCapturedStderr());
  ASSERT_EQ(files().size(), 1U);
  EXPECT_EQ(traces::read_trace(path(files().front())).tasks.size(), 11U);
}

TEST_F(saved_trace, of_a_forked_child_has_a_file_of_its_own) {
  setenv("EVENCUBE_TRACE", path("run.html").c_str(), 1);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    {
      runtime rt({.workers = 2});
      run_tasks(rt, 10);
    }
    ::_exit(7);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  ASSERT_EQ(files().size(), 1U);
  EXPECT_THAT(files().front(), StartsWith("run-" + std::to_string(child)));
  EXPECT_THAT(files().front(), EndsWith(".html"));
  EXPECT_EQ(report_in(text_of(path(files().front()))).at("figures").at("tasks"), 11);
}

TEST(requested_trace, has_a_name_for_each_runtime) {
  using detail::trace_file_for;
  EXPECT_EQ(trace_file_for("run.trace", 1, 99, false), "run.trace");
  EXPECT_EQ(trace_file_for("a.b/run.trace", 2, 99, false), "a.b/run-2.trace");
  EXPECT_EQ(trace_file_for("a.b/run", 2, 99, false), "a.b/run-2");
  EXPECT_EQ(trace_file_for("a/.run", 2, 99, false), "a/.run-2");
  EXPECT_EQ(trace_file_for("run.trace", 1, 99, true), "run-99.trace");
  EXPECT_EQ(trace_file_for("run.trace", 3, 99, true), "run-99-3.trace");
  EXPECT_EQ(trace_file_for("%p/run%p.trace", 3, 99, true), "99/run99-3.trace");
  EXPECT_EQ(trace_file_for("%", 1, 99, false), "%");
}

}  // namespace
}  // namespace evencube::testing
