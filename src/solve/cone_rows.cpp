#include "solve/cone_rows.hpp"

#include "cones/cone_checks.hpp"
#include "cones/smoothed_cone.hpp"
#include "cones/spectral.hpp"
#include "pliant/constraints.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pliant {
namespace {

// Cones of one shape that follow each other share a batch; with many shapes in turn there is nothing to gain.
constexpr Index kMostRuns = 100;
constexpr Index kLargestSecondOrder = 64;

bool is_linear(const Cone& cone) {
  return cone.kind == ConeKind::nonnegative ||
         (cone.rows == 1 && (cone.kind == ConeKind::second_order || cone.kind == ConeKind::semidefinite));
}

bool alike(const Cone& a, const Cone& b) {
  return (is_linear(a) && is_linear(b)) || (a.kind == b.kind && a.rows == b.rows && !is_linear(a) && !is_linear(b));
}

struct ConeRun {
  Cone cone;
  Index begin = 0, rows = 0;
};

std::vector<ConeRun> find_runs(const ConicConstraint& conic) {
  std::vector<ConeRun> runs;
  for_each_cone(conic, [&](const Cone& cone, Index begin) {
    if (cone.rows == 0) return;
    if (runs.empty() || !alike(runs.back().cone, cone)) runs.push_back({cone, begin, 0});
    runs.back().rows += cone.rows;
  });
  return runs;
}

// Rows begin, ..., begin + count - 1, sharing memory.
DataMatrix slice(const DataMatrix& G, Index begin, Index count) {
  const auto share = [](const auto& array, Index first, Index size) {
    using Array = std::decay_t<decltype(array)>;
    return Array(array.data() + first, size, std::make_shared<Array>(array));
  };
  if (!G.is_sparse()) return DataMatrix::dense(count, G.cols(), share(G.values(), begin * G.cols(), count * G.cols()));
  const Index first = G.starts()[begin], last = G.starts()[begin + count];
  std::vector<Index> starts(static_cast<std::size_t>(count) + 1);
  for (Index i = 0; i <= count; ++i) starts[static_cast<std::size_t>(i)] = G.starts()[begin + i] - first;
  return DataMatrix::csr(count, G.cols(), Indices(std::move(starts)), share(G.columns(), first, last - first),
                         share(G.values(), first, last - first));
}

BatchPtr make_batch(const ConicConstraint& conic, const ConeRun& run, Nonsmooth treatment, double nu) {
  if (is_linear(run.cone)) {
    return linear_le(slice(conic.G, run.begin, run.rows),
                     Doubles(conic.h.data() + run.begin, run.rows, std::make_shared<Doubles>(conic.h)));
  }
  ConeBlock block(conic.G, conic.h, run.begin, run.rows / run.cone.rows, shape_of(run.cone), true);
  if (treatment == Nonsmooth::logsumexp) return std::make_shared<SmoothedConeBatch>(std::move(block), nu);
  return std::make_shared<SpectralBatch>(std::move(block));
}

}  // namespace

Problem without_cones(const Problem& problem) {
  Problem out = terms_and_rows(problem);
  out.regularize(problem.prox_ptr());
  return out;
}

Problem terms_and_rows(const Problem& problem) {
  Problem out(problem.dimension());
  for (const Problem::WeightedTerm& t : problem.terms()) out.minimize(t.term, t.weight);
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    const BatchPtr& batch = problem.batches()[b];
    const Doubles& caps = problem.caps(static_cast<Index>(b));
    caps.empty() ? out.subject_to(batch, batch->name) : out.minimize(SoftRows{batch, caps}, 1.0, batch->name);
  }
  if (problem.has_equalities()) out.equal(problem.equality_matrix(), problem.equality_rhs());
  out.name = problem.name;
  out.sense = problem.sense;
  out.start = problem.start;
  out.slater_point = problem.slater_point;
  return out;
}

std::string ConeRows::obstacle(const Problem& problem) {
  Index runs = 0;
  for (std::size_t k = 0; k < problem.conic().size(); ++k) {
    for (const ConeRun& run : find_runs(problem.conic()[k])) {
      const std::string where = describe_conic(static_cast<Index>(k), problem.conic_name(static_cast<Index>(k)));
      if (!is_linear(run.cone) && (!has_small_frame(run.cone) ||
                                   (run.cone.kind == ConeKind::second_order && run.cone.rows > kLargestSecondOrder))) {
        return fmt::format("{}: {} cones of {} rows have no eigenvalues as rows", where, to_string(run.cone.kind),
                           run.cone.rows);
      }
      if (++runs > kMostRuns) return fmt::format("{}: cones of many shapes in turn", where);
    }
  }
  return {};
}

ConeRows::ConeRows(const Problem& problem, Nonsmooth treatment, double nu)
    : original_(problem), rows_(without_cones(problem)) {
  for (std::size_t k = 0; k < problem.conic().size(); ++k) {
    Index number = 0;
    for (const ConeRun& run : find_runs(problem.conic()[k])) {
      pieces_.push_back({k, run.begin, run.rows, number, make_batch(problem.conic()[k], run, treatment, nu)});
      number += is_linear(run.cone) ? run.rows : run.rows / run.cone.rows;
      rows_.subject_to(pieces_.back().batch, problem.conic_name(static_cast<Index>(k)));
    }
  }
}

double ConeRows::error() const {
  double largest = 0.0;
  for (const Piece& p : pieces_) {
    if (const auto* smoothed = p.batch->structure().smoothed_cones) {
      largest = std::max(largest, smoothed->error());
    }
  }
  return largest;
}

Multipliers ConeRows::to_cones(ConstVectorRef x, const Multipliers& rows) const {
  Multipliers out;
  const std::size_t own = original_.batches().size();
  out.lambda.assign(rows.lambda.begin(), rows.lambda.begin() + static_cast<std::ptrdiff_t>(own));
  out.nu = rows.nu;
  for (const ConicConstraint& conic : original_.conic()) out.cones.emplace_back(Vector::Zero(conic.G.rows()));
  std::size_t spectral = 0;
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    const Piece& p = pieces_[k];
    auto z = out.cones[p.conic].segment(p.begin, p.rows);
    const Vector& lambda = rows.lambda[own + k];
    if (const auto* smoothed = p.batch->structure().smoothed_cones) {
      z = smoothed->dual_points(x, lambda);
    } else if (const auto* batch = p.batch->structure().eigenvalues) {
      // Dual points where the method has them, else those of the rows at x.
      z = spectral < rows.cones.size() ? rows.cones[spectral]
                                       : batch->dual_points(x, Rows::range(0, batch->size()), lambda);
      ++spectral;
    } else {
      z = lambda;
    }
  }
  return out;
}

void ConeRows::name_cones(ConstraintOverview& overview) const {
  const auto own = static_cast<Index>(original_.batches().size());
  for (LeadingMultiplier& leader : overview.leading) {
    if (leader.kind != LeadingMultiplier::Kind::constraint || leader.part < own) continue;
    const Piece& piece = pieces_[static_cast<std::size_t>(leader.part - own)];
    leader.kind = LeadingMultiplier::Kind::cone;
    leader.part = static_cast<Index>(piece.conic);
    leader.row += piece.number;
  }
}

Multipliers ConeRows::to_rows(const Multipliers& cones) const {
  Multipliers out{cones.lambda, cones.nu, {}};
  for (const Piece& p : pieces_) {
    const auto z = cones.cones.at(p.conic).segment(p.begin, p.rows);
    Vector lambda = Vector::Zero(p.batch->size());
    if (const auto* batch = p.batch->structure().eigenvalues) {
      const Index d = batch->cones().shape().rows;
      for (Index c = 0; c < batch->cones().cones(); ++c) lambda[c * batch->group()] = z.segment(c * d, d).norm();
      out.cones.emplace_back(z);
    } else if (const auto* smoothed = p.batch->structure().smoothed_cones) {
      const ConeShape& shape = smoothed->cones().shape();
      for (Index c = 0; c < lambda.size(); ++c) {
        // The multiplier of a largest eigenvalue is the sum of those of all: z_0, or the trace.
        const auto part = z.segment(c * shape.rows, shape.rows);
        double sum = part[0];
        for (Index j = 1, e = shape.rank; shape.kind == ConeKind::semidefinite && j < shape.rank; ++j) {
          sum += part[e];
          e += shape.rank - j;
        }
        lambda[c] = std::max(0.0, sum);
      }
    } else {
      lambda = z.cwiseMax(0.0);
    }
    out.lambda.push_back(std::move(lambda));
  }
  return out;
}

}  // namespace pliant
