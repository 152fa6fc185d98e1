// Objective terms. They add and scale in Problem::minimize(term, weight).
#pragma once

#include "pliant/array.hpp"
#include "pliant/data_matrix.hpp"
#include "pliant/objective_term.hpp"

namespace pliant {

/// c'x + constant
TermPtr linear(Doubles c, double constant = 0.0);
/// 1/2 x'Px + q'x, P symmetric positive semidefinite (both triangles stored), dense or CSR.
TermPtr quadratic(DataMatrix P, Doubles q);
/// (1/2l) |Ax - b|^2, l = rows of A.
TermPtr least_squares(DataMatrix A, Doubles b);
/// (1/l) sum ln(1 + exp(-y_i a_i'x)), y_i in {-1, +1}.
TermPtr logistic(DataMatrix A, Doubles y);
/// (1/l) sum [ln sum_c exp(a_i'w_c) - a_i'w_{label_i}], x = (w_0, ..., w_{classes-1}) stacked.
TermPtr multinomial(DataMatrix A, Indices labels, Index classes);
/// (1/l) sum huber_k(a_i'x - b_i), huber_k(t) = t^2/2 if |t| <= k, else k|t| - k^2/2.
TermPtr huber(DataMatrix A, Doubles b, double k);
/// -log det X, X symmetric positive definite of the given order p, x = svec(X) (svec.hpp): p(p+1)/2 variables.
TermPtr log_det(Index order);

}  // namespace pliant
