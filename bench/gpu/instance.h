/* Instances that are born on a device, and checks of them that share no code with the library. */
#ifndef PLIANT_BENCH_GPU_INSTANCE_H
#define PLIANT_BENCH_GPU_INSTANCE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  BENCH_ROWS,         /* of norm 1 */
  BENCH_POINTS,       /* of a normal cloud */
  BENCH_QUADRATIC,    /* 1/2 |F x|^2 + q'x <= h, F of `terms` rows, all normal */
  BENCH_EXPONENTIALS, /* ln sum exp(A x + b) <= h, b between -3 and -2 */
  BENCH_REGRESSION    /* of a normal cloud; h is a linear function of the row and noise of its own scale */
} bench_kind;

typedef struct {
  void* G;      /* m x terms x n, row after row */
  double* h;    /* between 1 and 1.1, unless the kind says otherwise */
  void* beside; /* q, stored as G, or b, doubles; else null */
} bench_instance;

typedef struct {
  int32_t kind;
  int64_t m, n, terms;
  int32_t number_bytes;
} bench_shape;

/* 0, or 1 with a line on stderr. Entries of row i depend on seed, i and n alone. */
int bench_make(const bench_shape* shape, uint64_t seed, bench_instance* out);
void bench_free(bench_instance* instance);
/* max(0, largest of G x - h) by a plain loop over the numbers, one thread for each row. */
int bench_violation(const bench_instance* instance, int64_t m, int64_t n, int32_t number_bytes, const double* x,
                    double* violation);
/* The same of (p, 1)'X(p, 1) - h, X of order n + 1. */
int bench_form_violation(const bench_instance* instance, int64_t m, int64_t n, int32_t number_bytes, const double* X,
                         double* violation);
/* The same of curved rows, stored as doubles. */
int bench_curved_violation(const bench_instance* instance, const bench_shape* shape, const double* x,
                           double* violation);
/* (1/m) sum rho_tau(h - G x) in the same way. */
int bench_quantile_loss(const bench_instance* instance, const bench_shape* shape, double tau, const double* x,
                        double* loss);
/* Numbers to the host as they are. */
int bench_copy(void* to, const void* from, int64_t bytes);
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
