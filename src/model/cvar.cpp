#include "pliant/cvar.hpp"

#include "checks/array_checks.hpp"
#include "linalg/csr_builder.hpp"
#include "model/widened.hpp"
#include "pliant/regularizers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace pliant {
namespace {

Vector losses_at(const Cvar& cvar, ConstVectorRef x) {
  Vector out(cvar.losses.rows());
  const Vector at = x;
  cvar.losses.multiply(at.data(), Rows::range(0, cvar.losses.rows()), out.data());
  return out;
}

// How many of the losses are the worst share: not a whole number in general.
double tail(const Cvar& cvar) { return (1.0 - cvar.beta) * static_cast<double>(cvar.losses.rows()); }

// A level at which the sum over the excesses is least: the loss at which the tail ends.
double level(const Cvar& cvar, Vector losses) {
  const auto place = std::min(losses.size() - 1, static_cast<Index>(std::floor(tail(cvar))));
  std::nth_element(losses.begin(), losses.begin() + place, losses.end(), std::greater<>());
  return losses[place];
}

void expect_valid(const Cvar& cvar, Index n, std::size_t place) {
  const std::string what = cvar.name.empty() ? fmt::format("cvar {}", place) : cvar.name;
  if (!(cvar.beta > 0.0 && cvar.beta < 1.0)) {
    throw InputError(fmt::format("{}: beta: expected 0 < beta < 1, got {}", what, cvar.beta));
  }
  if (!(cvar.weight >= 0.0 && std::isfinite(cvar.weight))) {
    throw InputError(fmt::format("{}: weight: expected a number >= 0, got {}", what, cvar.weight));
  }
  if (cvar.limit && !std::isfinite(*cvar.limit)) {
    throw InputError(fmt::format("{}: limit: expected a number, got {}", what, *cvar.limit));
  }
  if (cvar.losses.rows() == 0) throw InputError(fmt::format("{}: expected at least one scenario", what));
  if (cvar.losses.cols() != n) {
    throw InputError(fmt::format("{}: losses: expected {} columns, got {}", what, n, cvar.losses.cols()));
  }
  cvar.losses.validate(fmt::format("{}: losses", what));
}

class CvarForm {
 public:
  CvarForm(const Problem& problem, std::span<const Cvar> terms)
      : problem_(problem), terms_(terms), n_(problem.dimension()), out_(total()) {
    copy_parts();
    copy_simple_term();
    Index excess = n_ + static_cast<Index>(terms.size());
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const Index alpha = n_ + static_cast<Index>(k);
      if (terms[k].limit) {
        add_limit(terms[k], alpha, excess);
        excess += terms[k].losses.rows();
      } else {
        add_term(terms[k], alpha);
      }
    }
    copy_names();
  }

  Problem take() { return std::move(out_); }

 private:
  Index total() const {
    Index out = n_ + static_cast<Index>(terms_.size());
    for (const Cvar& cvar : terms_) out += cvar.limit ? cvar.losses.rows() : 0;
    return out;
  }

  void copy_parts() {
    const Index all = out_.dimension();
    for (const Problem::WeightedTerm& t : problem_.terms()) out_.minimize(widened(*t.term, all), t.weight);
    for (std::size_t b = 0; b < problem_.batches().size(); ++b) {
      const ConstraintBatch& batch = *problem_.batches()[b];
      const BatchPtr rows = widened(*batch.linear_rows(), all);
      const Doubles& caps = problem_.caps(static_cast<Index>(b));
      if (caps.empty()) {
        out_.subject_to(rows, batch.name);
      } else {
        out_.minimize(SoftRows{rows, caps}, 1.0, batch.name);
      }
    }
    if (problem_.has_equalities()) out_.equal(widened(problem_.equality_matrix(), all), problem_.equality_rhs());
    for (const ConicConstraint& conic : problem_.conic()) {
      out_.subject_to(ConicConstraint{widened(conic.G, all), conic.h, conic.cones});
    }
    out_.name = problem_.name;
    out_.sense = problem_.sense;
  }

  // Bounds stay bounds; everything else of it must not touch levels: a square becomes a term, absolute values soft rows, a
  // simplex bounds with a sum.
  void copy_simple_term() {
    const Index all = out_.dimension();
    Vector lo = Vector::Constant(all, -kInfinity), hi = Vector::Constant(all, kInfinity);
    lo.tail(all - n_ - static_cast<Index>(terms_.size())).setZero();
    if (is_simplex(problem_)) {
      lo.head(n_).setZero();
      out_.equal(sum_of_first(n_, all), {radius_parameter(problem_.prox())});
    } else if (const SeparableParameters* psi = separable_parameters(problem_.prox())) {
      if (!psi->lo.empty()) std::copy_n(psi->lo.begin(), n_, lo.begin());
      if (!psi->hi.empty()) std::copy_n(psi->hi.begin(), n_, hi.begin());
      if (psi->l2 > 0.0) out_.minimize(half_square(n_, all, psi->l2));
      if (psi->l1 > 0.0) add_absolute_values(psi->l1);
    }
    out_.regularize(box(to_array(lo), to_array(hi)));
  }

  void add_absolute_values(double weight) {
    CsrBuilder rows(out_.dimension());
    for (Index j = 0; j < n_; ++j) {
      rows.entry(j, 1.0);
      rows.end_row();
    }
    const Doubles zero = to_array(Vector::Zero(n_));
    out_.minimize(positive_part(linear_range(zero, rows.take(), zero), to_array(Vector::Constant(2 * n_, weight))), 1.0,
                  "l1 term");
  }

  void add_loss(const Cvar& cvar, Index i, Index alpha, CsrBuilder& rows) const {
    rows.entries(cvar.losses, i, 1.0);
    rows.entry(alpha, -1.0);
  }

  void add_term(const Cvar& cvar, Index alpha) {
    CsrBuilder rows(out_.dimension());
    for (Index i = 0; i < cvar.losses.rows(); ++i) {
      add_loss(cvar, i, alpha, rows);
      rows.end_row();
    }
    const Index m = cvar.losses.rows();
    out_.minimize(positive_part(rows.take_as_stored_best(), to_array(Vector::Zero(m)),
                                to_array(Vector::Constant(m, 1.0 / tail(cvar)))),
                  cvar.weight, cvar.name);
    out_.minimize(linear(to_array(Vector::Unit(out_.dimension(), alpha))), cvar.weight);
  }

  void add_limit(const Cvar& cvar, Index alpha, Index excess) {
    const Index m = cvar.losses.rows();
    CsrBuilder rows(out_.dimension());
    for (Index i = 0; i < m; ++i) {
      add_loss(cvar, i, alpha, rows);
      rows.entry(excess + i, -1.0);
      rows.end_row();
    }
    rows.entry(alpha, 1.0);
    for (Index i = 0; i < m; ++i) rows.entry(excess + i, 1.0 / tail(cvar));
    rows.end_row();
    Vector constants = Vector::Zero(m + 1);
    constants[m] = *cvar.limit;
    out_.subject_to(linear_le(rows.take(), to_array(constants)), cvar.name);
  }

  void copy_names() {
    if (problem_.names.variables.empty()) return;
    out_.names.variables = problem_.names.variables;
    for (std::size_t k = 0; k < terms_.size(); ++k) out_.names.variables.push_back(fmt::format("level_{}", k));
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      for (Index i = 0; terms_[k].limit && i < terms_[k].losses.rows(); ++i) {
        out_.names.variables.push_back(fmt::format("excess_{}_{}", k, i));
      }
    }
  }

  const Problem& problem_;
  const std::span<const Cvar> terms_;
  const Index n_;
  Problem out_;
};

}  // namespace

double value(const Cvar& cvar, ConstVectorRef x) {
  const Vector losses = losses_at(cvar, x);
  const double alpha = level(cvar, losses);
  return alpha + (losses.array() - alpha).max(0.0).sum() / tail(cvar);
}

Problem with_cvar(const Problem& problem, std::span<const Cvar> terms) {
  for (std::size_t k = 0; k < terms.size(); ++k) expect_valid(terms[k], problem.dimension(), k);
  if (const std::string why = widening_obstacle(problem, "terms cvar"); !why.empty()) throw InputError(why);
  return CvarForm(problem, terms).take();
}

Vector complete(std::span<const Cvar> terms, ConstVectorRef x) {
  std::vector<double> levels, excesses;
  for (const Cvar& cvar : terms) {
    const Vector losses = losses_at(cvar, x);
    levels.push_back(level(cvar, losses));
    if (!cvar.limit) continue;
    for (const double loss : losses) excesses.push_back(std::max(0.0, loss - levels.back()));
  }
  Vector out(x.size() + static_cast<Index>(levels.size() + excesses.size()));
  out.head(x.size()) = x;
  std::copy(levels.begin(), levels.end(), out.begin() + x.size());
  std::copy(excesses.begin(), excesses.end(), out.begin() + x.size() + static_cast<Index>(levels.size()));
  return out;
}

}  // namespace pliant
