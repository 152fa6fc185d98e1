/* Rows on a CUDA device: what the library asks of libpliant_cuda.so, which it loads at run time.
 *
 * One object is one batch of rows with what reads of it have taught (rows/row_knowledge.hpp): values, norms, and the number
 * of the point each row was read at. Points themselves stay with the caller, who passes their distances from x ("reach").
 * Calls return 0, or 1 and a line in error(). An object is used by one thread at a time. */
#ifndef PLIANT_CUDA_H
#define PLIANT_CUDA_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PLIANT_CUDA_VERSION 3

typedef struct pliant_cuda_rows pliant_cuda_rows;

typedef enum {
  PLIANT_CUDA_LINEAR = 0, /* g'x <= upper, or lower <= g'x <= upper; infinite sides are no constraints */
  PLIANT_CUDA_FORMS =
      1, /* p'Ap + c'p + s <= upper, x being A, c, s (form_kernel.hpp), up to PLIANT_CUDA_WIDEST_FORM numbers */
  PLIANT_CUDA_QUADRATIC = 2,  /* 1/2 |Fx|^2 + q'x <= upper, F having `terms` rows; q stands beside */
  PLIANT_CUDA_LOG_SUM_EXP = 3 /* ln sum_k exp(a_k'x + b_k) <= upper, `terms` of them; b, doubles, stands beside */
} pliant_cuda_family;
#define PLIANT_CUDA_MOST_TERMS 6 /* q counts as one */
#define PLIANT_CUDA_WIDEST_FORM 32

/* Stored rows: those of a dense matrix, or points. */
typedef struct {
  int32_t device;       /* number of the card */
  int32_t family;       /* pliant_cuda_family */
  int32_t number_bytes; /* 8: stored as double, 4: as float; arithmetic is that of doubles */
  int64_t rows;         /* stored rows */
  int64_t width;        /* numbers of each, or of each of its terms */
  int64_t terms;        /* 1 but for the last two families */
} pliant_cuda_shape;

/* What one read found, as RowExtremes. */
typedef struct {
  double worst, farthest;
  int64_t invalid; /* the first row with a norm that is not finite, -1: none */
} pliant_cuda_extremes;

/* As RowSums, of one chunk. */
typedef struct {
  double largest, l1, scale, squares;
  int64_t rows, active, bounded, finite;
} pliant_cuda_sums;

/* Constants of all rows; constraints: sides that are finite. */
typedef struct {
  int64_t constraints;
  double largest; /* max |constant| */
} pliant_cuda_constants;

/* What stored rows cost: below max(0, lower - g'x) + above max(0, g'x - upper), lower and upper being the upper side of the row
 * -+ half_width; or, with labels, that side being 1 or -1, below max(0, 1 - g'x) or above max(0, 1 + g'x). */
typedef struct {
  double below, above, half_width;
  int32_t labels;
} pliant_cuda_prices;

/* What a check of soft rows found. */
typedef struct {
  int64_t doubtful, wrong; /* rows that were read, and those on another side */
  double certain_to;       /* the others are on theirs while the path of x is shorter than this */
} pliant_cuda_soft_check;
#define PLIANT_CUDA_WIDEST_SOFT 512

/* A row among those named last, and its weight. */
typedef struct {
  int64_t position;
  double weight;
} pliant_cuda_weighted;
#define PLIANT_CUDA_GRAM_TILE 64 /* numbers along a side of a square tile */

typedef struct {
  int32_t version;
  const char* (*error)(void);
  int (*devices)(int32_t* count);
  /* Name of the card, bytes of its memory that are free and in all. */
  int (*describe)(int32_t device, char* name, int32_t capacity, int64_t* free_bytes, int64_t* total_bytes);

  int (*create)(const pliant_cuda_shape* shape, pliant_cuda_rows** rows);
  void (*destroy)(pliant_cuda_rows* rows);
  /* Numbers of stored rows first, first + 1, ... from host memory, through pinned buffers; the first call makes room for all. */
  int (*upload)(pliant_cuda_rows* rows, int64_t first, int64_t count, const void* numbers);
  /* Numbers that lie on the device already, row after row; they must stay there. */
  int (*adopt)(pliant_cuda_rows* rows, const void* numbers);
  /* What is asked for from here on begins after what this stream of the device has been asked for; null: the default one. */
  int (*await_stream)(pliant_cuda_rows* rows, void* stream);
  /* Sides of all stored rows, doubles in host memory or numbers on the device of number_bytes each; lower may be null: none. */
  int (*set_constants)(pliant_cuda_rows* rows, const void* lower, const void* upper, int32_t on_device,
                       int32_t number_bytes, pliant_cuda_constants* found);
  /* Quadratic rows: q; log-sum-exp: b. In host memory, as the other numbers are stored, or on the device. */
  int (*set_beside)(pliant_cuda_rows* rows, const void* numbers, int32_t on_device);
  /* Of each constraint 2 r for the upper side of stored row r, 2 r + 1 for its lower one. */
  int (*list_sides)(pliant_cuda_rows* rows, int64_t* sides);

  /* Forms: that of the norms, which are unknown again. */
  int (*set_norm_form)(pliant_cuda_rows* rows, const double* form);

  /* Listed constraints, ascending; `smoothness` and `beside` may be null. */
  int (*measure)(pliant_cuda_rows* rows, const double* x, const int64_t* list, int64_t count, double* values,
                 double* norms, double* smoothness);
  int (*gather)(pliant_cuda_rows* rows, const int64_t* stored, int64_t count, double* numbers, double* lower,
                double* upper, double* beside);

  /* Everything is read at point 0, and what was known before is forgotten. */
  int (*read_all)(pliant_cuda_rows* rows, const double* x, pliant_cuda_extremes* found);
  /* Constraints not proven to be below -slack; kept as a list on the device. */
  int (*doubtful)(pliant_cuda_rows* rows, const double* reach, int32_t points, double slack, int64_t* count);
  /* Reads them, as point number `point`. */
  int (*read_doubtful)(pliant_cuda_rows* rows, const double* x, int32_t point, pliant_cuda_extremes* found);
  /* Constraints read at `point` at a distance above the threshold, or all with a bound of at least it; take() copies them. */
  int (*find_near)(pliant_cuda_rows* rows, int32_t point, double threshold, int64_t* count);
  int (*find_above)(pliant_cuda_rows* rows, const double* reach, int32_t points, double threshold, int64_t* count);
  int (*take)(pliant_cuda_rows* rows, int64_t* list, double* values, double* distances);
  int (*count_negative)(pliant_cuda_rows* rows, const double* reach, int32_t points, int64_t* count);
  /* Sums of chunks of 1024 rows, counted from row -offset of this object: the first chunk may be cut. `known` values replace
   * bounds. */
  int (*sums)(pliant_cuda_rows* rows, const double* reach, int32_t points, int64_t offset, double active_threshold,
              const int64_t* known, const double* known_values, int64_t known_count, pliant_cuda_sums* chunks);
  int (*bounds)(pliant_cuda_rows* rows, const double* reach, int32_t points, double* out);
  int (*forget)(pliant_cuda_rows* rows);
  /* Names rows for their outer products, stored ones; points q stand for svec(Rq(Rq)'), R of order width or width + 1, row
   * after row. Linear rows: R is null. */
  int (*gram_gather)(pliant_cuda_rows* rows, const int64_t* stored, int64_t count, const double* R, int64_t order);
  /* Begins sum w g g' over some of them. gram_end waits for its lower triangle: tiles row after row of them, each row after
   * row, those at the border filled up with zeros. */
  int (*gram_begin)(pliant_cuda_rows* rows, const pliant_cuda_weighted* list, int64_t count);
  int (*gram_end)(pliant_cuda_rows* rows, double* tiles);

  /* Soft rows: linear ones of one finite side each, the target, of up to PLIANT_CUDA_WIDEST_SOFT numbers. Weights, null or one
   * number for each row as for set_constants, times the prices are what a row costs. */
  int (*soft_prices)(pliant_cuda_rows* rows, const pliant_cuda_prices* prices, const void* weights, int32_t on_device,
                     int32_t number_bytes, double* largest_weight);
  /* Freezes every row to the side of its kinks it is on at x. Keys are lengths of the path of x, |dx / units|, at which rows may
   * leave their side. sums: of slope g (`width` numbers), of the constants of the linear functions that rows are frozen to, of
   * the sizes of both, and rows within `reach` of a kink, in g'x. invalid: the first row with a norm that is not finite, -1:
   * none. */
  int (*soft_read)(pliant_cuda_rows* rows, const double* x, const double* units, double reach, double* sums,
                   int64_t* invalid);
  /* Keys of rows 0, stride, 2 stride, ... */
  int (*soft_sample)(pliant_cuda_rows* rows, int64_t stride, int64_t count, double* keys);
  /* Rows with keys up to a length, one in `apart` of them, drawn by their numbers; or, below 0, all those that the last check
   * found on another side. soft_take copies them. */
  int (*soft_find)(pliant_cuda_rows* rows, double up_to, int64_t apart, int64_t* count);
  int (*soft_take)(pliant_cuda_rows* rows, int64_t* list, double* keys, double* sides);
  /* The caller has them from here on: never in doubt, never found. */
  int (*soft_give)(pliant_cuda_rows* rows, const int64_t* list, int64_t count);
  /* x has moved by `moved` in all. Rows whose keys times `certain` are no more than that are read. */
  int (*soft_check)(pliant_cuda_rows* rows, const double* x, const double* units, double moved, double certain,
                    pliant_cuda_soft_check* found);
  /* Weights of listed rows. */
  int (*soft_weights)(pliant_cuda_rows* rows, const int64_t* list, int64_t count, double* weights);

  /* Seconds the device has spent on read_all and soft_read since the object was made, and how often. */
  int (*read_time)(pliant_cuda_rows* rows, double* seconds, int64_t* reads);
} pliant_cuda_api;

/* The one symbol of the library. */
__attribute__((visibility("default"))) const pliant_cuda_api* pliant_cuda_table(void);

#ifdef __cplusplus
}
#endif

#endif
