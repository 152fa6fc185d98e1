#include "cones/cone_checks.hpp"
#include "io/atomic_file.hpp"
#include "io/sdpa/sdpa.hpp"
#include "io/text/text_sink.hpp"
#include "pliant/svec.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace pliant::io {
namespace {

std::string obstacle(const Problem& problem) {
  if (!problem.batches().empty()) return fmt::format("a constraint of the family {}", problem.batches()[0]->family());
  if (problem.has_equalities()) return "an equality";
  if (problem.has_prox()) return fmt::format("a prox term of kind {}", problem.prox().kind());
  if (problem.conic().empty()) return "a problem without conic constraints";
  if (problem.sense == Sense::maximize) return "a maximisation";
  for (const Problem::WeightedTerm& t : problem.terms()) {
    if (!t.term->structure().linear) return fmt::format("an objective term of kind {}", t.term->kind());
  }
  if (problem.smooth_value(Vector::Zero(problem.dimension())) != 0.0) return "a constant in the objective";
  for (const ConicConstraint& conic : problem.conic()) {
    for (const Cone& cone : conic.cones) {
      if (cone.kind == ConeKind::nonnegative || cone.kind == ConeKind::semidefinite) continue;
      return fmt::format("a cone of kind {}", to_string(cone.kind));
    }
  }
  return {};
}

// The v that reading turns into -scale * v = stored again, if rounding allows.
double entry_value(double stored, double scale) {
  const double v = -stored / scale;
  for (const double candidate : {v, std::nextafter(v, kInfinity), std::nextafter(v, -kInfinity)}) {
    if (-scale * candidate == stored) return candidate;
  }
  return v;
}

// Row r of G and h, which stands at (i, j) of the block, i <= j, all counted from 1.
struct Place {
  Index block, i, j;
  double scale;
};

void write_row(TextSink& out, const ConicConstraint& conic, Index r, const Place& at) {
  const auto entry = [&](Index matrix, double stored) {
    if (stored != 0.0) out.line("{} {} {} {} {}", matrix, at.block, at.i, at.j, entry_value(stored, at.scale));
  };
  entry(0, conic.h[r]);
  const DataMatrix& G = conic.G;
  if (G.is_sparse()) {
    for (Index p = G.starts()[r]; p < G.starts()[r + 1]; ++p) entry(G.columns()[p] + 1, G.values()[p]);
  } else {
    for (Index j = 0; j < G.cols(); ++j) entry(j + 1, G.values()[r * G.cols() + j]);
  }
}

void write_entries(const Problem& problem, TextSink& out) {
  Index block = 0;
  for (const ConicConstraint& conic : problem.conic()) {
    for_each_cone(conic, [&](const Cone& cone, Index begin) {
      if (cone.rows == 0) return;
      ++block;
      if (cone.kind == ConeKind::nonnegative) {
        for (Index i = 0; i < cone.rows; ++i) write_row(out, conic, begin + i, {block, i + 1, i + 1, 1.0});
        return;
      }
      for_each_svec_entry(matrix_order(cone), [&](Index k, Index i, Index j) {
        write_row(out, conic, begin + k, {block, j + 1, i + 1, svec_scale(i, j)});
      });
    });
  }
}

}  // namespace

void write_sdpa_problem(const Problem& problem, const std::filesystem::path& file) {
  problem.validate();
  if (const std::string what = obstacle(problem); !what.empty()) {
    throw InputError(
        fmt::format("{}: {} cannot be expressed in SDPA (expected .h5 for such problems)", file.string(), what));
  }
  std::string sizes;
  Index blocks = 0;
  for (const ConicConstraint& conic : problem.conic()) {
    for (const Cone& cone : conic.cones) {
      if (cone.rows == 0) continue;
      const Index size = cone.kind == ConeKind::nonnegative ? -cone.rows : matrix_order(cone);
      sizes += fmt::format("{}{}", blocks++ == 0 ? "" : " ", size);
    }
  }
  AtomicFile target(file);
  TextSink out(target.temporary(), file);
  out.line("{}", problem.dimension());
  out.line("{}", blocks);
  out.line("{}", sizes);
  Vector costs = Vector::Zero(problem.dimension());
  problem.add_smooth_gradient(Vector::Zero(problem.dimension()), costs);
  for (const double cost : costs) out.line("{}", cost);
  write_entries(problem, out);
  out.close();
  target.commit();
}

}  // namespace pliant::io
