// Status and certificate in words.
#pragma once

#include "pliant/problem.hpp"
#include "pliant/result.hpp"

#include <string>
#include <vector>

namespace pliant::report {

/// How a page greets its reader. All texts are HTML.
struct Verdict {
  std::string tone;      ///< "good", "proof", "stopped" or "bad": colours and symbols
  std::string headline;  ///< "Solved, and proved"
  std::string sentence;  ///< what that means
};
/// What a bound is worth, in a few words.
std::string_view bound_in_words(BoundKind kind);
Verdict verdict(const Result& result);

/// What the numbers of the certificate mean, one paragraph each.
std::vector<std::string> explain(const Result& result, const Settings& settings, Sense sense);

/// A figure against what was asked for.
struct Check {
  std::string name;
  double value;
  double allowed;
  bool decides;  ///< whether `optimal` depends on it
};
std::vector<Check> checks(const Result& result, const Settings& settings);

/// What a proof of infeasibility or unboundedness consists of; none for other results.
struct ProofFigure {
  std::string name;
  double value;
};
std::vector<ProofFigure> proof_figures(const Result& result);

}  // namespace pliant::report
