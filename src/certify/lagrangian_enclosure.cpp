#include "certify/lagrangian_enclosure.hpp"

#include "certify/approximation.hpp"
#include "certify/chosen_rows.hpp"
#include "cones/cone_checks.hpp"
#include "cones/dual_cone.hpp"
#include "cones/spectral.hpp"
#include "linalg/absolute_rows.hpp"
#include "linalg/rounding.hpp"
#include "linalg/sums.hpp"
#include "parallel/long_vectors.hpp"
#include "parallel/shared_reads.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Rows taken together: small enough to stay in a core's cache, but their data so many times as long as a vector of all
// variables, of which each block fills a few: with a slack variable for every row cache is the lesser concern.
constexpr Index kBlockBytes = 128 * 1024;
constexpr Index kVectorsPerBlock = 16;
// Chunks that threads take, as for other sums of vectors, and what memory their partial sums may have: a linear program with
// a slack for each of a million rows has as many variables.
constexpr Index kChunks = 64;
constexpr Index kPartialBytes = Index{16} << 20;

// The longest chains of additions behind a value and behind an entry of a gradient.
struct Lengths {
  double value = 0.0, gradient = 0.0;
};

Lengths lengths_of(const ObjectiveTerm& term) {
  const auto all = static_cast<double>(term.rounding_length());
  return {all, term.structure().linear ? 1.0 : all};
}

// A value of linear rows is a sum over the entries of one row, an entry of the gradient one over those of a column.
Lengths lengths_of(const LinearRows& linear, Rows rows) {
  const DataMatrix& G = linear.matrix();
  if (!G.is_sparse()) return {static_cast<double>(G.cols()), static_cast<double>(rows.size())};
  Index longest = 0;
  std::vector<Index> entries(static_cast<std::size_t>(G.cols()), 0);
  for (Index k = 0; k < rows.size(); ++k) {
    const Index row = linear.side(rows[k]).row;
    longest = std::max<Index>(longest, G.starts()[row + 1] - G.starts()[row]);
    for (Index p = G.starts()[row]; p < G.starts()[row + 1]; ++p) ++entries[static_cast<std::size_t>(G.columns()[p])];
  }
  return {static_cast<double>(longest), static_cast<double>(*std::max_element(entries.begin(), entries.end()))};
}

// Chunks and blocks are those of all rows of a batch, whoever has a multiplier: solves that share their reads
// (parallel/shared_reads.hpp) share these.
struct Cut {
  parallel::Chunks chunks;
  Index rows, block;
  double bytes;

  Cut(const ConstraintBatch& batch, Index n) : rows(batch.size()) {
    const Index all = batch.bytes(Rows::range(0, rows)), each = static_cast<Index>(sizeof(double));
    // Other families may be functions that are not to be called from several threads.
    const Index affordable = std::clamp<Index>(kPartialBytes / (2 * std::max<Index>(1, n) * each), 1, kChunks);
    chunks = parallel::make_chunks(rows, all, batch.linear_rows() != nullptr ? affordable : 1);
    const Index block_bytes = std::max(kBlockBytes, kVectorsPerBlock * n * each);
    block = std::clamp<Index>(block_bytes / std::max<Index>(1, all / rows), 1, rows);
    bytes = static_cast<double>(all);
  }

  /// The blocks of a chunk are added one after the other, the chunks by a tree.
  Index joined() const { return rows / chunks.count / block + 2 + chunks.count; }

  void reduce(const ConstraintBatch& batch, Vector& sums, FunctionRef<void(Index, Index, double*)> read) const {
    const LinearRows* linear = batch.linear_rows();
    const void* data = linear != nullptr ? static_cast<const void*>(linear->matrix().values().data()) : &batch;
    parallel::reduce_blocks({chunks, block, sums.size(), read, sums.data(), bytes}, data);
  }
};

class Enclosure {
 public:
  explicit Enclosure(Index n) : sizes_(Vector::Zero(n)) { out_.gradient = Vector::Zero(n); }

  void add_term(const ObjectiveTerm& term, double weight, ConstVectorRef x) {
    out_.value += weight * term.add_gradient(x, weight, out_.gradient);
    size_ += weight * term.add_absolute_sums(x, weight, sizes_);
    lengthen(lengths_of(term));
    ++parts_;
    add_defect(weight, term.convexity_defect());
  }

  /// Block after block, so that values, gradients and absolute values are taken from one read of memory.
  void add_rows(const ConstraintBatch& batch, const ChosenRows& chosen, ConstVectorRef x) {
    const Rows rows = Rows::list(chosen.rows);
    const Vector& lambda = chosen.lambda;
    Vector a(rows.size()), w(rows.size()), sizes(rows.size()), defects(rows.size());
    Lengths lengths;
    Vector sums = Vector::Zero(2 * x.size());
    lengths.value = lengths.gradient = read_rows(batch, chosen, x, a, w, sizes, sums);
    out_.gradient += sums.head(x.size());
    sizes_ += sums.tail(x.size());
    if (const LinearRows* linear = batch.linear_rows()) {
      const Lengths known = lengths_of(*linear, rows);
      lengths = {std::min(lengths.value, known.value), std::min(lengths.gradient, known.gradient)};
    }
    lengthen(lengths);
    batch.convexity_defects(rows, defects);
    out_.value += pairwise_sum(0, rows.size(), [&](Index k) { return lambda[k] * a[k]; });
    size_ += pairwise_sum(0, rows.size(), [&](Index k) { return lambda[k] * sizes[k]; });
    ++parts_;
    most_rows_ = std::max(most_rows_, rows.size());
    for (Index k = 0; k < rows.size(); ++k) add_defect(lambda[k], defects[k]);
    if (const Approximation* given = batch.structure().approximates) {
      out_.approximation = rounded_up(out_.approximation + approximation_cost(*given, rows, lambda));
    }
  }

  /// Dense linear rows, of which there may be 1e9: nothing is kept of a row but its part in the sums. Returns how many have
  /// a multiplier, and adds the bytes of these.
  Index add_dense_rows(const ConstraintBatch& batch, ConstVectorRef multipliers, ConstVectorRef x, double& bytes) {
    const Index n = x.size();
    const Cut cut(batch, n);
    const auto read = [&](Index begin, Index count, double* partial) {
      const ChosenRows chosen(multipliers, begin, count);
      if (chosen.rows.empty()) return;
      const Rows part = Rows::list(chosen.rows);
      Vector a(part.size()), w(part.size()), constants(part.size());
      Eigen::Map<Vector> gradient(partial, n);
      batch.sweep(x, part, chosen.weights(0), a, w, gradient);
      add_weighted_sizes(*batch.linear_rows(), chosen, partial + n);
      batch.constant_magnitudes(part, constants);
      double* totals = partial + 2 * n;
      totals[0] += pairwise_sum(0, part.size(), [&](Index k) { return chosen.lambda[k] * a[k]; });
      totals[1] += pairwise_sum(0, part.size(), [&](Index k) { return chosen.lambda[k] * constants[k]; });
      totals[2] += static_cast<double>(part.size());
      totals[3] += static_cast<double>(batch.bytes(part));
    };
    constexpr Index kTotals = 4;
    Vector sums = Vector::Zero(2 * n + kTotals);
    cut.reduce(batch, sums, read);
    const auto rows = static_cast<Index>(sums[2 * n + 2]);
    if (rows == 0) return 0;
    out_.gradient += sums.head(n);
    sizes_ += sums.segment(n, n);
    out_.value += sums[2 * n];
    size_ += sums.segment(n, n).dot(x.cwiseAbs()) + sums[2 * n + 1];  // of the terms of all values
    bytes += sums[2 * n + 3];
    const auto columns = static_cast<double>(n);
    const double block = static_cast<double>(std::min(cut.block, rows)), joined = static_cast<double>(cut.joined());
    lengthen({columns + joined, std::min(columns + block + joined, static_cast<double>(rows))});
    ++parts_;
    most_rows_ = std::max(most_rows_, std::min(cut.block, rows));
    return rows;
  }

  /// Returns the longest chain of additions.
  static double read_rows(const ConstraintBatch& batch, const ChosenRows& chosen, ConstVectorRef x, Vector& a,
                          Vector& w, Vector& sizes, Vector& sums) {
    const Rows rows = Rows::list(chosen.rows);
    const Index n = x.size();
    const Cut cut(batch, n);
    const auto place = [&](Index row) {  // of the first one in the list that is not before it
      return std::lower_bound(chosen.rows.begin(), chosen.rows.end(), row) - chosen.rows.begin();
    };
    const auto read = [&](Index begin, Index count, double* partial) {
      const Index first = place(begin), some = place(begin + count) - first;
      if (some == 0) return;
      const Rows part = rows.slice(first, some);
      Eigen::Map<Vector> gradient(partial, n), gradient_sizes(partial + n, n);
      batch.sweep(x, part, chosen.weights(first), a.segment(first, some), w.segment(first, some), gradient);
      batch.add_absolute_sums(x, part, chosen.lambda.segment(first, some), sizes.segment(first, some), gradient_sizes);
    };
    cut.reduce(batch, sums, read);
    // One row, the rows of a block in any order, and what joins the blocks.
    return static_cast<double>(batch.rounding_length(rows.slice(0, 1)) + std::min(cut.block, rows.size()) +
                               cut.joined());
  }

  /// z'(Gx - h) over rows first, first + 1, ... of G.
  void add_cone(const DataMatrix& G, Index first, const double* h, const Vector& z, ConstVectorRef x) {
    const Vector size_of_x = x.cwiseAbs();
    for (Index i = 0; i < z.size(); ++i) {
      if (z[i] == 0.0) continue;
      out_.value += z[i] * (G.dot(first + i, x.data()) - h[i]);
      size_ += std::abs(z[i]) * (absolute_dot(G, first + i, size_of_x.data()) + std::abs(h[i]));
      G.axpy(first + i, z[i], out_.gradient.data());
      absolute_axpy(G, first + i, std::abs(z[i]), sizes_.data());
      ++cone_rows_;
    }
    const double length = static_cast<double>(G.cols()) + kAround;
    lengthen({length, length});
  }

  LagrangianEnclosure finish() {
    // Parts are added to each other one after the other; products with multipliers are added in pairs.
    const double around = static_cast<double>(parts_ + cone_rows_) + kAround;
    const double operations = longest_.gradient + around;
    const double of_value = longest_.value + around + std::min(kPairwise, static_cast<double>(most_rows_));
    out_.value_error = rounding_error(of_value, size_);
    out_.gradient_error =
        sizes_.unaryExpr([&](double size) { return size == 0.0 ? 0.0 : rounding_error(operations, size); });
    out_.largest_size = sizes_.size() > 0 ? sizes_.maxCoeff() : 0.0;
    out_.gradient_sizes = std::move(sizes_);
    return std::move(out_);
  }

 private:
  void lengthen(const Lengths& part) {
    longest_ = {std::max(longest_.value, part.value), std::max(longest_.gradient, part.gradient)};
  }
  void add_defect(double weight, double defect) {
    if (weight == 0.0 || defect == 0.0) return;
    if (std::isfinite(defect)) {
      out_.defect += kInflation * weight * defect;
    } else {
      out_.convexity_known = false;
    }
  }

  LagrangianEnclosure out_;
  Vector sizes_;
  double size_ = 0.0;
  Lengths longest_;
  Index parts_ = 0, cone_rows_ = 0, most_rows_ = 0;
};

// Eigenvalues of cones: their dual points count, given or those of the multipliers at x. `prices` are empty for hard ones.
void add_eigenvalues(const SpectralBatch& batch, const Doubles& prices, ConstraintSystem& system, const Vector* given,
                     ConstVectorRef multipliers, ConstVectorRef x, Enclosure& sum) {
  const ConeBlock& cones = batch.cones();
  const Index d = cones.shape().rows;
  const Cone cone{cones.shape().kind, d};
  Vector points;
  if (given == nullptr) points = batch.dual_points(x, Rows::range(0, batch.size()), multipliers);
  const Vector& all = given != nullptr ? *given : points;
  double bytes = 0.0;
  for (Index c = 0; c < cones.cones(); ++c) {
    Vector z = all.segment(c * d, d);
    if (!(z.lpNorm<Eigen::Infinity>() > kLeastMultiplier)) continue;
    if (prices.empty()) {
      move_certainly_into_dual_cone(cone, z);
    } else {
      move_certainly_below_price(cone, prices[c * cones.shape().rank], z);
    }
    sum.add_cone(cones.matrix(), cones.rows(c, 1).first(), cones.constants(c), z, x);
    bytes += static_cast<double>(cones.bytes(c, 1));
  }
  system.charge_components(0, bytes);
}

void add_conic(const Problem& problem, ConstraintSystem& system, const ProofPoint& at, Enclosure& sum) {
  if (at.cones.empty()) return;
  double bytes = 0.0;
  for (std::size_t k = 0; k < problem.conic().size(); ++k) {
    const ConicConstraint& conic = problem.conic()[k];
    for_each_cone(conic, [&](const Cone& cone, Index begin) {
      Vector z = at.cones[k].segment(begin, cone.rows);
      if (cone.rows == 0 || !(z.lpNorm<Eigen::Infinity>() > kLeastMultiplier)) return;
      move_certainly_into_dual_cone(cone, z);
      sum.add_cone(conic.G, begin, conic.h.data() + begin, z, at.x);
      bytes += static_cast<double>(conic.G.bytes(Rows::range(begin, cone.rows)));
    });
  }
  system.charge_components(0, bytes);
}

void add_segment(ConstraintSystem& system, Index s, ConstVectorRef multipliers, ConstVectorRef x, Enclosure& sum) {
  const ConstraintBatch& batch = system.batch(s);
  const LinearRows* linear = batch.linear_rows();
  if (batch.size() == 0) return;
  if (linear != nullptr && !linear->matrix().is_sparse()) {
    double bytes = 0.0;
    const Index rows = sum.add_dense_rows(batch, multipliers, x, bytes);
    system.charge_components(rows, bytes);
    return;
  }
  const ChosenRows chosen(multipliers);
  if (chosen.rows.empty()) return;
  sum.add_rows(batch, chosen, x);
  system.charge(s, Rows::list(chosen.rows));
}

void add_batches(const Problem& problem, ConstraintSystem& system, const ProofPoint& at, Enclosure& sum) {
  std::size_t grouped = 0;
  // Where the problem has cones, these are theirs: the eigenvalues are those of cones with prices.
  const std::vector<Vector> none;
  const std::vector<Vector>& points = problem.conic().empty() ? at.cones : none;
  for (Index s = 0; s < system.segments(); ++s) {
    const ConstraintBatch& batch = system.batch(s);
    const auto multipliers = at.multipliers.segment(system.segment_begin(s), batch.size());
    if (const SpectralBatch* spectral = batch.structure().eigenvalues) {
      const Vector* given = grouped < points.size() ? &points[grouped] : nullptr;
      ++grouped;
      add_eigenvalues(*spectral, system.caps(s), system, given, multipliers, at.x, sum);
      continue;
    }
    add_segment(system, s, multipliers, at.x, sum);
  }
}

}  // namespace

LagrangianEnclosure enclose_lagrangian(const Problem& problem, ConstraintSystem& system, const ProofPoint& at) {
  Enclosure sum(problem.dimension());
  for (const Problem::WeightedTerm& t : problem.terms()) {
    if (t.weight != 0.0) sum.add_term(*t.term, t.weight, at.x);
  }
  add_batches(problem, system, at, sum);
  if (!problem.conic().empty()) add_conic(problem, system, at, sum);
  return sum.finish();
}

LagrangianEnclosure enclose_constraints(const Problem& problem, ConstraintSystem& system, const ProofPoint& at) {
  Enclosure sum(problem.dimension());
  add_batches(problem, system, at, sum);
  if (!problem.conic().empty()) add_conic(problem, system, at, sum);
  return sum.finish();
}

bool enclose_linear_rows(ConstraintSystem& system, ConstVectorRef multipliers, LagrangianEnclosure& out) {
  const Vector origin = Vector::Zero(out.gradient.size());
  Enclosure sum(origin.size());
  for (Index s = 0; s < system.segments(); ++s) {
    const ConstraintBatch& batch = system.batch(s);
    const auto of_batch = multipliers.segment(system.segment_begin(s), batch.size());
    if (!batch.linear() && (of_batch.array() > kLeastMultiplier).any()) return false;
    add_segment(system, s, of_batch, origin, sum);
  }
  out = sum.finish();
  return true;
}

double certain_slack(ConstraintSystem& system, const Vector& x) {
  double slack = kInfinity;
  for (Index s = 0; s < system.segments(); ++s) {
    const ConstraintBatch& batch = system.batch(s);
    const Rows all = Rows::range(0, batch.size());
    Vector a(batch.size()), sizes(batch.size()), unused = Vector::Zero(x.size());
    batch.values(x, all, a);
    batch.add_absolute_sums(x, all, Vector::Zero(batch.size()), sizes, unused);
    system.charge(s, all);
    system.charge(s, all);
    const auto operations =
        static_cast<double>(batch.rounding_length(Rows::range(0, std::min<Index>(1, batch.size()))));
    const Approximation* given = batch.structure().approximates;  // what the rows stand for has to hold, too
    for (Index i = 0; i < batch.size(); ++i) {
      const double rise = given != nullptr ? given->rise(i) : 0.0;
      const double certain = -a[i] - rise - rounding_error(operations, sizes[i] + rise);
      slack = certain < slack ? certain : std::isnan(certain) ? -kInfinity : slack;
    }
  }
  return slack;
}

bool certainly_feasible(const Problem& problem, ConstraintSystem& system, const Vector& x) {
  if (problem.has_equalities() || !problem.conic().empty() || system.grouped()) return false;
  if (problem.prox().kind() == "simplex" || problem.prox().domain_violation(x) > 0.0) return false;
  return certain_slack(system, x) >= 0.0;
}

double objective_from_above(const Problem& problem, const Vector& x) {
  Enclosure sum(problem.dimension());
  for (const Problem::WeightedTerm& t : problem.terms()) {
    if (t.weight != 0.0) sum.add_term(*t.term, t.weight, x);
  }
  const LagrangianEnclosure f = sum.finish();
  const double psi = problem.prox().value(x);
  const double operations = 2.0 * static_cast<double>(x.size()) + kAround;
  return f.value + f.value_error + psi + rounding_error(operations, std::abs(psi) + std::abs(f.value));
}

}  // namespace pliant
