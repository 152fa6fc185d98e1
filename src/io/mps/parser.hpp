// The sections of an MPS file, one function each.
#pragma once

#include "io/mps/data_line.hpp"
#include "io/mps/mps_file.hpp"
#include "io/mps/name_table.hpp"
#include "io/text/fields.hpp"
#include "io/text/text_lines.hpp"

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

namespace pliant::io {

class MpsParser {
 public:
  MpsParser(const std::filesystem::path& file, MpsLayout layout) : lines_(file), layout_(layout) {}
  MpsFile parse();

 private:
  enum class Section {
    none,
    name,
    objsense,
    objname,
    rows,
    columns,
    rhs,
    ranges,
    bounds,
    quadobj,
    qmatrix,
    qsection,
    qcmatrix,
    endata,
    count
  };
  /// Places of N rows in the table of rows.
  static constexpr Index kObjective = -1;
  static constexpr Index kIgnored = -2;
  enum class Triangle { one, both };

  // Section headers.
  void header(std::string_view line);
  void enter(Section section);
  void set_sense(std::string_view word);
  void begin_quadratic_row(std::string_view row, double factor);
  void refuse_section(std::string_view word) const;

  // Data lines.
  void data(std::string_view line);
  DataLine free_fields(std::string_view line) const;
  DataLine free_bound(const Tokens& t) const;
  void row(const DataLine& line);
  void column(const DataLine& line);
  void coefficient(Index column, const DataLine::Pair& pair);
  void right_hand_side(const DataLine& line);
  void range(const DataLine& line);
  void bound(const DataLine& line);
  void quadratic(const DataLine& line);

  // Parts of lines.
  void check_name(std::string_view what, std::string_view name) const;
  double number(const DataLine::Pair& pair) const;
  double finite(const DataLine::Pair& pair) const;
  /// A number in which 1e20 and more stands for infinity.
  double side(const DataLine::Pair& pair) const;
  Index find_row(std::string_view name) const;
  Index find_column(std::string_view name) const;
  /// Of several vectors in a section the first counts.
  bool first_vector(std::string_view name);

  // The end of the file.
  void finish();
  void finish_rows();
  void finish_bounds() const;
  void symmetrize(std::vector<QuadraticEntry>& entries, Triangle triangle, std::string_view section) const;
  std::string column_name(Index j) const;

  TextLines lines_;
  MpsLayout layout_;
  MpsFile out_;
  Section section_ = Section::none;
  std::bitset<static_cast<std::size_t>(Section::count)> seen_;

  NameTable row_table_, column_table_;
  std::string wanted_objective_;  // OBJNAME
  bool has_objective_ = false;
  std::vector<char> row_type_;
  std::vector<double> rhs_, range_;
  std::vector<bool> has_rhs_, has_range_, has_lower_;
  bool has_constant_ = false;
  std::vector<Index> last_column_;  // of each row: the last column with an entry there
  Index last_cost_ = -1;
  std::string vector_;  // the first vector name of the section
  bool other_vector_noted_ = false;
  std::vector<std::string> ignored_rows_;
  Index negative_upper_ = 0;

  std::vector<QuadraticEntry>* target_ = nullptr;  // of the quadratic section being read
  double factor_ = 1.0;                            // its numbers times this are Q of 1/2 x'Qx
  std::map<Index, Triangle> row_triangle_;
};

}  // namespace pliant::io
