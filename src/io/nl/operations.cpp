#include "io/nl/operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numbers>
#include <string_view>

namespace pliant::io {
namespace {

using Operands = std::span<const Index>;
using Arity = NlOperation::Arity;

template <Unary kFunction>
Index function_of(Graph& g, Operands a) {
  return g.unary(kFunction, a[0]);
}
Index minus(Graph& g, Operands a) { return g.sum(std::array{a[0], g.multiple(-1.0, a[1])}); }
Index sum_of(Graph& g, Operands a) { return g.sum(a); }
Index times(Graph& g, Operands a) { return g.product(a[0], a[1]); }
Index divided(Graph& g, Operands a) { return g.quotient(a[0], a[1]); }
Index raised(Graph& g, Operands a) { return g.general_power(a[0], a[1]); }
Index negative(Graph& g, Operands a) { return g.multiple(-1.0, a[0]); }
Index square(Graph& g, Operands a) { return g.power(a[0], 2.0); }
Index root(Graph& g, Operands a) { return g.power(a[0], 0.5); }
Index decimal_log(Graph& g, Operands a) { return g.multiple(1.0 / std::numbers::ln10, g.unary(Unary::log, a[0])); }

struct Row {
  Index code;
  std::string_view name;
  NlOperation operation{};  // without a function to build it: refused by name
};

constexpr std::array kRows{
    Row{0, "+", {Arity::two, sum_of}},
    Row{1, "-", {Arity::two, minus}},
    Row{2, "*", {Arity::two, times}},
    Row{3, "/", {Arity::two, divided}},
    Row{4, "mod"},
    Row{5, "^", {Arity::two, raised}},
    Row{6, "less"},
    Row{11, "min"},
    Row{12, "max"},
    Row{13, "floor"},
    Row{14, "ceil"},
    Row{15, "abs"},
    Row{16, "-", {Arity::one, negative}},
    Row{20, "or"},
    Row{21, "and"},
    Row{22, "<"},
    Row{23, "<="},
    Row{24, "="},
    Row{28, ">="},
    Row{29, ">"},
    Row{30, "!="},
    Row{34, "not"},
    Row{35, "if"},
    Row{37, "tanh", {Arity::one, function_of<Unary::tanh>}},
    Row{38, "tan", {Arity::one, function_of<Unary::tan>}},
    Row{39, "sqrt", {Arity::one, root}},
    Row{40, "sinh", {Arity::one, function_of<Unary::sinh>}},
    Row{41, "sin", {Arity::one, function_of<Unary::sin>}},
    Row{42, "log10", {Arity::one, decimal_log}},
    Row{43, "log", {Arity::one, function_of<Unary::log>}},
    Row{44, "exp", {Arity::one, function_of<Unary::exp>}},
    Row{45, "cosh", {Arity::one, function_of<Unary::cosh>}},
    Row{46, "cos", {Arity::one, function_of<Unary::cos>}},
    Row{47, "atanh", {Arity::one, function_of<Unary::atanh>}},
    Row{48, "atan2"},
    Row{49, "atan", {Arity::one, function_of<Unary::atan>}},
    Row{50, "asinh", {Arity::one, function_of<Unary::asinh>}},
    Row{51, "asin", {Arity::one, function_of<Unary::asin>}},
    Row{52, "acosh", {Arity::one, function_of<Unary::acosh>}},
    Row{53, "acos", {Arity::one, function_of<Unary::acos>}},
    Row{54, "sum", {Arity::list, sum_of}},
    Row{55, "div"},
    Row{56, "precision"},
    Row{57, "round"},
    Row{58, "trunc"},
    Row{59, "count"},
    Row{60, "numberof"},
    Row{64, "piecewise-linear"},
    Row{65, "if"},
    Row{75, "^", {Arity::two, raised}},
    Row{76, "^2", {Arity::one, square}},
    Row{77, "^", {Arity::two, raised}},
};

const Row* find_row(Index code) {
  const auto* const row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.code == code; });
  return row == kRows.end() ? nullptr : row;
}

}  // namespace

std::optional<NlOperation> nl_operation(Index code) {
  const Row* row = find_row(code);
  return row == nullptr || row->operation.build == nullptr ? std::nullopt : std::optional(row->operation);
}

std::string nl_operation_name(Index code) {
  const Row* row = find_row(code);
  return row == nullptr ? fmt::format("number {}", code) : std::string(row->name);
}

}  // namespace pliant::io
