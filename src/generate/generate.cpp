#include "pliant/generate.hpp"

#include "generate/family.hpp"

#include <fmt/format.h>

namespace pliant {
namespace {

using generation::Family;
using generation::Parameters;

const std::vector<Family>& families() {
  static const std::vector<Family> all = [] {
    std::vector<Family> list;
    for (const auto& group :
         {generation::entrywise_families(), generation::dense_linear_families(), generation::sparse_families(),
          generation::curved_families(), generation::learning_families(), generation::proof_families()}) {
      list.insert(list.end(), group.begin(), group.end());
    }
    return list;
  }();
  return all;
}

const Family& find_family(const std::string& name) {
  std::string known;
  for (const Family& family : families()) {
    if (family.name == name) return family;
    known += (known.empty() ? "" : ", ") + family.name;
  }
  throw InputError(fmt::format("unknown family '{}'; known: {}", name, known));
}

// "dense_qp n=30 m=1000 seed=0 box=5": the sizes, the seed and what differs from the defaults.
std::string instance_name(const Family& family, const Parameters& parameters) {
  std::string name = family.name;
  for (const auto& spec : family.parameters) {
    const double value = parameters.real(spec.name);
    const bool always = spec.name == "n" || spec.name == "m" || spec.name == "seed";
    if (always || value != spec.value) name += fmt::format(" {}={}", spec.name, value);
  }
  return name;
}

}  // namespace

const std::vector<FamilyInfo>& generated_families() {
  static const std::vector<FamilyInfo> infos = [] {
    std::vector<FamilyInfo> list;
    for (const Family& family : families()) {
      FamilyInfo info{family.name, family.description, {}};
      for (const auto& spec : family.parameters) info.defaults[spec.name] = spec.value;
      list.push_back(std::move(info));
    }
    return list;
  }();
  return infos;
}

Problem generate(const std::string& family_name, const std::map<std::string, double>& given) {
  const Family& family = find_family(family_name);
  try {
    const Parameters parameters(family.parameters, given);
    Problem problem = family.build(parameters);
    problem.name = instance_name(family, parameters);
    return problem;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", family_name, error.what()));
  }
}

}  // namespace pliant
