// The sections of an LP file, one function each.
//
//   sense      [name:] expression
//   subject to [name:] [number sign] expression sign number ...
//   bounds     number <= name <= number, name free, ...
//   end
#pragma once

#include "io/lp/lexer.hpp"
#include "io/mps/mps_file.hpp"
#include "io/mps/name_table.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pliant::io {

class LpParser {
 public:
  explicit LpParser(const std::filesystem::path& file) : lexer_(file) {}
  MpsFile parse();

 private:
  enum class Section { objective, rows, bounds, refused, end };

  /// constant + coefficients'x + products; entries may repeat.
  struct Expression {
    double constant = 0.0;
    std::vector<std::pair<Index, double>> linear;
    std::vector<QuadraticEntry> products;  ///< value * x_row * x_column
    bool empty() const { return linear.empty() && products.empty(); }
  };

  /// The section that the token at hand begins, if it is a heading; heading() takes it.
  std::optional<Section> heading_at_hand() const;
  std::optional<Section> heading();
  bool two_words() const;
  void sense();
  void objective();
  void row();
  void bound();
  void refused_section();

  std::string label(std::string_view what, std::size_t number);
  Expression expression();
  void term(Expression& out, double sign);
  void quadratic(Expression& out, double sign);
  void product(Expression& out, double sign);
  /// Signs in a row, as of "+ -3".
  double signs();
  bool at_number() const;
  bool at_comparison() const;
  /// A number with signs, or an infinity.
  double number(std::string_view what);
  double side(std::string_view what);
  std::string comparison();
  Index variable(const LpToken& name);

  void add_row(const std::string& name, Expression expression, double lower, double upper);
  void limit(Index column, const std::string& sign, double value);
  void finish();

  LpLexer lexer_;
  MpsFile out_;
  NameTable rows_, columns_;
  std::string refused_;  // the section being refused if it is not empty
};

}  // namespace pliant::io
