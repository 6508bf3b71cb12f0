// Light that is known: from the sky alone, and within a furnace.

#include <gtest/gtest.h>

#include <cmath>

#include <evencube/workloads/path_tracer.hpp>

namespace evencube::workloads {
namespace {

TEST(path_tracer, meets_the_nearest_sphere) {
  const small_scene scene{{{{0, 0, -5}, 1, {}}, {{0, 0, -3}, 0.5, {}}}};
  const auto found = scene.meet({{0, 0, 0}, {0, 0, -1}});
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->distance, 2.5);
  EXPECT_EQ(found->what->radius, 0.5);
  EXPECT_DOUBLE_EQ(scene.meet({{0, 0, -3}, {0, 0, -1}})->distance, 0.5);  // from within
  EXPECT_FALSE(scene.meet({{0, 0, 0}, {0, 0, 1}}));
  EXPECT_FALSE(scene.meet({{0, 2, 0}, {0, 0, -1}}));
}

TEST(path_tracer, of_nothing_is_the_sky) {
  const small_scene scene{std::vector<sphere>{}};
  std::uint64_t rays = 0;
  const auto light = scene.light_at(5, 5, 11, 8, &rays);
  EXPECT_EQ(rays, 8U);
  EXPECT_GT(light.x, 0.2);
  EXPECT_LT(light.x, 0.8);
}

TEST(path_tracer, white_glass_and_metal_change_nothing_where_all_shines_alike) {
  // A furnace: everything is within a lamp of brightness 1, so that every path ends with it.
  const sphere furnace{{0, 0, 0}, 100, {surface::kind::lamp, {1, 1, 1}}};
  for (const auto what : {surface::kind::glass, surface::kind::dull}) {
    const small_scene scene{{furnace, {{0, 0.75, 0}, 2, {what, {1, 1, 1}}}}};
    const auto light = scene.light_at(50, 50, 101, 400, nullptr);
    EXPECT_NEAR(light.x, 1, 1e-9);
    EXPECT_NEAR(light.z, 1, 1e-9);
  }
}

TEST(path_tracer, a_dull_surface_gives_back_its_colour) {
  const sphere furnace{{0, 0, 0}, 100, {surface::kind::lamp, {1, 1, 1}}};
  const small_scene scene{{furnace, {{0, 0.75, 0}, 2, {surface::kind::dull, {0.5, 0.25, 1}}}}};
  // One sphere alone: what leaves it meets the furnace.
  const auto light = scene.light_at(50, 50, 101, 50, nullptr);
  EXPECT_NEAR(light.x, 0.5, 1e-9);
  EXPECT_NEAR(light.y, 0.25, 1e-9);
  EXPECT_NEAR(light.z, 1, 1e-9);
}

TEST(path_tracer, follows_from_pixel_and_seed_alone) {
  const small_scene scene{1};
  const auto once = scene.light_at(20, 40, 64, 4, nullptr);
  static_cast<void>(scene.light_at(21, 40, 64, 4, nullptr));
  EXPECT_EQ(scene.light_at(20, 40, 64, 4, nullptr), once);
  EXPECT_EQ((small_scene{1}.light_at(20, 40, 64, 4, nullptr)), once);
}

TEST(path_tracer, takes_more_rays_where_there_is_more_to_meet) {
  const small_scene scene{1};
  std::uint64_t sky = 0;
  std::uint64_t glass = 0;
  static_cast<void>(scene.light_at(2, 2, 100, 64, &sky));
  static_cast<void>(scene.light_at(50, 48, 100, 64, &glass));
  EXPECT_EQ(sky, 64U);
  EXPECT_GT(glass, 3 * sky);
}

}  // namespace
}  // namespace evencube::workloads
