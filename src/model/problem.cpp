#include "pliant/problem.hpp"

#include "cones/cone_checks.hpp"
#include "linalg/sums.hpp"
#include "model/natural_units.hpp"
#include "parallel/long_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

void expect_dimension(std::string_view what, Index expected, Index got, std::string_view hint = "") {
  if (expected != got) throw InputError(fmt::format("{}: expected {} variables, got {}{}", what, expected, got, hint));
}

// What people get wrong most about matrices.
std::string_view transposed_hint(Index n, Index rows) {
  return rows == n ? "; it has as many rows as there are variables: is it transposed?" : "";
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

void validate_caps(const std::string& what, const Doubles& caps) {
  const auto bad = [&](Index i) { return !(caps[i] >= 0.0) || !std::isfinite(caps[i]); };
  if (parallel::count_if(caps.size(), bad) == 0) return;
  Index i = 0;
  while (!bad(i)) ++i;
  throw InputError(fmt::format("{}: weights: entry {} is {}, expected a finite number >= 0", what, i, caps[i]));
}

std::string_view describe(ConstraintKind kind) {
  switch (kind) {
    case ConstraintKind::batch:
      return "a batch of rows";
    case ConstraintKind::conic:
      return "cones";
    case ConstraintKind::equality:
      return "equalities";
  }
  return "constraints";
}

// The simplex of the two, if the other is a separable term. Together they are separable terms on x >= 0 and the equality
// sum x = r.
const ProxTerm* simplex_beside_separable(const ProxTerm& a, const ProxTerm& b) {
  const auto beside = [](const ProxTerm& one, const ProxTerm& other) {
    const SeparableParameters* p = other.structure().separable;
    return one.kind() == "simplex" && p != nullptr && (p->l1 != 0.0 || p->l2 != 0.0 || !p->lo.empty());
  };
  return beside(a, b) ? &a : beside(b, a) ? &b : nullptr;
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
  if (const ProxTerm* simplex = simplex_beside_separable(*prox_, *term)) {
    simplex->validate();
    const double sum = radius_parameter(*simplex);
    prox_ = combine(simplex == term.get() ? prox_ : term, nonnegative(n_));
    if (!names.equalities.empty()) names.equalities.emplace_back("simplex");
    subject_to(pliant::equal(DataMatrix(Eigen::MatrixXd(Eigen::MatrixXd::Ones(1, n_))), std::vector<double>{sum}));
    return *this;
  }
  prox_ = combine(prox_, term);
  forget();
  return *this;
}

EqualityConstraint equal(DataMatrix E, Doubles e) { return {std::move(E), std::move(e)}; }

Problem::Kept::Kept(const Kept& other) { *this = other; }

Problem::Kept& Problem::Kept::operator=(const Kept& other) {
  if (this == &other) return *this;
  const std::scoped_lock lock(mutex, other.mutex);
  strong_convexity = other.strong_convexity;
  smoothness = other.smoothness;
  constant_scale = other.constant_scale;
  units = other.units;
  validated = other.validated;
  validated_conic = other.validated_conic;
  functions_checked = other.functions_checked;
  return *this;
}

Handle Problem::add_handle(ConstraintKind kind, std::size_t parts) {
  forget();
  handles_.push_back({static_cast<Index>(handles_.size()), kind, static_cast<Index>(parts) - 1});
  return handles_.back();
}

void Problem::expect_handle(const Handle& handle, ConstraintKind kind) const {
  const auto count = static_cast<Index>(handles_.size());
  if (handle.index < 0 || handle.index >= count || handles_[static_cast<std::size_t>(handle.index)] != handle) {
    throw InputError(fmt::format("handle of constraints {}: not of this problem, which has {}, counting from 0",
                                 handle.index, count));
  }
  if (handle.kind != kind) {
    throw InputError(fmt::format("handle of constraints {}: these are {}, expected {}", handle.index,
                                 describe(handle.kind), describe(kind)));
  }
}

const ConstraintBatch& Problem::batch(const Handle& handle) const {
  expect_handle(handle, ConstraintKind::batch);
  return *batches_[static_cast<std::size_t>(handle.part)];
}

Handle Problem::subject_to(BatchPtr batch, std::string batch_name) {
  const Index index = static_cast<Index>(batches_.size());
  expect_dimension(fmt::format("constraint batch {} ({})", index, batch->family()), n_, batch->dimension(),
                   batch->family() == "linear" ? transposed_hint(n_, batch->size()) : "");
  if (!batch_name.empty()) batch->name = std::move(batch_name);
  batches_.push_back(std::move(batch));
  caps_.emplace_back();
  return add_handle(ConstraintKind::batch, batches_.size());
}

Handle Problem::minimize(SoftRows soft, double weight, std::string batch_name) {
  const std::string what = fmt::format("soft rows {} ({})", batches_.size(), soft.rows->family());
  if (!(weight >= 0.0) || !std::isfinite(weight)) {
    throw InputError(fmt::format("{}: weight must be finite and >= 0, got {}", what, weight));
  }
  if (soft.weights.size() != soft.rows->size()) {
    throw InputError(
        fmt::format("{}: weights: expected {} entries, got {}", what, soft.rows->size(), soft.weights.size()));
  }
  Doubles caps = std::move(soft.weights);  // their numbers are looked at by validate, like those of the rows
  if (weight != 1.0) caps = to_array(weight * Eigen::Map<const Vector>(caps.data(), caps.size()));
  const Handle handle = subject_to(std::move(soft.rows), std::move(batch_name));
  caps_.back() = std::move(caps);
  return handle;
}

Handle Problem::subject_to(ConicConstraint conic, std::string conic_name) {
  const Index index = static_cast<Index>(conic_.size());
  const std::string what = describe_conic(index, conic_name);
  expect_dimension(what, n_, conic.G.cols(), transposed_hint(n_, conic.G.rows()));
  check_shape(conic, what);
  conic_.push_back(std::move(conic));
  conic_names_.push_back(std::move(conic_name));
  return add_handle(ConstraintKind::conic, conic_.size());
}

Handle Problem::subject_to(EqualityConstraint added, std::string equality_name) {
  const std::string what = equality_name.empty() ? "equalities" : fmt::format("equalities '{}'", equality_name);
  expect_dimension(what + ": E", n_, added.E.cols(), transposed_hint(n_, added.E.rows()));
  if (added.E.rows() != added.e.size()) {
    throw InputError(fmt::format("{}: e: expected {} entries, got {}", what, added.E.rows(), added.e.size()));
  }
  if (equalities_) {
    std::vector<double> rhs(equality_rhs_.begin(), equality_rhs_.end());
    rhs.insert(rhs.end(), added.e.begin(), added.e.end());
    added = {DataMatrix::stack(equality_matrix_, added.E), std::move(rhs)};
  }
  equality_matrix_ = std::move(added.E);
  equality_rhs_ = std::move(added.e);
  equality_parts_.push_back(equality_rhs_.size());
  equalities_ = linear_range(equality_rhs_, equality_matrix_, equality_rhs_);
  equalities_->name = "equalities";
  return add_handle(ConstraintKind::equality, equality_parts_.size() - 1);
}

void Problem::replace_term(Index index, TermPtr term) {
  if (index < 0 || index >= static_cast<Index>(terms_.size())) {
    throw InputError(fmt::format("objective term {}: there are {}, counting from 0", index, terms_.size()));
  }
  expect_dimension(fmt::format("objective term {}", term->kind()), n_, term->dimension());
  terms_[static_cast<std::size_t>(index)].term = std::move(term);
  forget();
}

void Problem::replace_constants(const Handle& handle, Doubles constants) {
  expect_handle(handle, ConstraintKind::batch);
  BatchPtr& batch = batches_[static_cast<std::size_t>(handle.part)];
  BatchPtr changed = batch->with_constants(std::move(constants));
  std::replace(kept_.validated.begin(), kept_.validated.end(), std::shared_ptr<const void>(batch),
               std::shared_ptr<const void>(changed));
  batch = std::move(changed);
  kept_.constant_scale.reset();
  kept_.units.reset();
}

void Problem::forget() {
  kept_.strong_convexity.reset();
  kept_.smoothness.reset();
  kept_.constant_scale.reset();
  kept_.units.reset();
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
  const std::lock_guard lock(kept_.mutex);
  if (!kept_.constant_scale) {
    double scale = equalities_ ? equalities_->constant_scale() : 0.0;
    for (const BatchPtr& b : batches_) scale = std::max(scale, b->constant_scale());
    for (const ConicConstraint& c : conic_) {
      for (const double h : c.h) scale = std::max(scale, std::abs(h));
    }
    kept_.constant_scale = scale;
  }
  return *kept_.constant_scale;
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

bool Problem::has_soft_rows() const {
  return std::any_of(caps_.begin(), caps_.end(), [](const Doubles& caps) { return !caps.empty(); });
}

double Problem::soft_value(ConstVectorRef x) const {
  double sum = 0.0;
  for (std::size_t b = 0; b < batches_.size(); ++b) {
    const Doubles& caps = caps_[b];
    if (caps.empty()) continue;
    Vector a;
    parallel::resize(a, caps.size());
    batches_[b]->values(x, Rows::range(0, caps.size()), a);
    sum += long_pairwise_sum(caps.size(), [&](Index i) { return priced(caps[i], a[i]); });
  }
  return sum;
}

double Problem::objective(ConstVectorRef x) const { return smooth_value(x) + prox_->value(x) + soft_value(x); }

template <class F>
double Problem::keep_sum(std::optional<double> Kept::*slot, const F& f) const {
  const std::lock_guard lock(kept_.mutex);
  if (!(kept_.*slot)) {
    double sum = 0.0;
    for_each_term([&](std::size_t, const ObjectiveTerm& term, double weight) { sum += f(term, weight); });
    kept_.*slot = sum;
  }
  return *(kept_.*slot);
}

double Problem::smooth_strong_convexity() const {
  return keep_sum(&Kept::strong_convexity,
                  [](const ObjectiveTerm& term, double weight) { return weight * term.strong_convexity(); });
}

double Problem::strong_convexity() const { return smooth_strong_convexity() + prox_->strong_convexity(); }

double Problem::smoothness() const {
  return keep_sum(&Kept::smoothness,
                  [](const ObjectiveTerm& term, double weight) { return weight * term.smoothness(); });
}

const Vector& Problem::natural_units() const {
  const std::lock_guard lock(kept_.mutex);
  if (!kept_.units) kept_.units = find_natural_units(*this);
  return *kept_.units;
}

double Problem::smooth_lower_bound() const {
  double sum = 0.0;
  for_each_term([&](std::size_t, const ObjectiveTerm& term, double weight) { sum += weight * term.lower_bound(); });
  return sum;
}

// Whoever comes second waits for the first: what has been checked is not checked again.
void Problem::validate_parts() const {
  const std::lock_guard lock(kept_.mutex);
  std::vector<std::shared_ptr<const void>> parts;
  const auto check = [&](const auto& part) {
    if (std::find(kept_.validated.begin(), kept_.validated.end(), part) == kept_.validated.end()) part->validate();
    parts.emplace_back(part);
  };
  for (const WeightedTerm& t : terms_) check(t.term);
  check(prox_);
  for (std::size_t b = 0; b < batches_.size(); ++b) {
    check(batches_[b]);
    validate_caps(fmt::format("soft rows {} ({})", b, batches_[b]->family()), caps_[b]);
  }
  if (equalities_) check(equalities_);
  kept_.validated = std::move(parts);
  for (std::size_t& i = kept_.validated_conic; i < conic_.size(); ++i) {
    check_numbers(conic_[i], describe_conic(static_cast<Index>(i), conic_names_[i]));
  }
}

void Problem::validate() const {
  validate_parts();
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
