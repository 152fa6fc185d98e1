/* Instances that are born on a device, and checks of them that share no code with the library. */
#ifndef PLIANT_BENCH_GPU_INSTANCE_H
#define PLIANT_BENCH_GPU_INSTANCE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  void* G;   /* m x n, row after row: rows of norm 1, or points of a normal cloud */
  double* h; /* between 1 and 1.1 */
} bench_instance;

/* 0, or 1 with a line on stderr. Entries of row i depend on seed, i and n alone. */
int bench_make(int64_t m, int64_t n, int32_t number_bytes, int32_t cloud, uint64_t seed, bench_instance* out);
void bench_free(bench_instance* instance);
/* max(0, largest of G x - h) by a plain loop over the numbers, one thread for each row. */
int bench_violation(const bench_instance* instance, int64_t m, int64_t n, int32_t number_bytes, const double* x,
                    double* violation);
/* The same of (p, 1)'X(p, 1) - h, X of order n + 1. */
int bench_form_violation(const bench_instance* instance, int64_t m, int64_t n, int32_t number_bytes, const double* X,
                         double* violation);
/* Rows to the host, as doubles. */
int bench_rows(const bench_instance* instance, int64_t first, int64_t count, int64_t n, int32_t number_bytes, double* G,
               double* h);
/* Bytes read and written per second by a device-to-device copy. */
int bench_copy_bandwidth(double* bytes_per_second);
/* Bytes of the card in use. */
int bench_used_bytes(double* bytes);

#ifdef __cplusplus
}
#endif

#endif
