// What an AMPL NL file says, before it becomes a problem.
//
//   minimise or maximise  objective: expression + linear part
//   subject to            bodies: expression + linear part, between two sides;  lower <= x <= upper
#pragma once

#include "expressions/graph.hpp"
#include "pliant/types.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pliant::io {

struct NlFunction {
  Index root = -1;  ///< of the nonlinear part; -1: none
  std::vector<std::pair<Index, double>> linear;
};

struct NlFile {
  /// What a .sol file must repeat.
  std::vector<Index> options;
  Index variables = 0, rows = 0, objectives = 0;

  Graph graph;
  std::map<Index, NlFunction> bodies;  ///< by row; rows without an entry are constant 0
  NlFunction objective;                ///< the first one
  bool maximize = false;
  std::vector<double> row_lower, row_upper, lower, upper;
  std::map<Index, double> start;                     ///< initial guess; 0 where nothing is said
  std::vector<std::string> row_names, column_names;  ///< of the files .row and .col beside it, or empty
  std::vector<std::string> notes;
};

/// Reads the text form (g) or the binary one (b), plain or compressed; throws TextError.
NlFile parse_nl(const std::filesystem::path& file);

}  // namespace pliant::io
