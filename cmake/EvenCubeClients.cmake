# Libraries that run on EvenCube in tests and examples, where they are installed.

# Of OpenCV two libraries, without its CMake package, which Debian has in one with all of them.
find_path(OPENCV_HEADERS opencv2/core/parallel/parallel_backend.hpp PATH_SUFFIXES opencv4)
find_library(OPENCV_CORE opencv_core)
find_library(OPENCV_IMGPROC opencv_imgproc)
mark_as_advanced(OPENCV_HEADERS OPENCV_CORE OPENCV_IMGPROC)
if(OPENCV_HEADERS AND OPENCV_CORE AND OPENCV_IMGPROC)
  add_library(EvenCubeClients::opencv INTERFACE IMPORTED)
  target_include_directories(EvenCubeClients::opencv INTERFACE "${OPENCV_HEADERS}")
  target_link_libraries(EvenCubeClients::opencv INTERFACE "${OPENCV_IMGPROC}" "${OPENCV_CORE}")
else()
  message(STATUS "EvenCube: no OpenCV 4.6 or newer, so nothing tests its backend (Debian: libopencv-imgproc-dev)")
endif()

find_package(Eigen3 3.4 QUIET NO_MODULE)
if(NOT TARGET Eigen3::Eigen)
  message(STATUS "EvenCube: no Eigen 3.4, so nothing tests its pool (Debian: libeigen3-dev)")
endif()
