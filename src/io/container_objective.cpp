#include "io/container_matrix.hpp"
#include "io/container_parts.hpp"
#include "io/kind_table.hpp"
#include "objective/generalized_linear.hpp"
#include "objective/linear.hpp"
#include "objective/log_det.hpp"
#include "objective/multinomial.hpp"
#include "objective/quadratic.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

namespace pliant::io {
namespace {

TermPtr read_linear(Hdf5Reader& group, Index n) {
  return linear(group.doubles("c", {n}), group.number_or("constant", 0.0));
}

void write_linear(const LinearTerm& term, const Hdf5Writer& group) {
  group.doubles("c", {term.c().size()}, term.c());
  group.number("constant", term.constant());
}

TermPtr read_quadratic(Hdf5Reader& group, Index n) {
  DataMatrix P = read_matrix(group, "P", n, n);
  return quadratic(std::move(P), group.doubles("q", {n}));
}

void write_quadratic(const QuadraticTerm& term, const Hdf5Writer& group) {
  write_matrix(group, "P", term.P());
  group.doubles("q", {term.q().size()}, term.q());
}

TermPtr read_least_squares(Hdf5Reader& group, Index n) {
  DataMatrix A = read_matrix(group, "A", kAny, n);
  Doubles b = group.doubles("b", {A.rows()});
  return least_squares(std::move(A), std::move(b));
}

void write_least_squares(const LeastSquaresTerm& term, const Hdf5Writer& group) {
  write_matrix(group, "A", term.A());
  group.doubles("b", {term.b().size()}, term.b());
}

TermPtr read_logistic(Hdf5Reader& group, Index n) {
  DataMatrix A = read_matrix(group, "A", kAny, n);
  Doubles y = group.doubles("y", {A.rows()});
  return logistic(std::move(A), std::move(y));
}

void write_logistic(const LogisticTerm& term, const Hdf5Writer& group) {
  write_matrix(group, "A", term.A());
  group.doubles("y", {term.y().size()}, term.y());
}

TermPtr read_huber(Hdf5Reader& group, Index n) {
  DataMatrix A = read_matrix(group, "A", kAny, n);
  Doubles b = group.doubles("b", {A.rows()});
  return huber(std::move(A), std::move(b), group.number("k"));
}

void write_huber(const HuberTerm& term, const Hdf5Writer& group) {
  write_matrix(group, "A", term.A());
  group.doubles("b", {term.b().size()}, term.b());
  group.number("k", term.k());
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

void write_multinomial(const MultinomialTerm& term, const Hdf5Writer& group) {
  write_matrix(group, "A", term.A());
  group.indices("labels", {term.labels().size()}, term.labels());
  group.integer("classes", term.classes());
}

TermPtr read_log_det(Hdf5Reader& group, Index n) { return log_det(matrix_order(group, n)); }

void write_log_det(const LogDetTerm&, const Hdf5Writer&) {}  // n says it all

using TermKind = Kind<ObjectiveTerm, TermPtr>;

constexpr std::array kTerms{
    TermKind{"linear", read_linear, write_as<LinearTerm, write_linear>},
    TermKind{"quadratic", read_quadratic, write_as<QuadraticTerm, write_quadratic>},
    TermKind{"least_squares", read_least_squares, write_as<LeastSquaresTerm, write_least_squares>},
    TermKind{"logistic", read_logistic, write_as<LogisticTerm, write_logistic>},
    TermKind{"huber", read_huber, write_as<HuberTerm, write_huber>},
    TermKind{"multinomial", read_multinomial, write_as<MultinomialTerm, write_multinomial>},
    TermKind{"log_det", read_log_det, write_as<LogDetTerm, write_log_det>},
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
    write_kind(kTerms, "kind", *weighted.term, weighted.term->kind(), member);
    member.number("weight", weighted.weight);
  }
}

}  // namespace pliant::io
