#include "io/container_matrix.hpp"
#include "io/container_parts.hpp"
#include "io/kind_table.hpp"
#include "pliant/objectives.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

namespace pliant::io {
namespace {

TermPtr read_linear_term(Hdf5Reader& group, Index n) {
  return linear(group.doubles("c", {n}), group.number_or("constant", 0.0));
}

TermPtr read_quadratic_term(Hdf5Reader& group, Index n) {
  DataMatrix P = read_matrix(group, "P", n, n);
  return quadratic(std::move(P), group.doubles("q", {n}));
}

TermPtr read_least_squares(Hdf5Reader& group, Index n) {
  DataMatrix A = read_matrix(group, "A", kAny, n);
  Doubles b = group.doubles("b", {A.rows()});
  return least_squares(std::move(A), std::move(b));
}

TermPtr read_logistic(Hdf5Reader& group, Index n) {
  DataMatrix A = read_matrix(group, "A", kAny, n);
  Doubles y = group.doubles("y", {A.rows()});
  return logistic(std::move(A), std::move(y));
}

TermPtr read_huber(Hdf5Reader& group, Index n) {
  DataMatrix A = read_matrix(group, "A", kAny, n);
  Doubles b = group.doubles("b", {A.rows()});
  return huber(std::move(A), std::move(b), group.number("k"));
}

TermPtr read_multinomial(Hdf5Reader& group, Index n) {
  const Index classes = group.integer("classes");
  if (classes < 1 || n % classes != 0) {
    group.place().fail(fmt::format("classes: expected a divisor of n = {}, got {}", n, classes));
  }
  DataMatrix A = read_matrix(group, "A", kAny, n / classes);
  Indices labels = group.indices("labels", {A.rows()});
  return multinomial(std::move(A), std::move(labels), classes);
}

TermPtr read_log_det(Hdf5Reader& group, Index n) { return log_det(matrix_order(group, n)); }

using TermKind = Kind<TermPtr>;

constexpr std::array kTerms{
    TermKind{"linear",
             read_linear_term,
             {{{"`c'x + constant`", "`c` (n); attribute `constant` (default 0)", "`linear(c, constant)`"}}}},
    TermKind{"quadratic",
             read_quadratic_term,
             {{{"`1/2 x'Px + q'x`", "matrix `P` (n, n) with both triangles; `q` (n)", "`quadratic(P, q)`"}}}},
    TermKind{"least_squares",
             read_least_squares,
             {{{"`1/(2l) \\|Ax - b\\|^2`", "matrix `A` (l, n); `b` (l)", "`least_squares(A, b)`"}}}},
    TermKind{
        "logistic",
        read_logistic,
        {{{"`1/l sum ln(1 + exp(-y_i a_i'x))`", "matrix `A` (l, n); `y` (l), each -1 or +1", "`logistic(A, y)`"}}}},
    TermKind{"huber",
             read_huber,
             {{{"`1/l sum huber_k(a_i'x - b_i)`", "matrix `A` (l, n); `b` (l); attribute `k`", "`huber(A, b, k)`"}}}},
    TermKind{"multinomial",
             read_multinomial,
             {{{"`1/l sum [ln sum_c exp(a_i'w_c) - a_i'w_label_i]`, `x = (w_0, ..., w_{classes-1})`",
                "matrix `A` (l, n/classes); `labels` (l); attribute `classes`", "`multinomial(A, labels, classes)`"}}}},
    TermKind{"log_det", read_log_det, {{{"`-log det X`, `x = svec(X)`", "none; `n = p(p+1)/2`", "`log_det(order)`"}}}},
};

}  // namespace

void read_objective(Hdf5Reader group, Problem& problem) {
  const Index count = group.numbered_members();
  for (Index i = 0; i < count; ++i) {
    Hdf5Reader member = group.group(std::to_string(i));
    TermPtr term = read_kind(kTerms, "kind", member, problem.dimension());
    const double weight = member.number_or("weight", 1.0);
    member.done();
    member.place().explain([&] { problem.minimize(std::move(term), weight); });
  }
  group.done();
}

void write_objective(const Problem& problem, const Hdf5Writer& group) {
  Index i = 0;
  for (const Problem::WeightedTerm& weighted : problem.terms()) {
    const Hdf5Writer member = group.group(std::to_string(i++));
    write_kind(kTerms, "kind", weighted.term->stored(), weighted.term->kind(), member);
    member.number("weight", weighted.weight);
  }
}

}  // namespace pliant::io

std::vector<pliant::KindInfo> pliant::objective_kinds() { return io::describe(io::kTerms); }
