/* pliant from C, and from any language that calls C: problems, settings and results behind opaque handles.
 *
 *   minimise    1/2 x'Px + q'x + constant
 *   subject to  lo <= G x <= hi,  E x = e,  lower <= x <= upper
 *
 * or whatever a file holds (docs/formats.md). Nothing is thrown: functions that can fail return NULL, PLIANT_FAILED or a
 * negative number, and pliant_last_error() then says in one line what was expected. Matrices are row-major, or CSR with
 * `starts` (rows + 1 entries), `columns` (ascending within a row) and `values`. Arrays are copied. Infinite sides and
 * bounds (INFINITY) are none. Handles may be used by one thread at a time; different ones by different threads. */
#ifndef PLIANT_H
#define PLIANT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pliant_problem pliant_problem;
typedef struct pliant_settings pliant_settings;
typedef struct pliant_result pliant_result;

enum { PLIANT_OK = 0, PLIANT_FAILED = 1 };

/* How a solve ended. */
typedef enum pliant_status {
  PLIANT_OPTIMAL = 0,
  PLIANT_PRIMAL_INFEASIBLE = 1,
  PLIANT_DUAL_INFEASIBLE = 2,
  PLIANT_TIME_LIMIT = 3,
  PLIANT_PASS_LIMIT = 4,
  PLIANT_ITERATION_LIMIT = 5,
  PLIANT_USER_STOPPED = 6,
  PLIANT_INTERRUPTED = 7,
  PLIANT_NUMERICAL_ERROR = 8
} pliant_status;

/* "0.1.0" */
const char* pliant_version(void);
/* Why the last call of this thread failed; "" if it did not. Valid until the next call. */
const char* pliant_last_error(void);

/* A problem of n variables with the objective 0, and one from a file in any readable format. */
pliant_problem* pliant_problem_new(int64_t n);
pliant_problem* pliant_problem_read(const char* file);
/* Writes it in the format of the ending. */
int pliant_problem_write(const pliant_problem* problem, const char* file);
void pliant_problem_free(pliant_problem* problem);
int64_t pliant_problem_dimension(const pliant_problem* problem);

/* Terms of the objective; they add up. P is symmetric, both triangles stored. */
int pliant_minimize_linear(pliant_problem* problem, const double* c, double constant);
int pliant_minimize_quadratic(pliant_problem* problem, const double* P, const double* q);
int pliant_minimize_quadratic_csr(pliant_problem* problem, const int64_t* starts, const int64_t* columns,
                                  const double* values, const double* q);

/* lower <= x <= upper; once. NULL: no bounds on that side. */
int pliant_set_bounds(pliant_problem* problem, const double* lower, const double* upper);

/* Blocks of constraints, numbered from 0 in the order of the calls; the number is returned, -1 on failure. NULL for lo or
 * hi: no such side. */
int64_t pliant_add_rows(pliant_problem* problem, int64_t rows, const double* G, const double* lo, const double* hi);
int64_t pliant_add_rows_csr(pliant_problem* problem, int64_t rows, const int64_t* starts, const int64_t* columns,
                            const double* values, const double* lo, const double* hi);
int64_t pliant_add_equalities(pliant_problem* problem, int64_t rows, const double* E, const double* e);
int64_t pliant_add_equalities_csr(pliant_problem* problem, int64_t rows, const int64_t* starts, const int64_t* columns,
                                  const double* values, const double* e);
/* How many blocks there are. */
int64_t pliant_problem_blocks(const pliant_problem* problem);

/* Settings by name and text, as on the command line: "tol_gap", "1e-8" (docs/settings.md). */
pliant_settings* pliant_settings_new(void);
int pliant_settings_set(pliant_settings* settings, const char* name, const char* value);
void pliant_settings_free(pliant_settings* settings);

/* Solves; settings may be NULL. NULL is returned for bad input alone: everything else is a status. */
pliant_result* pliant_solve(const pliant_problem* problem, const pliant_settings* settings);
void pliant_result_free(pliant_result* result);

pliant_status pliant_result_status(const pliant_result* result);
/* "optimal", and one line that explains the status where that helps. */
const char* pliant_result_status_name(const pliant_result* result);
const char* pliant_result_message(const pliant_result* result);

/* Copies x; n must be the dimension. */
int pliant_result_x(const pliant_result* result, double* x, int64_t n);
/* Copies the duals of a block, one per row: positive where hi holds the row, negative where lo does. */
int64_t pliant_result_dual_count(const pliant_result* result, int64_t block);
int pliant_result_duals(const pliant_result* result, int64_t block, double* duals, int64_t count);
/* Multipliers of the bounds: the subgradient that balances the Lagrangian's gradient; n entries. */
int pliant_result_bound_duals(const pliant_result* result, double* duals, int64_t n);

/* A figure of the result by its name in --json: "objective", "lower_bound", "gap_rel", "violation.linf", "violation_rel",
 * "dual_residual_rel", "iterations", "passes", "time.solve", ...; a flag is 0 or 1. NAN where there is none. */
double pliant_result_number(const pliant_result* result, const char* name);
/* A text by its name: "lower_bound_kind" ("proved", "proved_if_convex", "estimate"), "engine", ... NULL where there is
 * none. */
const char* pliant_result_text(const pliant_result* result, const char* name);

#ifdef __cplusplus
}
#endif

#endif
