// Objects that are saved and loaded, over ranks that are threads of this process.
// checkpoint_test.py kills a process meanwhile.
#include <gtest/gtest.h>

#include <atomic>
#include <evencube/cluster/objects.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string>

#include "cluster/support.hpp"

namespace evencube {
namespace {

using test::fresh_path;
using test::on_ranks;
using test::small_ranks;

std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class saved_objects_over_ranks : public testing::TestWithParam<unsigned> {};

TEST_P(saved_objects_over_ranks, are_loaded_as_they_were_saved_on_any_number_of_ranks) {
  const std::string path = fresh_path("checkpoint");
  std::map<cluster_object_id, std::string> saved;
  std::mutex mutex;
  on_ranks(GetParam(), {.seed = 6}, small_ranks("none"), [&](cluster& world) {
    cluster_objects<std::string> texts(world, "texts");
    EXPECT_FALSE(texts.load(path));
    for (unsigned i = 0; i < 5 + world.rank(); ++i) {
      texts.make("old");
    }
    texts.save(path);
    texts.for_each([&](cluster_object_id id, std::string& text) {
      text = std::string(id.number * 100, 'x') + std::to_string(id.maker);
      const std::lock_guard lock(mutex);
      saved[id] = text;
    });
    texts.save(path);
    texts.for_each([](cluster_object_id, std::string& text) { text = "after"; });
    EXPECT_THROW(texts.load(path), error) << "over objects that are there";
  });
  for (const unsigned ranks : {1U, 2U, 7U}) {
    on_ranks(ranks, {.seed = 7}, small_ranks("none"), [&](cluster& world) {
      cluster_objects<std::string> texts(world, "texts");
      auto get = texts.shared_task<int, std::string>(
          "get", [](const std::string& text, int) { return text; });
      ASSERT_TRUE(texts.load(path));
      const cluster_object_id made = texts.make("new");
      EXPECT_EQ(saved.count(made), 0U) << "a name is given twice";
      texts.remove(made);
      texts.share();
      cluster_group jobs(world);
      for (const auto& [id, text] : saved) texts.spawn(jobs, get, id, 0);
      std::size_t came = 0;
      jobs.wait([&](const cluster_object_call<int>& call, std::string&& text) {
        EXPECT_EQ(text, saved.at(call.object));
        ++came;
      });
      EXPECT_EQ(came, saved.size());
    });
  }
}

TEST_P(saved_objects_over_ranks, are_still_saved_if_one_rank_cannot_save) {
  const std::string path = fresh_path("again");
  on_ranks(GetParam(), {.seed = 13}, small_ranks("none"), [&](cluster& world) {
    cluster_objects<int> numbers(world, "numbers");
    numbers.make(1);
    numbers.save(path);
    // In the way of a part of the next checkpoint.
    const std::string part = detail::part_name(path, 2, world.size() - 1);
    if (world.rank() == 0) std::filesystem::create_directory(part);
    static_cast<void>(world.gather(0));
    numbers.for_each([](cluster_object_id, int& value) { value = 2; });
    EXPECT_THROW(numbers.save(path), error);
    static_cast<void>(world.gather(0));
    if (world.rank() == 0) std::filesystem::remove(part);
    numbers.remove({world.rank(), 0});
    EXPECT_TRUE(numbers.load(path));
    numbers.for_each([](cluster_object_id, int& value) { EXPECT_EQ(value, 1); });
    cluster_objects<int>* const same = &numbers;
    EXPECT_THROW(same->load(path), error);
  });
}

INSTANTIATE_TEST_SUITE_P(of, saved_objects_over_ranks, testing::Values(1U, 2U, 3U, 5U, 8U, 16U));

TEST(saved_objects, are_refused_if_a_file_is_spoiled) {
  const std::string path = fresh_path("spoiled");
  on_ranks(2, {.seed = 10}, small_ranks("none"), [&](cluster& world) {
    cluster_objects<int> numbers(world, "numbers");
    for (int i = 0; i < 10; ++i) numbers.make(i);
    numbers.save(path);
  });
  const detail::checkpoint whole = detail::read_checkpoint(path);
  ASSERT_EQ(whole.parts.size(), 2U);
  const auto is_refused = [&] {
    std::atomic<int> threw{0};
    on_ranks(2, {.seed = 11}, small_ranks("none"), [&](cluster& world) {
      cluster_objects<int> numbers(world, "numbers");
      try {
        static_cast<void>(numbers.load(path));
      } catch (const error&) {
        ++threw;
      }
      numbers.for_each([](cluster_object_id, int&) { ADD_FAILURE() << "it made an object"; });
    });
    return threw == 2;
  };
  // The rank whose part is whole makes nothing of it either.
  for (const std::string& file : {path, detail::part_name(path, whole.generation, 0),
                                  detail::part_name(path, whole.generation, 1)}) {
    const std::string bytes = content_of(file);
    const auto write = [&](const std::string& text) {
      std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
    };
    for (std::size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / 20) {
      write(bytes.substr(0, i));
      EXPECT_TRUE(is_refused()) << file << ", " << i << " bytes";
      std::string other = bytes;
      other[i] = static_cast<char>(other[i] ^ 0x40);
      write(other);
      EXPECT_TRUE(is_refused()) << file << ", byte " << i;
    }
    write(bytes);
  }
  EXPECT_EQ(detail::read_checkpoint(path).generation, whole.generation);
}

}  // namespace
}  // namespace evencube
