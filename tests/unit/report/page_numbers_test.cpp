// Pages of results with any numbers in them, and of very many.
#include "unit/report/checked_page.hpp"

#include "support/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

using testing::checked_page;
using testing::Random;

double any_double(Random& random) {
  switch (random.integer(0, 6)) {
    case 0:
      return std::nan("");
    case 1:
      return kInfinity;
    case 2:
      return -kInfinity;
    case 3:
      return 0.0;
    case 4:
      return 1e-300;
    default:
      return random.normal() * std::pow(10.0, random.uniform(-20.0, 20.0));
  }
}

Progress any_row(Random& random) {
  Progress row;
  for (double* value : {&row.time, &row.passes, &row.delta, &row.xi, &row.objective, &row.lower_bound, &row.violation,
                        &row.dual_residual, &row.gap_estimate, &row.mu, &row.step_primal, &row.step_dual}) {
    *value = any_double(random);
  }
  for (Index* value : {&row.iteration, &row.stage, &row.active, &row.near_active, &row.working, &row.screened}) {
    *value = random.integer(-1, 100000);
  }
  return row;
}

TEST(ReportPage, NumbersOfAnyKind) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Result r;
    r.status = random.uniform() < 0.5 ? Status::optimal : Status::interrupted;
    Certificate& c = r.certificate;
    for (double* value : {&c.objective, &c.lower_bound, &c.violation_l1, &c.violation_l2, &c.violation_linf,
                          &c.domain_violation, &c.equality_residual, &c.dual_residual, &c.dual_residual_rel,
                          &c.constant_scale, &r.xi, &r.delta, &r.passes, &r.time.read, &r.time.solve, &r.time.total}) {
      *value = any_double(random);
    }
    r.time.phases = {{"one", any_double(random)}, {"two", any_double(random)}};
    for (Index k = random.integer(0, 4); k > 0; --k) r.overview.slacks.add(any_double(random));
    for (Index k = random.integer(0, 4); k > 0; --k) {
      r.overview.leading.push_back({LeadingMultiplier::Kind::constraint, k, k, any_double(random), any_double(random)});
    }
    for (Index k = random.integer(0, 4); k > 0; --k) r.trace.push_back(any_row(random));
    checked_page(r);
    Settings timeless;
    timeless.timeless = true;
    checked_page(r, {timeless, {}, "t"});
  }
}

// Ten thousand rows as a method writes them: parameters change between stages, everything else at every row.
TEST(ReportPage, LongTracesStayBelowAMegabyte) {
  Random random(9);
  Result r;
  double delta = 1.0;
  for (Index k = 0; k < 10000; ++k) {
    Progress row;
    row.iteration = 50 * k + random.integer(0, 49);
    row.stage = k / 3;
    row.time = 0.037 * (static_cast<double>(k) + random.uniform());
    row.passes = 1.7 * (static_cast<double>(k) + random.uniform());
    row.objective = 1e4 * random.normal();
    row.lower_bound = row.objective - random.log_uniform(1e-9, 10.0);
    row.violation = random.log_uniform(1e-9, 10.0);
    row.dual_residual = random.log_uniform(1e-9, 10.0);
    if (k % 10 == 0) delta = random.log_uniform(1e-9, 10.0);
    row.delta = delta;
    row.xi = 1.0 + static_cast<double>(k / 1000);
    row.active = random.integer(0, 9999);
    row.near_active = random.integer(0, 99999);
    row.screened = 100 * (k / 50);
    row.working = 1000000 - row.screened;
    r.trace.push_back(row);
  }
  const std::string page = checked_page(r);
  EXPECT_LT(page.size(), 1000000u);
  EXPECT_THAT(page, ::testing::Not(::testing::HasSubstr("recorded rows are shown")));
  for (Progress& row : r.trace) row = any_row(random);  // as many digits as there may be
  r.trace.insert(r.trace.end(), r.trace.begin(), r.trace.end());
  const std::string thinned = report_html(r);
  EXPECT_LT(thinned.size(), 1000000u);
  EXPECT_THAT(thinned, ::testing::HasSubstr("of 20&#8239;000 recorded rows are shown"));
}

}  // namespace
}  // namespace pliant
