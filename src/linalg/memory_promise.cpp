#include "linalg/memory_promise.hpp"

#include "linalg/dense_ldl.hpp"
#include "linalg/lapack_lock.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "machine/data_memory.hpp"
#include "parallel/parallel.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace pliant {
namespace {

std::optional<Index> promised;

// Room for what libraries ask for and hardly touch.
constexpr Index kSlack = Index{24} << 20;

// Stacks of threads and the buffer of BLAS are reserved in megabytes, a hundred and more, and hardly used: they are there
// before one looks how much is, so that they do not count. OpenBLAS would wait for ever for a buffer that it cannot get; one is
// enough, because BLAS is entered by one thread at a time (lapack_lock.hpp).
void reserve_what_is_hardly_used() {
  constexpr Index kWorthThreads = Index{1} << 30;  // bytes of work, so to speak
  parallel::for_chunks(parallel::make_chunks(parallel::threads(), kWorthThreads, parallel::threads()),
                       [](Index, Index, Index) {});
  constexpr Index kOrder = 256;  // smaller products do without a buffer
  const Matrix A = Matrix::Identity(kOrder, kOrder);
  (void)symmetric_eigen(A);
  Matrix C(kOrder, kOrder);
  const LapackLock lock;
  multiply_transposed(kOrder, kOrder, kOrder, 1.0, A.data(), kOrder, A.data(), kOrder, 0.0, C.data(), kOrder);
}

}  // namespace

void promise_memory(Index bytes) {
#ifdef __SANITIZE_ADDRESS__
  (void)bytes;  // shadows of memory are many times the memory: nothing could be promised
  return;
#endif
  reserve_what_is_hardly_used();
  const machine::DataMemory now = machine::data_memory();
  rlimit limit{};
  if (now.reserved == 0 || ::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const auto wanted = static_cast<rlim_t>(bytes + kSlack + std::max<Index>(0, now.reserved - now.touched));
  limit.rlim_cur = std::min({wanted, limit.rlim_max, limit.rlim_cur});  // RLIM_INFINITY is the largest of all
  if (::setrlimit(RLIMIT_DATA, &limit) == 0) promised = bytes;
}

std::optional<Index> promised_memory() { return promised; }

}  // namespace pliant
