#include "commands/arguments.hpp"
#include "commands/commands.hpp"

#include "cones/cone_checks.hpp"
#include "cones/smoothed_cone.hpp"
#include "io/atomic_file.hpp"
#include "machine/memory.hpp"
#include "pliant/check.hpp"
#include "pliant/solve.hpp"
#include "pliant/theory.hpp"
#include "report/coefficients.hpp"
#include "report/report.hpp"
#include "solve/cone_rows.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace pliant::cli {
namespace {

using Json = nlohmann::ordered_json;

struct InfoOptions {
  std::string file, json;
  Settings settings;
};

// A Slater point is searched for where that reads no more than this; with --guarantee always.
constexpr Index kCheapSearch = Index{16} << 20;

Json number(double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); }

// `caps` are the prices of soft rows, none for hard ones.
Json describe(const ConstraintBatch& batch, const Doubles& caps) {
  Json out{{"family", batch.family()},
           {"name", batch.name},
           {"m", batch.size()},
           {"soft", !caps.empty()},
           {"bytes", batch.bytes(Rows::range(0, batch.size()))}};
  if (!caps.empty()) {
    const auto [least, largest] = std::minmax_element(caps.begin(), caps.end());
    out["least_weight"] = *least;
    out["largest_weight"] = *largest;
  }
  if (const RowConstants* c = batch.constants(); c != nullptr && batch.size() > 0) {
    out["L_a"] = number(c->smoothness.maxCoeff());
    out["C0"] = number(c->growth_constant.maxCoeff());
    out["C1"] = number(c->growth_slope.maxCoeff());
  } else {
    out["L_a"] = out["C0"] = out["C1"] = nullptr;
  }
  return out;
}

// Cones of one shape as rows. Lip bounds the gradient of every eigenvalue; a smoothed largest eigenvalue (--nonsmooth
// logsumexp) has C0 = Lip^2, C1 = 0, L_a = Lip^2/nu and is nu ln(rank) too large at most; the sum of the softplus of all
// eigenvalues (spectral) has a Hessian of at most Lip^2/(2 delta), matrices Lip^2/(4 delta).
Json describe_cones(const Problem& problem) {
  Json out = Json::array();
  if (problem.conic().empty()) return out;
  if (const std::string why = ConeRows::obstacle(problem); !why.empty()) return {{{"missing", why}}};
  const ConeRows rows(problem, Nonsmooth::logsumexp, 1.0);
  for (const BatchPtr& batch : rows.problem().batches()) {
    const SmoothedConeBatch* smoothed = batch->structure().smoothed_cones;
    if (smoothed == nullptr || batch->size() == 0) continue;
    const ConeShape& shape = smoothed->cones().shape();
    const double squared = batch->constants()->growth_constant.maxCoeff();
    const bool second_order = shape.kind == ConeKind::second_order;
    out.push_back({{"kind", to_string(shape.kind)},
                   {"cones", batch->size()},
                   {"rank", shape.rank},
                   {"lipschitz", number(std::sqrt(squared))},
                   {"C0", number(squared)},
                   {"C1", 0.0},
                   {"L_a_times_nu", number(squared)},
                   {"error_over_nu", std::log(static_cast<double>(shape.rank))},
                   {"spectral_hessian_times_delta", number(squared / (second_order ? 2.0 : 4.0))}});
  }
  return out;
}

// What `auto` would take, or why nothing can.
Json describe_choice(const Problem& problem) {
  try {
    const Plan plan = choose(problem, Settings{});
    const Attempt& first = plan.attempts.front();
    Json out = {{"method", to_string(first.method)},
                {"outer", first.strategy},
                {"engine", first.engine},
                {"why", first.reason},
                {"otherwise", Json::array()}};
    for (std::size_t k = 1; k < plan.attempts.size(); ++k) {
      out["otherwise"].push_back({{"engine", plan.attempts[k].engine}, {"why", plan.attempts[k].reason}});
    }
    return out;
  } catch (const InputError& error) {
    return {{"method", "none"}, {"outer", "none"}, {"engine", "none"}, {"why", error.what()}};
  }
}

// What is known before anything is solved.
struct Promises {
  SlaterConstants slater;
  std::optional<GuaranteeForecast> guarantee;
};

Promises promises_of(const Problem& problem, const Settings& settings) {
  if (settings.guarantee) {
    GuaranteeForecast forecast = forecast_guarantee(problem, *settings.guarantee, settings);
    // Where something else was missing, nobody has looked at Slater points yet.
    SlaterConstants slater = forecast.slater.source.empty() ? slater_constants(problem, true) : forecast.slater;
    return {std::move(slater), std::move(forecast)};
  }
  return {slater_constants(problem, problem.data_bytes() <= kCheapSearch), std::nullopt};
}

// [least, largest] magnitude, null where all are 0.
Json describe(const report::Magnitudes& m) {
  return m.count == 0 ? Json(nullptr) : Json(std::vector<double>{m.least, m.largest});
}

void add_coefficients(const Problem& problem, Json& out) {
  const report::Coefficients c = report::coefficients(problem);
  out["nonzeros"] = c.entries.count;
  out["ranges"] = {{"entries", describe(c.entries)},
                   {"rows", describe(c.rows)},
                   {"constants", describe(c.constants)},
                   {"objective", describe(c.objective)},
                   {"bounds", describe(c.bounds)}};
  out["warnings"] = report::warnings(c);
}

Index count_soft(const Problem& problem) {
  Index count = 0;
  for (std::size_t b = 0; b < problem.batches().size(); ++b) count += problem.caps(static_cast<Index>(b)).size();
  return count;
}

Json collect(const Problem& problem, const Promises& promises) {
  Json out = Json::object();  // one that [] would have to make first is left half-made where memory runs out
  out["n"] = problem.dimension();
  out["m"] = problem.constraints();
  out["soft"] = count_soft(problem);
  out["equalities"] = problem.has_equalities() ? problem.equality_matrix().rows() : 0;
  out["components"] = problem.components();
  out["data_bytes"] = problem.data_bytes();
  add_coefficients(problem, out);
  out["sense"] = problem.sense == Sense::maximize ? "maximize" : "minimize";
  out["objective"] = Json::array();
  for (const auto& t : problem.terms()) {
    out["objective"].push_back({{"kind", t.term->kind()}, {"weight", t.weight}, {"components", t.term->components()}});
  }
  out["prox"] = problem.prox().kind();
  out["mu"] = number(problem.strong_convexity());
  out["L_f"] = number(problem.smoothness());
  out["constraints"] = Json::array();
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    out["constraints"].push_back(describe(*problem.batches()[b], problem.caps(static_cast<Index>(b))));
  }
  out["cones"] = describe_cones(problem);
  out["slater"] = Json::parse(to_json(problem, promises.slater));
  out["auto"] = describe_choice(problem);
  // What the theory promises for the default tolerance: delta(eps), valid for every mu and any xi >= 2 xi_bar.
  const double epsilon = Settings{}.tol_feas;
  out["predicted"] = {{"epsilon", epsilon},
                      {"static_delta", problem.constraints() > 0 && !problem.has_soft_rows()
                                           ? number(theory::delta_for_accuracy(epsilon, problem.constraints()))
                                           : Json(nullptr)}};
  if (promises.guarantee) out["guarantee"] = Json::parse(to_json(problem, *promises.guarantee));
  return out;
}

std::string figure(const Json& v) { return v.is_null() ? std::string("none") : fmt::format("{:.4g}", v.get<double>()); }

std::string cone_lines(const Json& cones) {
  std::string text;
  for (const Json& c : cones) {
    if (c.contains("missing")) {
      text += fmt::format("cones        no constants: {}\n", c["missing"].get<std::string>());
      continue;
    }
    text += fmt::format(
        "cones        {} {} of rank {}: |grad| <= {}; smoothed L_a <= {}/nu, C0 <= {}, error <= {} nu; spectral L <= "
        "xi "
        "{}/delta\n",
        c["cones"].get<Index>(), c["kind"].get<std::string>(), c["rank"].get<Index>(), figure(c["lipschitz"]),
        figure(c["L_a_times_nu"]), figure(c["C0"]), figure(c["error_over_nu"]),
        figure(c["spectral_hessian_times_delta"]));
  }
  return text;
}

std::string coefficient_lines(const Json& info) {
  std::string text;
  for (const auto& [name, range] : info["ranges"].items()) {
    if (range.is_null()) continue;
    text += fmt::format("{}{} {:.1e} to {:.1e}", text.empty() ? "sizes        " : ", ", name, range[0].get<double>(),
                        range[1].get<double>());
  }
  if (!text.empty()) text += "\n";
  for (const Json& warning : info["warnings"]) text += fmt::format("warning      {}\n", warning.get<std::string>());
  return text;
}

std::string for_people(const Problem& problem, const Promises& promises, const Json& info) {
  std::string text =
      fmt::format("variables    {}\nconstraints  {}\ndata         {}, {} nonzeros\n{}objective   ", problem.dimension(),
                  report::describe_constraints(problem), machine::human_bytes(problem.data_bytes()),
                  info["nonzeros"].get<Index>(), coefficient_lines(info));
  if (problem.sense == Sense::maximize) text += " maximised; minus it:";
  for (const auto& t : problem.terms())
    text += fmt::format(" {} ({} components)", t.term->kind(), t.term->components());
  text += fmt::format("\nprox         {}\nmu           {:.6g}\nL_f          {:.6g}\n", problem.prox().kind(),
                      problem.strong_convexity(), problem.smoothness());
  Index index = 0;
  for (const Json& c : info["constraints"]) {
    const std::string prices =
        c["soft"].get<bool>()
            ? fmt::format(", soft, weights {} to {}", figure(c["least_weight"]), figure(c["largest_weight"]))
            : std::string();
    text += fmt::format("batch {:<6} {} {}{}: L_a <= {}, C0 <= {}, C1 <= {}\n", index++, c["m"].get<Index>(),
                        c["family"].get<std::string>(), prices, figure(c["L_a"]), figure(c["C0"]), figure(c["C1"]));
  }
  text += cone_lines(info["cones"]) + report::describe(promises.slater);
  const Json& chosen = info["auto"];
  text += fmt::format("auto         {} ({})\n", chosen["engine"].get<std::string>(), chosen["why"].get<std::string>());
  for (const Json& other : chosen.value("otherwise", Json::array())) {
    text += fmt::format("otherwise    {} ({})\n", other["engine"].get<std::string>(), other["why"].get<std::string>());
  }
  if (problem.has_soft_rows()) return text;  // the theory of static penalties is about hard rows
  text += fmt::format("predicted    violation <= {:g} (sum) needs delta = {} with a static penalty, xi >= 2 xi_bar\n",
                      info["predicted"]["epsilon"].get<double>(), figure(info["predicted"]["static_delta"]));
  return promises.guarantee ? text + report::describe(*promises.guarantee) : text;
}

int run(const InfoOptions& options) {
  const Problem problem = load(options.file, options.settings);
  const Promises promises = promises_of(problem, options.settings);
  const Json info = collect(problem, promises);
  if (!options.json.empty()) io::write_text(options.json, info.dump(2) + "\n");
  if (options.json != "-") print(for_people(problem, promises, info), false);
  return 0;
}

}  // namespace

void add_info(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command = app.add_subcommand("info", "sizes, families, constants, what `auto` would choose");
  command->add_option("FILE", options->file, "problem (" + readable_endings() + "; -: standard input)")->required();
  command->add_option("--json", options->json, "write as JSON (-: standard output)")->type_name("OUT");
  add_settings(*command, options->settings, {"memory_limit", "guarantee", "xi", "distance"});
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace pliant::cli
