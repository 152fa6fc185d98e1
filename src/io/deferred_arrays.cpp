#include "io/deferred_arrays.hpp"

#include "parallel/parallel.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <vector>

namespace pliant::io {

std::shared_ptr<const void> DeferredArrays::reserve(Index bytes) {
  const auto length = static_cast<std::size_t>(std::max<Index>(1, bytes));
  void* const address = ::mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) throw std::bad_alloc();
  return {address, [length](void* p) { ::munmap(p, length); }};
}

const DeferredArrays::Source* DeferredArrays::find(const void* address) const {
  const auto found = sources_.find(address);
  return found == sources_.end() ? nullptr : &found->second;
}

void DeferredArrays::for_blocks(const Source& source,
                                const std::function<void(Index begin, Index count, const void* rows)>& write) {
  constexpr Index kMaxChunks = 64;
  const Index per_block = std::clamp<Index>(block_bytes / std::max<Index>(1, source.row_bytes), 1, source.rows);
  std::vector<double> block(static_cast<std::size_t>((per_block * source.row_bytes + 7) / 8));
  char* const bytes = reinterpret_cast<char*>(block.data());
  for (Index begin = 0; begin < source.rows; begin += per_block) {
    const Index count = std::min(per_block, source.rows - begin);
    parallel::for_chunks(parallel::make_chunks(count, count * source.row_bytes, kMaxChunks),
                         [&](Index, Index first, Index end) {
                           for (Index i = first; i < end; ++i) source.make(begin + i, bytes + i * source.row_bytes);
                         });
    write(begin, count, bytes);
    written_ += count * source.row_bytes;
    if (progress) progress(written_, total_);
  }
}

}  // namespace pliant::io
