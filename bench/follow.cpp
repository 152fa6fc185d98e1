// One run of a method or of a baseline, followed by its distance to a known solution.
//
//   bench_follow PROBLEM --reference SOLUTION [--csv OUT] [--budget E] [--error V] [--hits EPS,.. --hit-xi XI]
//                [--baseline NAME --parameter V] [settings of `pliant solve`]
//
// Stops after E component evaluations, at a relative error of x below V, or when all hits are found. A hit of EPS is
// the first judged point with |max(0, a)|_1 <= EPS and F - F* <= XI EPS / 2, F* = F(reference). Writes a CSV of
// log-spaced points and one line of JSON on standard output.
#include "baselines.hpp"

#include "pliant/io.hpp"
#include "pliant/solve.hpp"
#include "rows/constraint_system.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

namespace pliant::bench {
namespace {

struct Options {
  std::string problem, reference, csv, baseline;
  double budget = kInfinity, error = 0.0, parameter = 1.0, hit_xi = 1.0;
  std::vector<double> hits;
  Settings settings;
};

double number(const std::string& option, const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw InputError(fmt::format("{}: expected a number, got '{}'", option, text));
  }
  return value;
}

Options parse(int count, char** words) {
  Options options;
  // Nothing stops a run but what is asked for here; violations are those of the theory.
  options.settings.tol_feas = options.settings.tol_gap = 1e-26;
  options.settings.norm = ViolationNorm::l1;
  options.settings.threads = 1;
  const std::map<std::string, std::string*> texts{
      {"--reference", &options.reference}, {"--csv", &options.csv}, {"--baseline", &options.baseline}};
  const std::map<std::string, double*> numbers{{"--budget", &options.budget},
                                               {"--error", &options.error},
                                               {"--parameter", &options.parameter},
                                               {"--hit-xi", &options.hit_xi}};
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word.rfind("--", 0) != 0) {
      options.problem = word;
      continue;
    }
    const SettingSpec* spec = nullptr;
    for (const SettingSpec& s : settings_table()) {
      if (s.option() == word) spec = &s;
    }
    if (spec != nullptr && spec->is_flag) {
      spec->parse(*spec, options.settings, "true");
      continue;
    }
    if (i + 1 == count) throw InputError(word + ": expected a value");
    const std::string value = words[++i];
    if (spec != nullptr) {
      spec->parse(*spec, options.settings, value);
    } else if (const auto text = texts.find(word); text != texts.end()) {
      *text->second = value;
    } else if (const auto target = numbers.find(word); target != numbers.end()) {
      *target->second = number(word, value);
    } else if (word == "--hits") {
      std::stringstream list(value);
      for (std::string item; std::getline(list, item, ',');) options.hits.push_back(number(word, item));
    } else {
      throw InputError(word + ": no such option");
    }
  }
  if (options.problem.empty() || options.reference.empty()) throw InputError("expected PROBLEM --reference SOLUTION");
  return options;
}

class Follower {
 public:
  Follower(const Options& options, const Problem& problem)
      : options_(options), reference_(read_solution(options.reference).x), hits_(options.hits.size()) {
    if (reference_.size() != problem.dimension()) throw InputError(options.reference + ": does not fit the problem");
    optimum_ = problem.objective(reference_);
    if (!options.csv.empty()) {
      csv_.open(options.csv);
      if (!csv_) throw InputError(options.csv + ": cannot be written");
      csv_ << "evaluations,error,violation_l1,excess,stage,delta,xi,seconds\n";
    }
  }

  /// True: stop.
  bool see(const Progress& row, const Vector& x) {
    evaluations_ = static_cast<double>(row.component_evaluations);
    error_ = (x - reference_).norm() / reference_.norm();
    const double excess = row.objective - optimum_;
    bool all = !hits_.empty();
    for (std::size_t k = 0; k < hits_.size(); ++k) {
      const double eps = options_.hits[k];
      if (!hits_[k] && row.violation <= eps && excess <= 0.5 * options_.hit_xi * eps) hits_[k] = evaluations_;
      all = all && hits_[k].has_value();
    }
    const bool within = evaluations_ <= options_.budget;
    // What a budget buys is the best point seen within it, as the error is that of any judged point.
    if (within) within_budget_ = error_;
    if (within && error_ < best_) best_ = error_;
    const bool stop = all || !within || error_ <= options_.error;
    if (csv_.is_open() && (stop || evaluations_ >= kSpacing * written_)) {
      written_ = evaluations_;
      csv_ << fmt::format("{:.0f},{:.6e},{:.6e},{:.6e},{},{:.4e},{:.4e},{:.3f}\n", evaluations_, error_, row.violation,
                          excess, row.stage, row.delta, row.xi, row.time);
    }
    return stop;
  }

  nlohmann::json summary() const {
    nlohmann::json hits = nlohmann::json::array();
    for (const std::optional<double>& hit : hits_) hits.push_back(hit ? nlohmann::json(*hit) : nlohmann::json());
    return {{"evaluations", evaluations_}, {"error", error_}, {"error_within_budget", within_budget_},
            {"best_error", best_},         {"hits", hits},    {"optimum", optimum_}};
  }

 private:
  static constexpr double kSpacing = 1.04;
  const Options& options_;
  Vector reference_;
  std::vector<std::optional<double>> hits_;
  double optimum_ = 0.0, evaluations_ = 0.0, written_ = 0.0;
  double error_ = 1.0, best_ = 1.0, within_budget_ = 1.0;
  std::ofstream csv_;
};

// The baselines know points alone; violation and objective are computed for the record and not counted.
void run_baseline(const Options& options, const Problem& problem, Follower& follower) {
  const ConstrainedSum form(problem);
  ConstraintSystem system(problem);
  Vector a(system.size());
  const BaselineOptions parameters{options.parameter, options.settings.xi.value_or(1.0), options.settings.seed};
  find_baseline(options.baseline)(form, parameters, [&](Index evaluations, const Vector& x) {
    if (!x.allFinite()) return true;
    system.values(x, a);
    Progress row;
    row.component_evaluations = evaluations;
    row.objective = problem.objective(x);
    row.violation = problem.conic().empty() ? a.cwiseMax(0.0).sum() : certify(problem, x).violation_l1;
    return follower.see(row, x);
  });
}

int run(int count, char** words) {
  const Options options = parse(count, words);
  const Problem problem = read_problem(options.problem);
  Follower follower(options, problem);
  nlohmann::json out;
  if (!options.baseline.empty()) {
    problem.validate();
    run_baseline(options, problem, follower);
    out = follower.summary();
    out["status"] = "user_stopped";
  } else {
    SolveHooks hooks;
    hooks.point = [&](const Progress& row, ConstVectorRef x) { return follower.see(row, x); };
    const Result result = solve(problem, options.settings, hooks);
    out = follower.summary();
    out["status"] = to_string(result.status);
    out["message"] = result.message;
    out["seconds"] = result.time.solve;
    out["xi"] = result.xi;
    out["screened"] = result.screened;
  }
  fmt::print("{}\n", out.dump());
  return 0;
}

}  // namespace
}  // namespace pliant::bench

int main(int count, char** words) {
  try {
    return pliant::bench::run(count, words);
  } catch (const pliant::InputError& error) {
    fmt::print(stderr, "bench_follow: {}\n", error.what());
    return 1;
  }
}
