/* A quadratic program from C: build, set, solve, read the answer and what it is worth.
 *
 *   minimise    x^2 + y^2 + z^2 - 2x - 6y
 *   subject to  x + y <= 2,  x + y + z = 2.5,  0 <= x, y, z <= 2
 *
 * Where x + y = 2 and z = 0.5, x^2 + y^2 - 2x - 6y is least at x = 0, y = 2. */
#include <pliant.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void stop_on(int failed, const char* what) {
  if (!failed) return;
  fprintf(stderr, "%s: %s\n", what, pliant_last_error());
  exit(1);
}

int main(void) {
  const double P[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, q[3] = {-2, -6, 0};
  const double row[3] = {1, 1, 0}, most[1] = {2};
  const int64_t starts[2] = {0, 3}, columns[3] = {0, 1, 2};
  const double ones[3] = {1, 1, 1}, sum[1] = {2.5};
  const double lower[3] = {0, 0, 0}, upper[3] = {2, 2, 2};

  pliant_problem* problem = pliant_problem_new(3);
  stop_on(problem == NULL, "problem");
  stop_on(pliant_minimize_quadratic(problem, P, q), "objective");
  stop_on(pliant_set_bounds(problem, lower, upper), "bounds");
  const int64_t rows = pliant_add_rows(problem, 1, row, NULL, most);
  const int64_t equalities = pliant_add_equalities_csr(problem, 1, starts, columns, ones, sum);
  stop_on(rows < 0 || equalities < 0, "constraints");

  pliant_settings* settings = pliant_settings_new();
  stop_on(pliant_settings_set(settings, "tol_gap", "1e-8"), "settings");
  pliant_result* result = pliant_solve(problem, settings);
  stop_on(result == NULL, "solve");

  double x[3], price[1];
  stop_on(pliant_result_x(result, x, 3), "x");
  stop_on(pliant_result_duals(result, rows, price, 1), "duals");
  printf("pliant %s: %s\n", pliant_version(), pliant_result_status_name(result));
  printf("x = %.4f %.4f %.4f, price of the row %.4f\n", x[0], x[1], x[2], price[0]);
  printf("objective %.6f, bound %.6f (%s), violation %.1e\n", pliant_result_number(result, "objective"),
         pliant_result_number(result, "lower_bound"), pliant_result_text(result, "lower_bound_kind"),
         pliant_result_number(result, "violation.linf"));

  const int right = pliant_result_status(result) == PLIANT_OPTIMAL && fabs(x[0]) < 1e-3 && fabs(x[1] - 2) < 1e-3 &&
                    fabs(x[2] - 0.5) < 1e-3;
  pliant_result_free(result);
  pliant_settings_free(settings);
  pliant_problem_free(problem);
  return right ? 0 : 1;
}
