// Registers two point clouds by small_gicp's algorithms for oneTBB, and prints the result. The
// folder of the clouds is the argument. For tests/interop/foreign_programs.py.

#include <cstdio>
#include <memory>
#include <small_gicp/ann/kdtree_tbb.hpp>
#include <small_gicp/benchmark/read_points.hpp>
#include <small_gicp/factors/gicp_factor.hpp>
#include <small_gicp/points/point_cloud.hpp>
#include <small_gicp/registration/reduction_tbb.hpp>
#include <small_gicp/registration/registration.hpp>
#include <small_gicp/util/downsampling.hpp>
#include <small_gicp/util/downsampling_tbb.hpp>
#include <small_gicp/util/normal_estimation_tbb.hpp>
#include <string>

int main(int, char** argv) {
  using namespace small_gicp;
  const std::string folder = argv[1];
  struct cloud {
    PointCloud::Ptr points;
    std::shared_ptr<KdTree<PointCloud>> tree;
  };
  const auto read = [&](const char* name) {
    const PointCloud all(read_ply(folder + "/" + name));
    cloud made;
    made.points = voxelgrid_sampling(all, 0.25);
    // Cuts the points into parts, so their number depends on how work is divided.
    const auto few = static_cast<double>(voxelgrid_sampling_tbb(all, 0.25)->size());
    const auto exact = static_cast<double>(made.points->size());
    std::printf("%s points\n", few > exact / 1.1 && few < 1.1 * exact ? "about as many" : "other");
    made.tree = std::make_shared<KdTree<PointCloud>>(made.points, KdTreeBuilderTBB());
    estimate_covariances_tbb(*made.points, *made.tree, 10);
    return made;
  };
  const cloud target = read("target.ply");
  const cloud source = read("source.ply");
  Registration<GICPFactor, ParallelReductionTBB> registration;
  registration.rejector.max_dist_sq = 1.0;
  const auto result = registration.align(*target.points, *source.points, *target.tree,
                                         Eigen::Isometry3d::Identity());
  std::printf("%zu and %zu points, %zu iterations, %zu inliers\n", target.points->size(),
              source.points->size(), result.iterations, result.num_inliers);
  // Sums of floats depend on how work was divided.
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 4; ++column) {
      std::printf("%.4f ", result.T_target_source.matrix()(row, column));
    }
    std::printf("\n");
  }
}
