// Loaded before a program (LD_PRELOAD): system calls and allocations that fail as PLIANT_FAULT says.
//
//   "write K ERRNO"   the K-th call that changes a file, and every one after it, fails with that number; standard output
//                     and standard error are spared
//   "short 1 0"       writes take half of what they are given
//   "eintr 1 ERRNO"   every other write fails with that number once
//   "signal K NUMBER" the signal is raised at the K-th such call
//   "malloc K 0"      the K-th allocation of main fails, "lasting K 0": and all that follow
//   "serve SECONDS 0" each line of standard input is such a fault ("malloc K"): a child runs the program from its beginning,
//                     at most that long, and standard output gets its status (of wait). Spares loading the libraries anew
//
// A program that loads the library later, as Python does, calls pliant_fault instead: allocations of ours alone fail then.
//
// With PLIANT_FAULT_COUNT=FILE it says there how many such calls and allocations there were.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char kind[16];
static long at = 0, number = 0;
static atomic_long calls, allocations;
static atomic_int armed;

static int is(const char* name) { return strcmp(kind, name) == 0; }

// 1: the call fails, and errno is set.
static int fails(int descriptor) {
  if (!armed || (descriptor >= 0 && descriptor <= 2)) return 0;
  const long now = ++calls;
  if (is("signal") && now == at) raise((int)number);
  if ((is("write") && now >= at) || (is("eintr") && now % 2 == 1)) {
    errno = (int)number;
    return 1;
  }
  return 0;
}

static size_t shortened(int descriptor, size_t bytes) {
  return armed && is("short") && descriptor > 2 && bytes > 1 ? bytes / 2 : bytes;
}

// What the next library has under this name.
#define REAL(name)                      \
  static __typeof__(&name) real = NULL; \
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, #name)

ssize_t write(int file, const void* data, size_t bytes) {
  REAL(write);
  return fails(file) ? -1 : real(file, data, shortened(file, bytes));
}
ssize_t pwrite(int file, const void* data, size_t bytes, off_t offset) {
  REAL(pwrite);
  return fails(file) ? -1 : real(file, data, shortened(file, bytes), offset);
}
ssize_t pwrite64(int file, const void* data, size_t bytes, off64_t offset) {
  REAL(pwrite64);
  return fails(file) ? -1 : real(file, data, shortened(file, bytes), offset);
}
ssize_t writev(int file, const struct iovec* parts, int count) {
  REAL(writev);
  if (fails(file)) return -1;
  return armed && is("short") && file > 2 ? write(file, parts[0].iov_base, parts[0].iov_len) : real(file, parts, count);
}
int fsync(int file) {
  REAL(fsync);
  return is("eintr") ? real(file) : fails(file) ? -1 : real(file);
}
int ftruncate(int file, off_t length) {
  REAL(ftruncate);
  return is("eintr") ? real(file, length) : fails(file) ? -1 : real(file, length);
}
int ftruncate64(int file, off64_t length) {
  REAL(ftruncate64);
  return is("eintr") ? real(file, length) : fails(file) ? -1 : real(file, length);
}
int rename(const char* from, const char* to) {
  REAL(rename);
  return is("eintr") ? real(from, to) : fails(-1) ? -1 : real(from, to);
}

#ifndef PLIANT_SANITIZED  // the sanitizers have an allocator of their own
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

// Where libhdf5 lies: it does not survive failures of its own small allocations (1.10: segmentation faults), and nothing
// here can make it. They are spared.
static const char *hdf5_begin, *hdf5_end;

static int find_hdf5(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size, (void)data;
  if (strstr(info->dlpi_name, "libhdf5") == NULL) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const char* const begin = (const char*)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    const char* const end = begin + info->dlpi_phdr[i].p_memsz;
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    if (hdf5_begin == NULL || begin < hdf5_begin) hdf5_begin = begin;
    if (end > hdf5_end) hdf5_end = end;
  }
  return 1;
}

// Where the library, its Python extension and the operator new they call lie, while those alone fail.
enum { MOST_OURS = 8 };
static const char *ours_begin[MOST_OURS], *ours_end[MOST_OURS];
static int ours = 0;

static int find_ours(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size, (void)data;
  if (strstr(info->dlpi_name, "pliant") == NULL && strstr(info->dlpi_name, "libstdc++") == NULL) return 0;
  for (int i = 0; i < info->dlpi_phnum && ours < MOST_OURS; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD || (info->dlpi_phdr[i].p_flags & PF_X) == 0) continue;
    ours_begin[ours] = (const char*)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    ours_end[ours] = ours_begin[ours] + info->dlpi_phdr[i].p_memsz;
    ++ours;
  }
  return 0;
}

static int is_ours(const char* caller) {
  for (int i = 0; i < ours; ++i) {
    if (caller >= ours_begin[i] && caller < ours_end[i]) return 1;
  }
  return ours == 0;
}

static int refused(const void* caller) {
  if (!armed || ((const char*)caller >= hdf5_begin && (const char*)caller < hdf5_end)) return 0;
  if (!is_ours(caller)) return 0;
  const long now = ++allocations;
  if (!((is("malloc") && now == at) || (is("lasting") && now >= at))) return 0;
  errno = ENOMEM;
  return 1;
}
// The k-th allocation of ours from here on fails ("malloc"), and all that follow ("lasting"), or none (""). Returns how many
// there were since the last call.
long pliant_fault(const char* wanted, long k) {
  armed = 0;
  if (ours == 0) dl_iterate_phdr(find_ours, NULL);
  const long before = allocations;
  strncpy(kind, wanted, sizeof kind - 1);
  at = k;
  allocations = 0;
  armed = 1;
  return before;
}

#define CALLER __builtin_return_address(0)
void* malloc(size_t bytes) { return refused(CALLER) ? NULL : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return refused(CALLER) ? NULL : __libc_calloc(count, bytes); }
void* realloc(void* old, size_t bytes) { return refused(CALLER) ? NULL : __libc_realloc(old, bytes); }
void* memalign(size_t alignment, size_t bytes) { return refused(CALLER) ? NULL : __libc_memalign(alignment, bytes); }
void* aligned_alloc(size_t alignment, size_t bytes) { return refused(CALLER) ? NULL : __libc_memalign(alignment, bytes); }
int posix_memalign(void** out, size_t alignment, size_t bytes) {
  void* const block = refused(CALLER) ? NULL : __libc_memalign(alignment, bytes);
  if (block == NULL) return ENOMEM;
  *out = block;
  return 0;
}
char* strdup(const char* text) {
  const size_t bytes = strlen(text) + 1;
  char* const block = refused(CALLER) ? NULL : __libc_malloc(bytes);
  return block == NULL ? NULL : memcpy(block, text, bytes);
}
#endif

static int (*program)(int, char**, char**);

// Returns in every child, with the fault it was asked for.
static void serve(unsigned seconds) {
  char line[64];
  while (fgets(line, sizeof line, stdin) != NULL) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(seconds);
      sscanf(line, "%15s %ld", kind, &at);
      if (freopen("/dev/null", "r", stdin) == NULL || freopen("/dev/null", "w", stdout) == NULL) _exit(127);
      return;
    }
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    printf("%d\n", status);
    fflush(stdout);
  }
  _exit(0);
}

static int armed_program(int argc, char** argv, char** environment) {
  const char* fault = getenv("PLIANT_FAULT");
  if (fault != NULL) sscanf(fault, "%15s %ld %ld", kind, &at, &number);
  unsetenv("LD_PRELOAD");
  if (is("serve")) serve((unsigned)at);
#ifndef PLIANT_SANITIZED
  dl_iterate_phdr(find_hdf5, NULL);
#endif
  armed = 1;
  return program(argc, argv, environment);
}

// After everything else that happens at the end.
__attribute__((destructor)) static void tell(void) {
  armed = 0;
  const char* file = getenv("PLIANT_FAULT_COUNT");
  FILE* out = file != NULL ? fopen(file, "w") : NULL;
  if (out == NULL) return;
  fprintf(out, "%ld %ld\n", (long)calls, (long)allocations);
  fclose(out);
}

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void), void (*fini)(void),
                      void (*loader)(void), void* stack_end) {
  REAL(__libc_start_main);
  program = main;
  return real(armed_program, argc, argv, init, fini, loader, stack_end);
}
