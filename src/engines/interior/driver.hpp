// What surrounds every interior-point engine that takes a whole problem: a warm start is judged first, iterates are
// visited, the best one is kept, proofs are tried on the way, the best iterate is judged at the end, and a verdict is
// left in the run.
#pragma once

#include "run/path_progress.hpp"

#include <string>
#include <vector>

namespace pliant {

/// A point and its multipliers, in the problem's own terms, as the certificate wants them.
struct Candidate {
  Vector x;
  Vector multipliers;         ///< of the rows
  std::vector<Vector> cones;  ///< of the conic constraints
};

/// An engine with its way back to the problem.
class InteriorMethod {
 public:
  virtual ~InteriorMethod() = default;

  /// Prepares the attempt of this number, from the start; false if there is none left. Most have one.
  virtual bool begin(Index attempt) { return attempt == 0; }
  /// Follows the path until `stop`, asked at every iterate. False: it could go no further.
  virtual bool follow(FunctionRef<bool()> stop) = 0;
  /// Why it could go no further.
  virtual std::string failure() const { return "the linear algebra broke down"; }

  virtual Index steps() const = 0;
  virtual PathIterate iterate() const = 0;
  virtual Candidate candidate() const = 0;
  /// A gap that is enough for now.
  virtual void aim(double /*gap*/) {}
  /// Tries what the iterate may prove. True: the run has a verdict.
  virtual bool try_proofs() { return false; }
  /// After all attempts. True: the run has a verdict.
  virtual bool last_resort() { return false; }
};

/// How long to go on.
struct InteriorPatience {
  Index steps_without_progress;
  Index most_steps;
};

/// Drives `method` to the tolerances of the run. Leaves the last point judged. By how much the best iterate missed the
/// tolerances in the method's own figures: at most 1 where these met them, whatever the certificate said.
double drive(Context& run, InnerPoint& point, InteriorMethod& method, InteriorPatience patience);

/// A proof is tried once the share of it that is missing falls below a first value, and again at a tenth of that.
class ProofGate {
 public:
  explicit ProofGate(double first) : missing_(first) {}

  bool opens(double missing) {
    if (!(missing < missing_)) return false;
    missing_ = kAgain * missing;
    return true;
  }

 private:
  static constexpr double kAgain = 0.1;
  double missing_;
};

}  // namespace pliant
