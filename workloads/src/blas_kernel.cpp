#include "blas_kernel.hpp"

#include <cblas.h>
#include <dlfcn.h>
#include <sys/mman.h>

#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>

namespace evencube::workloads {
namespace {

constexpr const char* library_file = "libopenblas.so.0";

/// OpenBLAS takes so much address space for each thread that multiplies at once, and newer versions
/// once more as they are loaded; all wait for ever where they cannot have it.
constexpr std::size_t buffer_bytes = std::size_t{128} << 20;
/// The library itself, with the run-time library of Fortran.
constexpr std::size_t library_bytes = std::size_t{80} << 20;
/// What else may be taken between the look and the leap.
constexpr std::size_t margin_bytes = std::size_t{16} << 20;

/// OpenBLAS, loaded by the first kernel and not by the program: as it is loaded it would start a
/// thread for every core, which spins for ever at the program's end if it could not be started.
struct blas_library {
  decltype(&cblas_dgemm) multiply;
  decltype(&openblas_get_num_threads) threads;
  decltype(&openblas_set_num_threads) set_threads;
};

/// Throws std::bad_alloc where so much address space is not to be had.
void require_room(std::size_t bytes) {
  void* const room = ::mmap(nullptr, bytes + margin_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc{};
  ::munmap(room, bytes + margin_bytes);
}

[[noreturn]] void fail_to_load() {
  const char* const why = ::dlerror();
  throw std::runtime_error{std::string{"cannot load OpenBLAS: "} +
                           (why != nullptr ? why : library_file) +
                           "; --kernel portable needs none"};
}

/// Loads the library with a setting that holds for the moment in which it is loaded.
void* load_with_one_thread() {
  require_room(library_bytes + buffer_bytes);
  constexpr const char* setting = "OPENBLAS_NUM_THREADS";
  const char* const before = std::getenv(setting);
  const std::string kept = before != nullptr ? before : "";
  ::setenv(setting, "1", 1);
  void* const library = ::dlopen(library_file, RTLD_NOW | RTLD_LOCAL);
  if (before != nullptr) {
    ::setenv(setting, kept.c_str(), 1);
  } else {
    ::unsetenv(setting);
  }
  return library;
}

template <typename Function>
Function* function_of(void* library, const char* name) {
  void* const found = ::dlsym(library, name);
  if (found == nullptr) fail_to_load();
  return reinterpret_cast<Function*>(found);
}

const blas_library& library() {
  static const blas_library loaded = [] {
    void* const handle = load_with_one_thread();  // stays loaded
    if (handle == nullptr) fail_to_load();
    return blas_library{
        function_of<decltype(cblas_dgemm)>(handle, "cblas_dgemm"),
        function_of<decltype(openblas_get_num_threads)>(handle, "openblas_get_num_threads"),
        function_of<decltype(openblas_set_num_threads)>(handle, "openblas_set_num_threads")};
  }();
  return loaded;
}

class blas_kernel final : public multiply_kernel {
 public:
  blas_kernel() : blas_{library()}, threads_before_{blas_.threads()} { blas_.set_threads(1); }
  ~blas_kernel() override { blas_.set_threads(threads_before_); }

  [[nodiscard]] std::string_view name() const noexcept override { return "blas"; }

  void prepare(unsigned threads) override {
    if (threads <= prepared_) return;
    require_room((threads - prepared_) * buffer_bytes);
    prepared_ = threads;
  }

  using multiply_kernel::multiply;
  void multiply(const product_block& of) const override {
    blas_.multiply(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<blasint>(of.rows),
                   static_cast<blasint>(of.columns), static_cast<blasint>(of.depth), 1.0, of.a,
                   static_cast<blasint>(of.a_stride), of.b, static_cast<blasint>(of.b_stride), 0.0,
                   of.c, static_cast<blasint>(of.c_stride));
  }

 private:
  const blas_library& blas_;
  int threads_before_;
  unsigned prepared_ = 0;  // threads whose memory was there
};

}  // namespace

bool has_blas_kernel() noexcept { return true; }

std::unique_ptr<multiply_kernel> make_blas_kernel() { return std::make_unique<blas_kernel>(); }

}  // namespace evencube::workloads
