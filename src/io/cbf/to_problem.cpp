#include "io/cbf/cbf_problem.hpp"
#include "io/text/at.hpp"
#include "io/text/first_line.hpp"
#include "pliant/svec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace pliant::io {
namespace {

// Rows a'x + b, stored one after the other.
struct AffineRows {
  std::vector<Index> starts{0};
  std::vector<Index> columns;
  std::vector<double> values;
  std::vector<double> b;

  Index size() const { return static_cast<Index>(b.size()); }
  void add(Index column, double value) {
    if (value == 0.0) return;
    columns.push_back(column);
    values.push_back(value);
  }
  void end_row(double constant) {
    starts.push_back(static_cast<Index>(columns.size()));
    b.push_back(constant);
  }
  /// Appends factor * (row i of another).
  void append(const AffineRows& from, Index i, double factor) { append(from, i, factor, i, 0.0); }
  /// Appends first * (row i) + second * (row j) of another.
  void append(const AffineRows& from, Index i, double first, Index j, double second) {
    Index p = from.starts[at(i)], q = second == 0.0 ? from.starts[at(j) + 1] : from.starts[at(j)];
    const Index p_end = from.starts[at(i) + 1], q_end = from.starts[at(j) + 1];
    while (p < p_end || q < q_end) {
      const Index pc = p < p_end ? from.columns[at(p)] : from.columns[at(q)] + 1;
      const Index qc = q < q_end ? from.columns[at(q)] : pc + 1;
      const double value =
          (pc <= qc ? first * from.values[at(p++)] : 0.0) + (qc <= pc ? second * from.values[at(q++)] : 0.0);
      add(std::min(pc, qc), value);
    }
    end_row(first * from.b[at(i)] + (second == 0.0 ? 0.0 : second * from.b[at(j)]));
  }
  DataMatrix matrix(Index n) {
    return DataMatrix::csr(size(), n, Indices(std::move(starts)), Indices(std::move(columns)),
                           Doubles(std::move(values)));
  }
};

class Converter {
 public:
  Converter(const CbfFile& file, const std::string& shown) : file_(file), shown_(shown) {
    offsets_.push_back(file.n);
    for (const Index order : file.psd_variables) offsets_.push_back(offsets_.back() + svec_size(order));
  }

  Problem convert() {
    if (dimension() == 0) fail("there are no variables, expected VAR or PSDVAR");
    Problem problem(dimension());
    add_objective(problem);
    add_variables(problem);
    add_rows(problem);
    if (cone_rows_.size() > 0) {
      Doubles h{std::vector<double>(cone_rows_.b)};
      problem.subject_to(ConicConstraint{cone_rows_.matrix(dimension()), std::move(h), std::move(cones_)});
    }
    return problem;
  }

 private:
  Index dimension() const { return offsets_.back(); }
  [[noreturn]] void fail(const std::string& what) const { throw InputError(fmt::format("{}: {}", shown_, what)); }

  // <F, X> = sum of F_ij svec_scale(i, j) svec(X)_ij over the lower triangle.
  static Index svec_index(Index order, Index i, Index j) { return j * order - j * (j - 1) / 2 + i - j; }
  Index psd_column(const CbfMatrixEntry& e) const {
    return offsets_[at(e.block)] + svec_index(file_.psd_variables[at(e.block)], e.i, e.j);
  }

  // Sorts the entries into rows; each place may be named once.
  AffineRows rows_of(std::vector<CbfEntry> entries, const std::vector<CbfEntry>& constants, Index count,
                     std::string_view what) const {
    const auto before = [](const CbfEntry& a, const CbfEntry& b) {
      return a.row != b.row ? a.row < b.row : a.column < b.column;
    };
    std::sort(entries.begin(), entries.end(), before);
    for (std::size_t k = 1; k < entries.size(); ++k) {
      if (!before(entries[k - 1], entries[k])) {
        fail(fmt::format("{} {} has a second entry of variable {}", what, entries[k].row, entries[k].column));
      }
    }
    std::vector<double> b(at(count), 0.0);
    std::vector<bool> has(at(count), false);
    for (const CbfEntry& e : constants) {
      if (has[at(e.row)]) fail(fmt::format("{} {} has a second constant", what, e.row));
      has[at(e.row)] = true;
      b[at(e.row)] = e.value;
    }
    AffineRows out;
    auto e = entries.begin();
    for (Index i = 0; i < count; ++i) {
      for (; e != entries.end() && e->row == i; ++e) out.add(e->column, e->value);
      out.end_row(b[at(i)]);
    }
    return out;
  }

  void add_objective(Problem& problem) const {
    std::vector<CbfEntry> entries = file_.objective;
    for (const CbfMatrixEntry& e : file_.objective_psd) {
      entries.push_back({0, psd_column(e), svec_scale(e.i, e.j) * e.value});
    }
    const AffineRows row = rows_of(std::move(entries), {}, 1, "objective");
    const double sign = file_.maximize ? -1.0 : 1.0;
    std::vector<double> c(at(dimension()), 0.0);
    for (std::size_t k = 0; k < row.columns.size(); ++k) c[at(row.columns[k])] = sign * row.values[k];
    problem.minimize(linear(Doubles(std::move(c)), sign * file_.constant));
    problem.sense = file_.maximize ? Sense::maximize : Sense::minimize;
  }

  void add_variables(Problem& problem) {
    std::vector<double> lo(at(dimension()), -kInfinity), hi(at(dimension()), kInfinity);
    bool bounded = false;
    AffineRows identity;
    for (Index j = 0; j < dimension(); ++j) {
      identity.add(j, 1.0);
      identity.end_row(0.0);
    }
    Index first = 0;
    for (const CbfCone& cone : file_.variables) {
      const bool below = cone.kind == CbfKind::nonnegative || cone.kind == CbfKind::zero;
      const bool above = cone.kind == CbfKind::nonpositive || cone.kind == CbfKind::zero;
      for (Index j = first; j < first + cone.rows; ++j) {
        if (below) lo[at(j)] = 0.0;
        if (above) hi[at(j)] = 0.0;
      }
      bounded = bounded || ((below || above) && cone.rows > 0);
      if (!below && !above && cone.kind != CbfKind::free) add_cone(identity, cone, first);
      first += cone.rows;
    }
    for (std::size_t k = 0; k < file_.psd_variables.size(); ++k) {
      const Index size = svec_size(file_.psd_variables[k]);
      for (Index i = 0; i < size; ++i) cone_rows_.append(identity, offsets_[k] + i, -1.0);
      close_cone({ConeKind::semidefinite, size, 0.5}, size);
    }
    if (bounded) problem.regularize(box(Doubles(std::move(lo)), Doubles(std::move(hi))));
  }

  void add_rows(Problem& problem) {
    std::vector<CbfEntry> entries = file_.A;
    for (const CbfMatrixEntry& e : file_.F) {
      entries.push_back({e.row, psd_column(e), svec_scale(e.i, e.j) * e.value});
    }
    const AffineRows rows = rows_of(std::move(entries), file_.b, file_.m, "constraint row");
    AffineRows equal, below;
    Index first = 0;
    for (const CbfCone& cone : file_.constraints) {
      for (Index i = first; i < first + cone.rows; ++i) {
        if (cone.kind == CbfKind::zero) equal.append(rows, i, 1.0);
        if (cone.kind == CbfKind::nonnegative) below.append(rows, i, -1.0);
        if (cone.kind == CbfKind::nonpositive) below.append(rows, i, 1.0);
      }
      const bool linear = cone.kind == CbfKind::zero || cone.kind == CbfKind::nonnegative ||
                          cone.kind == CbfKind::nonpositive || cone.kind == CbfKind::free;
      if (!linear) add_cone(rows, cone, first);
      first += cone.rows;
    }
    add_matrix_constraints();
    // a'x + b = 0 and a'x + b <= 0.
    const auto negated = [](std::vector<double> b) {
      for (double& value : b) value = 0.0 - value;  // never -0
      return Doubles(std::move(b));
    };
    if (equal.size() > 0) {
      const Doubles e = negated(equal.b);
      problem.equal(equal.matrix(dimension()), e);
    }
    if (below.size() > 0) {
      const Doubles h = negated(below.b);
      problem.subject_to(linear_le(below.matrix(dimension()), h));
    }
  }

  void add_matrix_constraints() {
    std::vector<Index> first{0};
    for (const Index order : file_.psd_constraints) first.push_back(first.back() + svec_size(order));
    const auto place = [&](const CbfMatrixEntry& e) {
      return first[at(e.block)] + svec_index(file_.psd_constraints[at(e.block)], e.i, e.j);
    };
    std::vector<CbfEntry> entries, constants;
    for (const CbfMatrixEntry& e : file_.H) entries.push_back({place(e), e.row, svec_scale(e.i, e.j) * e.value});
    for (const CbfMatrixEntry& e : file_.D) constants.push_back({place(e), 0, svec_scale(e.i, e.j) * e.value});
    const AffineRows rows = rows_of(std::move(entries), constants, first.back(), "entry of a PSD constraint");
    for (std::size_t k = 0; k < file_.psd_constraints.size(); ++k) {
      const Index size = first[k + 1] - first[k];
      for (Index i = first[k]; i < first[k + 1]; ++i) cone_rows_.append(rows, i, -1.0);
      close_cone({ConeKind::semidefinite, size, 0.5}, size);
    }
  }

  // The last `rows` rows of cone_rows_, so far -(a'x + b), become a cone: b = h changes its sign.
  void close_cone(const Cone& cone, Index rows) {
    for (Index i = cone_rows_.size() - rows; i < cone_rows_.size(); ++i)
      cone_rows_.b[at(i)] = 0.0 - cone_rows_.b[at(i)];
    cones_.push_back(cone);
  }

  // Rows r of the file's cones as h - Gx in the library's order:
  //   QR   ((r0 + r1)/sqrt2, (r0 - r1)/sqrt2, r2..)      EXP   (r2, r1, r0)     EXP*  (r2 - r1, -r2, r0)
  //   POW  as it is                                      POW*  (r0/alpha, r1/(1-alpha), r2)
  void add_cone(const AffineRows& rows, const CbfCone& cone, Index first) {
    const auto add = [&](Index i, double factor) { cone_rows_.append(rows, first + i, -factor); };
    const auto add_sum = [&](Index i, double f, Index j, double g) {
      cone_rows_.append(rows, first + i, -f, first + j, -g);
    };
    ConeKind kind = ConeKind::second_order;
    switch (cone.kind) {
      case CbfKind::rotated: {
        const double root = std::numbers::sqrt2 / 2.0;
        add_sum(0, root, 1, root);
        add_sum(0, root, 1, -root);
        for (Index i = 2; i < cone.rows; ++i) add(i, 1.0);
        break;
      }
      case CbfKind::exponential:
        kind = ConeKind::exponential;
        for (Index i = 2; i >= 0; --i) add(i, 1.0);
        break;
      case CbfKind::dual_exponential:
        kind = ConeKind::exponential;
        add_sum(2, 1.0, 1, -1.0);
        add(2, -1.0);
        add(0, 1.0);
        break;
      case CbfKind::dual_power:
        kind = ConeKind::power;
        add(0, 1.0 / cone.alpha);
        add(1, 1.0 / (1.0 - cone.alpha));
        add(2, 1.0);
        break;
      case CbfKind::power:
        kind = ConeKind::power;
        for (Index i = 0; i < 3; ++i) add(i, 1.0);
        break;
      default:  // Q
        for (Index i = 0; i < cone.rows; ++i) add(i, 1.0);
        break;
    }
    close_cone({kind, cone.rows, cone.alpha}, cone.rows);
  }

  const CbfFile& file_;
  const std::string& shown_;
  std::vector<Index> offsets_;  // of the PSD variables, and the dimension
  AffineRows cone_rows_;        // -(a'x), h
  std::vector<Cone> cones_;
};

}  // namespace

Problem to_problem(const CbfFile& contents, const std::string& shown) { return Converter(contents, shown).convert(); }

Problem read_cbf_problem(const std::filesystem::path& file) { return to_problem(read_cbf(file), file.string()); }

bool looks_like_cbf(const std::filesystem::path& file) { return first_line(file, "#") == "VER"; }

}  // namespace pliant::io
