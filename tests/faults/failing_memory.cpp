// Not sanitized itself: it is called before the sanitizers are ready.
#include "faults/failing_memory.hpp"

#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <string_view>

#ifdef PLIANT_SANITIZED
#define PLIANT_REAL(function) __interceptor_##function
#else
#define PLIANT_REAL(function) __libc_##function
#endif

extern "C" {
void* PLIANT_REAL(malloc)(std::size_t);
void* PLIANT_REAL(calloc)(std::size_t, std::size_t);
void* PLIANT_REAL(realloc)(void*, std::size_t);
void* PLIANT_REAL(memalign)(std::size_t, std::size_t);
void PLIANT_REAL(free)(void*);
}

namespace {

constexpr long kNever = std::numeric_limits<long>::max();
std::atomic<long> asked_for{0}, first_failure{kNever}, last_failure{0}, blocks{0};

// Libraries whose allocations below so many bytes are spared: HDF5 crashes where a small one fails (1.10), MUMPS too (5.5; what
// it does about its large ones is another matter), the runtimes of OpenMP and Fortran end the process, and the loader allocates
// for new threads.
struct Library {
  std::string_view name;
  std::size_t spared_below;
};
constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max(), kSmallOfMumps = 1 << 16;
constexpr std::array kSpared{Library{"libhdf5", kAll},     Library{"mumps", kSmallOfMumps}, Library{"libgomp", kAll},
                             Library{"libgfortran", kAll}, Library{"ld-linux", kAll},
#ifdef PLIANT_SANITIZED  // which begin a thread by asking the C library for its stack, and do without no answer
                             Library{"libc.so", kAll}
#endif
};

// Where their code lies.
struct Code {
  const char* begin;
  const char* end;
  std::size_t spared_below;
};
constexpr std::size_t kMostCode = 16;
std::array<Code, kMostCode> codes{};
std::size_t code_count = 0;

int find_spared(dl_phdr_info* info, std::size_t, void*) {
  const std::string_view name(info->dlpi_name);
  const auto* const library = std::find_if(kSpared.begin(), kSpared.end(), [&](const Library& spared) {
    return name.find(spared.name) != std::string_view::npos;
  });
  for (int i = 0; library != kSpared.end() && i < info->dlpi_phnum && code_count < kMostCode; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const char* const begin = reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr);
    codes[code_count++] = {begin, begin + part.p_memsz, library->spared_below};
  }
  return 0;
}

bool is_spared(const void* caller, std::size_t bytes) {
  return std::any_of(codes.begin(), codes.begin() + static_cast<std::ptrdiff_t>(code_count), [&](const Code& code) {
    return caller >= code.begin && caller < code.end && bytes < code.spared_below;
  });
}

bool refuse(std::size_t bytes, const void* caller) {
  if (is_spared(caller, bytes)) return false;
  const long number = ++asked_for;
  if (number < first_failure.load(std::memory_order_relaxed) || number > last_failure.load(std::memory_order_relaxed)) {
    return false;
  }
  errno = ENOMEM;
  return true;
}

void* counted(void* block) {
  if (block != nullptr) ++blocks;
  return block;
}

void* aligned(std::size_t alignment, std::size_t bytes, const void* caller) {
  return refuse(bytes, caller) ? nullptr : counted(PLIANT_REAL(memalign)(alignment, bytes));
}

void* thrown_if_null(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

#define CALLER __builtin_return_address(0)
extern "C" {
void* malloc(std::size_t bytes) { return refuse(bytes, CALLER) ? nullptr : counted(PLIANT_REAL(malloc)(bytes)); }
void* calloc(std::size_t count, std::size_t bytes) {
  return refuse(count * bytes, CALLER) ? nullptr : counted(PLIANT_REAL(calloc)(count, bytes));
}
void* realloc(void* old, std::size_t bytes) {
  if (refuse(bytes, CALLER)) return nullptr;
  void* const block = PLIANT_REAL(realloc)(old, bytes);
  if (old != nullptr && block == nullptr && bytes == 0) --blocks;
  return old == nullptr ? counted(block) : block;
}
void* memalign(std::size_t alignment, std::size_t bytes) { return aligned(alignment, bytes, CALLER); }
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return aligned(alignment, bytes, CALLER); }
int posix_memalign(void** out, std::size_t alignment, std::size_t bytes) {
  void* const block = aligned(alignment, bytes, CALLER);
  if (block == nullptr) return ENOMEM;
  *out = block;
  return 0;
}
// That of the sanitizers would not call malloc.
char* strdup(const char* text) {
  const std::size_t bytes = std::strlen(text) + 1;
  void* const block = refuse(bytes, CALLER) ? nullptr : counted(PLIANT_REAL(malloc)(bytes));
  return block == nullptr ? nullptr : static_cast<char*>(std::memcpy(block, text, bytes));
}
void free(void* block) {
  if (block != nullptr) --blocks;
  PLIANT_REAL(free)(block);
}
}

void* operator new(std::size_t bytes) { return thrown_if_null(std::malloc(std::max<std::size_t>(bytes, 1))); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return thrown_if_null(aligned(static_cast<std::size_t>(alignment), bytes, CALLER));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return std::malloc(std::max<std::size_t>(bytes, 1));
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return std::malloc(std::max<std::size_t>(bytes, 1));
}
void* operator new[](std::size_t bytes) { return ::operator new(bytes); }
void* operator new[](std::size_t bytes, std::align_val_t alignment) { return ::operator new(bytes, alignment); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }

namespace pliant::testing {

FailingMemory::FailingMemory(long at, Shortage shortage) {
  if (code_count == 0) dl_iterate_phdr(find_spared, nullptr);
  asked_for = 0;
  last_failure = shortage == Shortage::once ? at : kNever;
  first_failure = at > 0 ? at : kNever;
}

FailingMemory::~FailingMemory() { first_failure = kNever; }

long FailingMemory::asked() { return asked_for; }

long live_blocks() { return blocks; }

}  // namespace pliant::testing
