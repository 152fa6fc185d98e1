#include "faults/failing_memory.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace {

constexpr long kNever = std::numeric_limits<long>::max();
std::atomic<long> asked_for{0}, first_failure{kNever}, last_failure{0}, blocks{0};

bool refuse() {
  const long number = ++asked_for;
  return number >= first_failure.load(std::memory_order_relaxed) &&
         number <= last_failure.load(std::memory_order_relaxed);
}

void* counted(void* block) {
  if (block != nullptr) ++blocks;
  return block;
}

}  // namespace

extern "C" {
void* __real_malloc(std::size_t);
void* __real_calloc(std::size_t, std::size_t);
void* __real_realloc(void*, std::size_t);
void* __real_aligned_alloc(std::size_t, std::size_t);
void __real_free(void*);

void* __wrap_malloc(std::size_t bytes) { return refuse() ? nullptr : counted(__real_malloc(bytes)); }
void* __wrap_calloc(std::size_t count, std::size_t bytes) {
  return refuse() ? nullptr : counted(__real_calloc(count, bytes));
}
void* __wrap_realloc(void* old, std::size_t bytes) {
  if (refuse()) return nullptr;
  void* const block = __real_realloc(old, bytes);
  return old == nullptr ? counted(block) : block;
}
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return refuse() ? nullptr : counted(__real_aligned_alloc(alignment, bytes));
}
void __wrap_free(void* block) {
  if (block != nullptr) --blocks;
  __real_free(block);
}
}

void* operator new(std::size_t bytes) {
  void* const block = __wrap_malloc(bytes > 0 ? bytes : 1);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto multiple = static_cast<std::size_t>(alignment);
  void* const block = __wrap_aligned_alloc(multiple, (bytes + multiple - 1) / multiple * multiple);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return __wrap_malloc(bytes > 0 ? bytes : 1); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return __wrap_malloc(bytes > 0 ? bytes : 1); }
void* operator new[](std::size_t bytes) { return ::operator new(bytes); }
void* operator new[](std::size_t bytes, std::align_val_t alignment) { return ::operator new(bytes, alignment); }
void operator delete(void* block) noexcept { __wrap_free(block); }
void operator delete[](void* block) noexcept { __wrap_free(block); }
void operator delete(void* block, std::size_t) noexcept { __wrap_free(block); }
void operator delete[](void* block, std::size_t) noexcept { __wrap_free(block); }
void operator delete(void* block, std::align_val_t) noexcept { __wrap_free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { __wrap_free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { __wrap_free(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { __wrap_free(block); }

namespace pliant::testing {

FailingMemory::FailingMemory(long at, Shortage shortage) {
  asked_for = 0;
  last_failure = shortage == Shortage::once ? at : kNever;
  first_failure = at > 0 ? at : kNever;
}

FailingMemory::~FailingMemory() { first_failure = kNever; }

long FailingMemory::asked() { return asked_for; }

long live_blocks() { return blocks; }

}  // namespace pliant::testing
