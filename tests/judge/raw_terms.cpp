#include "judge/raw_terms.hpp"

#include "judge/enclosure.hpp"

namespace pliant::judge {
namespace {

Rational product(const Matrix& A, Index i, const RationalVector& x) { return dot(A.row(i).transpose(), x); }

// ln sum_k exp(z_k) from above.
Rational log_sum_exp_above(const RationalVector& z) {
  Rational largest = z.front(), sum = 0;
  for (const Rational& t : z) {
    if (t > largest) largest = t;
  }
  for (const Rational& t : z) sum += enclose_exp(t - largest).high;
  return largest + enclose_log(rounded(sum, 1)).high;
}

Rational huber_value(const Rational& t, const Rational& width) {
  if (abs(t) <= width) return t * t / 2;
  return width * abs(t) - width * width / 2;
}

Rational multinomial_above(const RawTerm& term, const RationalVector& x) {
  const Index features = term.A.cols();
  Rational sum = 0;
  for (Index i = 0; i < term.A.rows(); ++i) {
    RationalVector scores;
    for (Index c = 0; c < term.order; ++c) {
      const auto begin = x.begin() + static_cast<std::ptrdiff_t>(c * features);
      scores.push_back(product(term.A, i, RationalVector(begin, begin + static_cast<std::ptrdiff_t>(features))));
    }
    sum += log_sum_exp_above(scores) - scores[static_cast<std::size_t>(term.b[i])];
  }
  return sum;
}

Rational component_above(const RawTerm& term, Index i, const RationalVector& x) {
  const Rational t = product(term.A, i, x);
  if (term.kind == TermKind::least_squares) return (t - exact(term.b[i])) * (t - exact(term.b[i])) / 2;
  if (term.kind == TermKind::huber) return huber_value(t - exact(term.b[i]), exact(term.width));
  return log_sum_exp_above({Rational(0), Rational(-exact(term.b[i]) * t)});
}

}  // namespace

Doubles row_major(const Matrix& M) {
  const Matrix transposed = M.transpose();
  return to_array(transposed.reshaped());
}

TermPtr to_term(const RawTerm& term) {
  const auto data = [&] { return DataMatrix::dense(term.A.rows(), term.A.cols(), row_major(term.A)); };
  switch (term.kind) {
    case TermKind::least_squares:
      return least_squares(data(), to_array(term.b));
    case TermKind::huber:
      return huber(data(), to_array(term.b), term.width);
    case TermKind::logistic:
      return logistic(data(), to_array(term.b));
    case TermKind::multinomial: {
      std::vector<Index> labels;
      for (const double label : term.b) labels.push_back(static_cast<Index>(label));
      return multinomial(data(), labels, term.order);
    }
    case TermKind::log_det:
      break;
  }
  return log_det(term.order);
}

std::optional<Rational> value_above(const RawTerm& term, const RationalVector& x) {
  const Rational weight = exact(term.weight);
  if (term.kind == TermKind::log_det) {
    const std::optional<Surd> determinant = positive_determinant_svec(x);
    if (!determinant) return std::nullopt;
    const Rational low = enclose(*determinant).low;
    if (low <= 0) return std::nullopt;
    return -weight * enclose_log(low).low;
  }
  Rational sum = 0;
  if (term.kind == TermKind::multinomial) {
    sum = multinomial_above(term, x);
  } else {
    for (Index i = 0; i < term.A.rows(); ++i) sum += component_above(term, i, x);
  }
  return weight * sum / static_cast<unsigned long>(term.A.rows());
}

bool certainly_holds(const RawLogSumExp& row, const RationalVector& x) {
  Rational sum = 0;
  for (Index k = 0; k < row.A.rows(); ++k) {
    const Rational z = product(row.A, k, x) + exact(row.b[k]);
    if (z > 0) return false;
    sum += enclose_exp(z).high;
  }
  return sum <= 1;
}

// Diagonal entries of X stand in x as they are, others times sqrt(2): q'Xq has a rational and an irrational part.
bool holds(const RawRankOne& rows, const RationalVector& x) {
  const Index order = rows.points.cols();
  for (Index r = 0; r < rows.points.rows(); ++r) {
    Rational rational = -exact(rows.b[r]), irrational = 0;
    std::size_t next = 0;
    for (Index j = 0; j < order; ++j) {
      for (Index i = j; i < order; ++i, ++next) {
        const Rational weight = exact(rows.points(r, i)) * exact(rows.points(r, j));
        (i == j ? rational : irrational) += weight * x[next];
      }
    }
    if (Surd(rational, irrational).sign() > 0) return false;
  }
  return true;
}

}  // namespace pliant::judge
