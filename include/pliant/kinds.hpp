// The kinds of terms and constraints that a problem file can hold, as registered in src/io/container_*.cpp.
//
// One registration per kind says how it is read, what it is in words, how its data are stored, what makes it in Python
// and which constants are known. The reader, `docs/container.md`, the Python module and their tests derive from it.
#pragma once

#include <string_view>
#include <vector>

namespace pliant {

/// A way to write an object of a kind down; most kinds have one.
struct KindLayout {
  std::string_view meaning;  ///< the function or the constraints
  std::string_view data;     ///< names, shapes and attributes
  std::string_view python;   ///< what makes it in Python, without the module: a signature, or several
};

struct KindInfo {
  std::string_view name;
  std::vector<KindLayout> layouts;
  /// Of families: L_a, C0 and C1 (theory.md) of a row, or why there are none.
  std::string_view constants;
};

/// The kinds of objective terms, prox terms and families of constraints, in the order of the documentation.
std::vector<KindInfo> objective_kinds();
std::vector<KindInfo> prox_kinds();
std::vector<KindInfo> constraint_kinds();

}  // namespace pliant
