// What an MPS or QPS file says, before it becomes a problem and after a problem became one.
//
//   minimise or maximise  constant + cost'x + 1/2 x'Qx
//   subject to            rows: x'(1/2 Q_i)x + a_i'x  <=, >=, =  rhs_i, widened by a range;  lower <= x <= upper
#pragma once

#include "pliant/types.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace pliant::io {

enum class MpsLayout { free, fixed };

/// One entry of a symmetric matrix; (i, j) and (j, i) are both there.
struct QuadraticEntry {
  Index row = 0, column = 0;
  double value = 0.0;
};

struct MpsFile {
  std::string name;
  std::string objective;
  bool maximize = false;
  double constant = 0.0;

  std::vector<std::string> rows;
  std::vector<double> row_lower, row_upper;

  std::vector<std::string> columns;
  std::vector<double> cost, lower, upper;

  /// The linear coefficients, column after column.
  struct Entry {
    Index row, column;
    double value;
  };
  std::vector<Entry> entries;

  /// Q of 1/2 x'Qx, of the objective and of the rows that have one.
  std::vector<QuadraticEntry> quadratic;
  std::map<Index, std::vector<QuadraticEntry>> quadratic_rows;

  std::vector<std::string> notes;
};

/// Reads a file in one layout; throws TextError.
MpsFile parse_mps(const std::filesystem::path& file, MpsLayout layout);
/// Tries the free layout, then the fixed one; the message is that of the attempt that came further.
MpsFile read_mps(const std::filesystem::path& file);
/// Free layout; an ending .gz compresses.
void write_mps(const MpsFile& contents, const std::filesystem::path& file);

}  // namespace pliant::io
