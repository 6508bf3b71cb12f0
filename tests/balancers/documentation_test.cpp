#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <evencube/balancers/documentation.hpp>

namespace evencube {
namespace {

/// Run this program with EVENCUBE_UPDATE_GOLDEN=1 to write the page again.
TEST(documentation, balancers_page_is_up_to_date) {
  const std::string page = EVENCUBE_DOCS_DIR "/balancers.md";
  if (std::getenv("EVENCUBE_UPDATE_GOLDEN") != nullptr) std::ofstream(page) << balancer_page();
  std::ifstream file(page);
  ASSERT_TRUE(file.is_open()) << page;
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), balancer_page());
}

}  // namespace
}  // namespace evencube
