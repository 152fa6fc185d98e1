#include "pliant/problem.hpp"

#include "cones/cone_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

void expect_dimension(std::string_view what, Index expected, Index got) {
  if (expected != got) throw InputError(fmt::format("{}: expected {} variables, got {}", what, expected, got));
}

void validate_point(std::string_view what, const std::optional<Vector>& point, Index n) {
  if (!point) return;
  expect_dimension(what, n, point->size());
  if (!point->allFinite()) throw InputError(fmt::format("{}: contains NaN or infinite entries", what));
}

void validate_names(std::string_view what, const std::vector<std::string>& names, Index expected) {
  if (names.empty() || static_cast<Index>(names.size()) == expected) return;
  throw InputError(fmt::format("names: {}: expected {} names or none, got {}", what, expected, names.size()));
}

}  // namespace

bool Names::empty() const {
  return objective.empty() && variables.empty() && equalities.empty() &&
         std::all_of(constraints.begin(), constraints.end(), [](const auto& batch) { return batch.empty(); });
}

Problem::Problem(Index n) : n_(n) {
  if (n <= 0) throw InputError(fmt::format("n: expected at least 1 variable, got {}", n));
  prox_ = no_regularizer(n);
}

Problem& Problem::minimize(TermPtr term, double weight) {
  expect_dimension(fmt::format("objective term {}", term->kind()), n_, term->dimension());
  if (!(weight >= 0.0) || !std::isfinite(weight)) {
    throw InputError(fmt::format("objective term {}: weight must be finite and >= 0, got {}", term->kind(), weight));
  }
  terms_.push_back({std::move(term), weight});
  forget();
  return *this;
}

Problem& Problem::regularize(ProxPtr term) {
  expect_dimension(fmt::format("prox term {}", term->kind()), n_, term->dimension());
  prox_ = combine(prox_, term);
  forget();
  return *this;
}

BatchId Problem::subject_to(BatchPtr batch, std::string batch_name) {
  const Index index = static_cast<Index>(batches_.size());
  expect_dimension(fmt::format("constraint batch {} ({})", index, batch->family()), n_, batch->dimension());
  if (!batch_name.empty()) batch->name = std::move(batch_name);
  batches_.push_back(std::move(batch));
  forget();
  return BatchId{index};
}

Index Problem::subject_to(ConicConstraint conic, std::string conic_name) {
  const Index index = static_cast<Index>(conic_.size());
  const std::string what = describe_conic(index, conic_name);
  expect_dimension(what, n_, conic.G.cols());
  check_shape(conic, what);
  conic_.push_back(std::move(conic));
  conic_names_.push_back(std::move(conic_name));
  forget();
  return index;
}

Problem& Problem::equal(DataMatrix E, Doubles e) {
  if (equalities_) throw InputError("equalities: given twice; stack all rows of E in one call");
  expect_dimension("equalities: E", n_, E.cols());
  if (E.rows() != e.size()) {
    throw InputError(fmt::format("equalities: e: expected {} entries, got {}", E.rows(), e.size()));
  }
  equality_matrix_ = E;
  equality_rhs_ = e;
  equalities_ = linear_range(e, std::move(E), e);
  equalities_->name = "equalities";
  forget();
  return *this;
}

void Problem::replace_term(Index index, TermPtr term) {
  if (index < 0 || index >= static_cast<Index>(terms_.size())) {
    throw InputError(fmt::format("objective term {}: there are {}, counting from 0", index, terms_.size()));
  }
  expect_dimension(fmt::format("objective term {}", term->kind()), n_, term->dimension());
  terms_[static_cast<std::size_t>(index)].term = std::move(term);
  forget();
}

void Problem::replace_constants(BatchId id, Doubles constants) {
  if (id.index < 0 || id.index >= static_cast<Index>(batches_.size())) {
    throw InputError(fmt::format("constraint batch {}: there are {}, counting from 0", id.index, batches_.size()));
  }
  BatchPtr& batch = batches_[static_cast<std::size_t>(id.index)];
  BatchPtr changed = batch->with_constants(std::move(constants));
  std::replace(validated_.begin(), validated_.end(), std::shared_ptr<const void>(batch),
               std::shared_ptr<const void>(changed));
  batch = std::move(changed);
  constant_scale_.reset();
}

void Problem::forget() {
  strong_convexity_.reset();
  smoothness_.reset();
  constant_scale_.reset();
}

Index Problem::constraints() const {
  Index m = 0;
  for (const BatchPtr& b : batches_) m += b->size();
  for (const ConicConstraint& c : conic_) m += count_cones(c);
  return m;
}

Index Problem::components() const {
  Index l = 0;
  for (const WeightedTerm& t : terms_) l += t.term->components();
  return l;
}

Index Problem::data_bytes() const {
  Index bytes = 0;
  for (const BatchPtr& b : batches_) bytes += b->bytes(Rows::range(0, b->size()));
  if (equalities_) bytes += equality_matrix_.bytes();
  for (const ConicConstraint& c : conic_) bytes += c.G.bytes();
  return bytes;
}

double Problem::constant_scale() const {
  if (!constant_scale_) {
    double scale = equalities_ ? equalities_->constant_scale() : 0.0;
    for (const BatchPtr& b : batches_) scale = std::max(scale, b->constant_scale());
    for (const ConicConstraint& c : conic_) {
      for (const double h : c.h) scale = std::max(scale, std::abs(h));
    }
    constant_scale_ = scale;
  }
  return *constant_scale_;
}

bool Problem::has_prox() const {
  const SeparableParameters* psi = separable_parameters(*prox_);
  return psi == nullptr || psi->l1 != 0.0 || psi->l2 != 0.0 || !psi->lo.empty() || !psi->hi.empty();
}

double Problem::smooth_value(ConstVectorRef x) const {
  double sum = 0.0;
  for_each_term([&](std::size_t, const ObjectiveTerm& term, double weight) { sum += weight * term.value(x); });
  return sum;
}

double Problem::add_smooth_gradient(ConstVectorRef x, VectorRef gradient) const {
  double sum = 0.0;
  for_each_term([&](std::size_t, const ObjectiveTerm& term, double weight) {
    sum += weight * term.add_gradient(x, weight, gradient);
  });
  return sum;
}

void Problem::add_smooth_hessian(ConstVectorRef x, MatrixRef H) const {
  for_each_term([&](std::size_t, const ObjectiveTerm& term, double weight) { term.add_hessian(x, weight, H); });
}

void Problem::prepare_smooth_line(ConstVectorRef x, ConstVectorRef d, SmoothLine& line) const {
  line.terms.resize(terms_.size());
  line.max_step = kInfinity;
  for_each_term([&](std::size_t i, const ObjectiveTerm& term, double) {
    term.prepare_line(x, d, line.terms[i]);
    line.max_step = std::min(line.max_step, line.terms[i].max_step);
  });
}

LinePoint Problem::smooth_line(SmoothLine& line, double t) const {
  LinePoint sum;
  for_each_term([&](std::size_t i, const ObjectiveTerm& term, double weight) {
    const LinePoint at = term.line_point(line.terms[i], t);
    sum.value += weight * at.value;
    sum.slope += weight * at.slope;
  });
  return sum;
}

double Problem::max_step(ConstVectorRef x, ConstVectorRef d) const {
  double step = kInfinity;
  for_each_term([&](std::size_t, const ObjectiveTerm& term, double) { step = std::min(step, term.max_step(x, d)); });
  return step;
}

double Problem::objective(ConstVectorRef x) const { return smooth_value(x) + prox_->value(x); }

double Problem::smooth_strong_convexity() const {
  if (!strong_convexity_) {
    double sum = 0.0;
    for_each_term(
        [&](std::size_t, const ObjectiveTerm& term, double weight) { sum += weight * term.strong_convexity(); });
    strong_convexity_ = sum;
  }
  return *strong_convexity_;
}

double Problem::strong_convexity() const { return smooth_strong_convexity() + prox_->strong_convexity(); }

double Problem::smoothness() const {
  if (!smoothness_) {
    double sum = 0.0;
    for_each_term([&](std::size_t, const ObjectiveTerm& term, double weight) { sum += weight * term.smoothness(); });
    smoothness_ = sum;
  }
  return *smoothness_;
}

double Problem::smooth_lower_bound() const {
  double sum = 0.0;
  for_each_term([&](std::size_t, const ObjectiveTerm& term, double weight) { sum += weight * term.lower_bound(); });
  return sum;
}

void Problem::validate() const {
  std::vector<std::shared_ptr<const void>> parts;
  const auto check = [&](const auto& part) {
    if (std::find(validated_.begin(), validated_.end(), part) == validated_.end()) part->validate();
    parts.emplace_back(part);
  };
  for (const WeightedTerm& t : terms_) check(t.term);
  check(prox_);
  for (const BatchPtr& b : batches_) check(b);
  if (equalities_) check(equalities_);
  validated_ = std::move(parts);
  for (; validated_conic_ < conic_.size(); ++validated_conic_) {
    const auto index = static_cast<Index>(validated_conic_);
    check_numbers(conic_[validated_conic_], describe_conic(index, conic_name(index)));
  }
  validate_point("start", start, n_);
  validate_point("slater_point", slater_point, n_);
  validate_names("variables", names.variables, n_);
  validate_names("equalities", names.equalities, equality_rhs_.size());
  if (!names.constraints.empty() && names.constraints.size() != batches_.size()) {
    throw InputError(fmt::format("names: constraints: expected {} lists or none, got {}", batches_.size(),
                                 names.constraints.size()));
  }
  for (std::size_t b = 0; b < names.constraints.size(); ++b) {
    validate_names(fmt::format("constraints/{}", b), names.constraints[b], batches_[b]->dual_size());
  }
  if (known_optimum && known_optimum->x.size() > 0) expect_dimension("known_optimum: x", n_, known_optimum->x.size());
}

}  // namespace pliant
