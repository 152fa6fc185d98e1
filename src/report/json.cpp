#include "pliant/check.hpp"
#include "report/figures.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace pliant {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kIndent = 2;

Json to_json(const report::Value& value);

struct Convert {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(double value) const { return std::isfinite(value) ? Json(value) : Json(nullptr); }
  Json operator()(const report::Figures& figures) const {
    Json out = Json::object();
    for (const report::Figure& figure : figures) out[figure.name] = to_json(figure.value);
    return out;
  }
  Json operator()(const std::vector<report::Value>& list) const {
    Json out = Json::array();
    for (const report::Value& value : list) out.push_back(to_json(value));
    return out;
  }
  template <class T>
  Json operator()(const T& value) const {
    return value;
  }
};

Json to_json(const report::Value& value) { return std::visit(Convert{}, value.held); }

}  // namespace

std::string to_json(const Problem& problem, const Settings& settings, const Result& result, bool with_x) {
  Json out = Convert{}(report::figures(problem, settings, result));
  if (with_x) {
    if (!problem.names.variables.empty()) out["variables"] = problem.names.variables;
    out["x"] = Json::array();
    for (const double v : result.x) out["x"].push_back(Convert{}(v));
  }
  return out.dump(kIndent, ' ', false, Json::error_handler_t::replace);
}

std::string to_json(const Problem& problem, const Verdict& verdict) {
  return Convert{}(report::figures(problem, verdict)).dump(kIndent);
}

std::string to_json(const Problem& problem, const SlaterConstants& slater) {
  return Convert{}(report::figures(problem, slater)).dump(kIndent);
}

std::string to_json(const Problem& problem, const GuaranteeForecast& forecast) {
  return Convert{}(report::figures(problem, forecast)).dump(kIndent);
}

}  // namespace pliant
