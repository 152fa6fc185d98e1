// Pages of every kind of result, the odd ones above all: well-formed, finite, and with nothing in them that acts.
#include "pliant/report.hpp"

#include "pliant/solve.hpp"
#include "support/random.hpp"
#include "support/small_problems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace pliant {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Random;

// Every element is closed in its place; attributes are quoted; nothing refers to another place.
void expect_well_formed(const std::string& page) {
  const std::set<std::string> empty{"meta", "link", "input"};
  std::vector<std::string> open;
  const std::regex attributes(R"re((\s+[a-zA-Z-]+(="[^"<>]*")?)*)re");
  std::size_t at = page.find("<html");
  while ((at = page.find('<', at)) != std::string::npos) {
    const std::size_t end = page.find('>', at);
    ASSERT_NE(end, std::string::npos);
    std::string tag = page.substr(at + 1, end - at - 1);
    if (tag[0] == '/') {
      ASSERT_FALSE(open.empty()) << tag;
      ASSERT_EQ(tag.substr(1), open.back());
      open.pop_back();
    } else {
      const bool closed = tag.back() == '/';
      if (closed) tag.pop_back();
      const std::string name = tag.substr(0, tag.find_first_of(" \n"));
      if (tag.size() < 5000) {  // paths are long, and a regular expression recurses
        EXPECT_TRUE(std::regex_match(tag.substr(name.size()), attributes)) << tag;
      }
      if (!closed && empty.count(name) == 0) open.push_back(name);
      if (name == "script" || name == "style") {
        at = page.find("</" + name + ">", end);
        ASSERT_NE(at, std::string::npos);
        continue;
      }
    }
    at = end;
  }
  EXPECT_TRUE(open.empty()) << open.back();
  EXPECT_THAT(page, Not(HasSubstr("http://www.example")));
  for (const char* outward : {"src=", "href=\"h", "@import", "url(", "fetch("})
    EXPECT_THAT(page, Not(HasSubstr(outward)));
}

void expect_finite_drawing(const std::string& page) {
  const std::regex attribute(
      R"re( (d|x|y|x1|x2|y1|y2|width|height|cx|cy|style|data-x|data-y|data-reference)="([^"]{0,2000}))re");
  for (auto i = std::sregex_iterator(page.begin(), page.end(), attribute); i != std::sregex_iterator(); ++i) {
    EXPECT_THAT((*i)[2].str(), Not(::testing::AnyOf(HasSubstr("nan"), HasSubstr("inf")))) << (*i)[1];
  }
}

std::string checked_page(const Result& result, const ReportOptions& options = {}) {
  std::string page = report_html(result, options);
  expect_well_formed(page);
  expect_finite_drawing(page);
  return page;
}

Problem small_qp(std::uint64_t seed, Index m = 40) {
  Random random(seed);
  return testing::planted_qp(random, 4, m, std::min<Index>(m, 2), 1).problem;
}

TEST(ReportPage, TellsASolvedProblem) {
  Problem p = small_qp(1);
  p.name = "plan";
  const Result r = solve(p);
  ASSERT_EQ(r.status, Status::optimal);
  const std::string page = checked_page(r, {{}, summarize(p, r), {}});
  for (const char* part :
       {"<h1>plan</h1>", "Solved, and proved", "id=\"objective\"", "id=\"slacks\"", "Largest multipliers", "40 linear",
        "Content-Security-Policy", "prefers-color-scheme", "@media print"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  EXPECT_THAT(checked_page(r), HasSubstr("Convex problem"));  // without the problem
}

TEST(ReportPage, NamesStayText) {
  Problem p = small_qp(2);
  const std::string evil = "</td></script><script>alert('x')</script>&amp;\"";
  p.name = evil;
  p.names.constraints.resize(1);
  for (int i = 0; i < 40; ++i) p.names.constraints[0].push_back(evil + std::to_string(i));
  Result r = solve(p);
  r.message = r.choice = evil;
  r.time.phases.emplace_back(evil, 1.0);
  const std::string page = checked_page(r, {{}, summarize(p, r), evil});
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;&quot;"));
}

TEST(ReportPage, ResultsWithNothingInThem) {
  EXPECT_THAT(checked_page(Result{}), HasSubstr("Not solved"));
  Problem free(3);
  free.minimize(quadratic(DataMatrix::from(Matrix(Matrix::Identity(3, 3))), to_array(Vector(Vector::Ones(3)))));
  const Result r = solve(free);
  EXPECT_EQ(r.status, Status::optimal);
  EXPECT_THAT(checked_page(r, {{}, summarize(free, r), {}}), HasSubstr("There are no inequalities"));
}

TEST(ReportPage, EveryStatusIsSaid) {
  const Problem p = small_qp(3);
  Result r = solve(p);
  for (Status status : {Status::optimal, Status::time_limit, Status::pass_limit, Status::iteration_limit,
                        Status::user_stopped, Status::interrupted, Status::numerical_error}) {
    r.status = status;
    for (bool rigorous : {true, false}) {
      r.certificate.lower_bound_kind = rigorous ? BoundKind::proved : BoundKind::estimate;
      const std::string page = checked_page(r, {{}, summarize(p, r), {}});
      EXPECT_THAT(page, HasSubstr("<span class=\"badge\">" + std::string(to_string(status)) + "</span>"));
      EXPECT_EQ(page.find("not a proof") != std::string::npos, !rigorous);
    }
  }
}

std::vector<Progress> two_rows() {
  std::vector<Progress> rows(2);
  rows[0].objective = -1.0;
  rows[1].objective = -10.0;
  for (Progress& row : rows) row.violation = 1.0;
  return rows;
}

TEST(ReportPage, ProofsAreExplained) {
  Problem p(2);  // x0 >= 1 and x0 <= 0
  Matrix G(2, 2);
  G << -1.0, 0.0, 1.0, 0.0;
  p.minimize(linear(to_array(Vector(Vector::Ones(2)))));
  p.subject_to(linear_le(DataMatrix::from(G), to_array(Vector{{-1.0, 0.0}})));
  Result infeasible = solve(p);
  ASSERT_EQ(infeasible.status, Status::primal_infeasible);
  infeasible.trace = two_rows();  // whatever was recorded
  const std::string contradiction = checked_page(infeasible, {{}, summarize(p, infeasible), {}});
  EXPECT_THAT(contradiction, HasSubstr("2 constraints</strong> cannot hold together"));
  EXPECT_THAT(contradiction, HasSubstr("<dt>Missed by</dt>"));
  EXPECT_THAT(contradiction, HasSubstr("No point meets all constraints at once"));
  Problem q(2);  // min x0 + x1 s.t. x0 <= 1
  q.minimize(linear(to_array(Vector(Vector::Ones(2)))));
  q.subject_to(linear_le(DataMatrix::from(Matrix{{1.0, 0.0}}), to_array(Vector(Vector::Ones(1)))));
  Result unbounded = solve(q);
  ASSERT_EQ(unbounded.status, Status::dual_infeasible);
  unbounded.trace = two_rows();
  const std::string falling = checked_page(unbounded, {{}, summarize(q, unbounded), {}});
  EXPECT_THAT(falling, HasSubstr("the problem is unbounded"));
  EXPECT_THAT(falling, HasSubstr("It falls without end"));
  for (const std::string& proof : {contradiction, falling}) {  // which has no optimal value, nor a gap to it
    for (const char* absent : {"The optimal value lies", "relative gap</li>", "No constraint has a multiplier"})
      EXPECT_THAT(proof, Not(HasSubstr(absent)));
  }
}

TEST(ReportPage, OneConstraintIsNotMany) {
  Problem p(1);  // x^2 / 2 + 1 <= 0
  p.minimize(linear(to_array(Vector(Vector::Ones(1)))));
  p.subject_to(quadratic_le(Tensor({1, 1, 1}, Doubles({1.0})), Tensor({1, 1}, Doubles({0.0})), Doubles({1.0})));
  const Result r = solve(p);
  ASSERT_EQ(r.status, Status::primal_infeasible);
  EXPECT_THAT(r.message, HasSubstr("the multiplier of one of them proves it"));
  const std::string page = checked_page(r, {{}, summarize(p, r), {}});
  for (const char* part : {"1 constraint</strong> cannot hold. Weighted by its multiplier", "How far the constraint is",
                           "<th scope=\"row\">Constraints</th><td>1 quadratic</td>"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  EXPECT_THAT(page, Not(HasSubstr(">0.5</text>")));  // half a constraint
}

// Values of equalities and soft rows may have any sign.
TEST(ReportPage, ValuesAreAtMostZeroWhereTheyAre) {
  Result r;
  r.overview.leading = {{LeadingMultiplier::Kind::constraint, 0, 0, 2.0, -1e-9}};
  EXPECT_THAT(checked_page(r), HasSubstr("value (&le; 0)</th>"));
  r.overview.leading.push_back({LeadingMultiplier::Kind::equality, 0, 0, -1.0, 1e-9});
  EXPECT_THAT(checked_page(r), HasSubstr("value</th>"));
  r.overview.leading.pop_back();
  r.overview.soft.at_price = 3;
  const std::string soft = checked_page(r);
  EXPECT_THAT(soft, HasSubstr("value</th>"));
  EXPECT_THAT(soft, HasSubstr("The multiplier of a soft row is at most its price."));
}

// A series of one point has a mark and no line, in the chart's legend, too.
TEST(ReportPage, OnePointHasNoLine) {
  Result r;
  r.trace = two_rows();
  r.trace[0].lower_bound = -kInfinity;
  r.trace[1].lower_bound = -11.0;
  const std::string page = checked_page(r);
  const std::size_t chart = page.find("<figure class=\"card\" id=\"objective\"");
  const std::string legend = page.substr(chart, page.find("</ul>", chart) - chart);
  EXPECT_THAT(legend, HasSubstr("class=\"line s0\""));
  EXPECT_THAT(legend, HasSubstr("class=\"mark s0\""));
  EXPECT_THAT(legend, Not(HasSubstr("class=\"line s1\"")));
  EXPECT_THAT(legend, HasSubstr("class=\"mark s1 alone\""));
}

std::string section(const std::string& page, const std::string& id) {
  const std::size_t begin = page.find("<section id=\"" + id + "\"");
  return begin == std::string::npos ? "" : page.substr(begin, page.find("</section>", begin) - begin);
}

// min sum (x_j - c_j)^2 / 2, 0 <= x <= 2: x = (0, 1, 2, 2, 2), names by hand, and a row that never binds.
TEST(ReportPage, ShowsTheVariablesFirst) {
  Problem p(5);
  const Vector c{{-1.0, 1.0, 3.0, 4.0, 5.0}};
  p.minimize(quadratic(DataMatrix::from(Matrix(Matrix::Identity(5, 5))), to_array(Vector(-c))));
  p.regularize(box({0.0, 0.0, 0.0, 0.0, 0.0}, {2.0, 2.0, 2.0, 2.0, 2.0}));
  p.subject_to(linear_le(DataMatrix::from(Matrix(Matrix::Ones(1, 5))), to_array(Vector(Vector::Constant(1, 100.0)))));
  p.names.variables = {"wood", "iron", "coal", "salt", "fish & chips"};
  const Result r = solve(p);
  ASSERT_EQ(r.status, Status::optimal);
  const std::string page = checked_page(r, {{}, summarize(p, r), {}});
  const std::string shown = section(page, "variables");
  EXPECT_THAT(shown, HasSubstr("1 at lower bounds, 3 at upper ones, 0 fixed, 1 between"));
  EXPECT_THAT(shown, HasSubstr("fish &amp; chips"));
  EXPECT_LT(page.find("id=\"certificate\""), page.find("id=\"variables\""));
  EXPECT_LT(page.find("id=\"variables\""), page.find("id=\"charts\""));
  const std::string pressed = shown.substr(shown.find("Held hardest"));  // by 3, 2, 1, 1
  EXPECT_LT(pressed.find("fish &amp; chips"), pressed.find("salt"));
  EXPECT_EQ(section(checked_page(r), "variables"), "");  // without the problem there are no names
}

// A path of complementarity has charts of its own, over iterations; what was not recorded has no place in a legend.
TEST(ReportPage, ChartsBelongToTheMethod) {
  Problem p = small_qp(5);
  Settings settings;
  settings.linear_algebra = LinearAlgebra::sparse;
  settings.method = Method::path;
  const Result path = solve(p, settings);
  ASSERT_EQ(path.status, Status::optimal);
  ASSERT_TRUE(std::isfinite(path.trace.back().mu) && path.trace.back().step_primal > 0.0);
  const std::string factors = checked_page(path, {settings, summarize(p, path), {}});
  for (const char* part : {"id=\"mu\"", "id=\"steps\"", "id=\"x-iteration\"", "gap, not proved"}) {
    EXPECT_THAT(factors, HasSubstr(part));
  }
  for (const char* absent : {"id=\"delta\"", "id=\"xi\"", "id=\"counts\"", "id=\"x-passes\""}) {
    EXPECT_THAT(factors, Not(HasSubstr(absent)));
  }
  const Result rows = solve(p);
  ASSERT_FALSE(std::isfinite(rows.trace.back().mu));
  const std::string penalty = checked_page(rows, {{}, summarize(p, rows), {}});
  for (const char* part : {"id=\"delta\"", "id=\"xi\"", "id=\"x-passes\""}) EXPECT_THAT(penalty, HasSubstr(part));
  for (const char* absent : {"id=\"mu\"", "id=\"steps\"", "gap, not proved", "nothing was recorded"}) {
    EXPECT_THAT(penalty, Not(HasSubstr(absent)));
  }
  const auto& slacks = rows.overview.slacks;
  const bool violated = std::any_of(slacks.violated.begin(), slacks.violated.end(), [](Index k) { return k > 0; });
  EXPECT_EQ(penalty.find("swatch violated") != std::string::npos, violated);
  EXPECT_EQ(penalty.find("proven inactive</li>") != std::string::npos, rows.screened > 0);
}

TEST(ReportPage, LimitsOfOneValueHaveOneLabel) {
  const Problem p = small_qp(6);
  Settings settings;
  const Result r = solve(p, settings);
  const std::string same = checked_page(r, {settings, {}, {}});
  EXPECT_THAT(same, HasSubstr(">allowed</text>"));
  EXPECT_THAT(same, Not(HasSubstr(">gap allowed</text>")));
  settings.tol_gap = 1e-5;
  const std::string two = checked_page(r, {settings, {}, {}});
  EXPECT_THAT(two, HasSubstr(">gap allowed</text>"));
  EXPECT_THAT(two, HasSubstr(">violation allowed</text>"));
}

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
  EXPECT_THAT(page, Not(HasSubstr("recorded rows are shown")));
  for (Progress& row : r.trace) row = any_row(random);  // as many digits as there may be
  r.trace.insert(r.trace.end(), r.trace.begin(), r.trace.end());
  const std::string thinned = report_html(r);
  EXPECT_LT(thinned.size(), 1000000u);
  EXPECT_THAT(thinned, HasSubstr("of 20&#8239;000 recorded rows are shown"));
}

TEST(ReportPage, TimelessPagesAreTheSameForAnyThreads) {
  const Problem p = small_qp(4, 400);
  Settings settings;
  settings.timeless = true;
  std::string first;
  for (int threads : {1, 2}) {
    settings.threads = threads;
    Settings shown = settings;
    shown.threads = 0;
    const Result r = solve(p, settings);
    const std::string page = report_html(r, {shown, summarize(p, r), {}});
    if (first.empty()) first = page;
    EXPECT_EQ(page, first);
  }
}

TEST(ReportPage, AppearsCompleteOrNotAtAll) {
  const auto folder = std::filesystem::temp_directory_path() / ("pliant-report-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  write_report(folder / "page.html", Result{});
  std::ifstream in(folder / "page.html");
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_THAT(text.str(), ::testing::EndsWith("</html>\n"));
  EXPECT_THROW(write_report(folder / "none" / "page.html", Result{}), InputError);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace pliant
