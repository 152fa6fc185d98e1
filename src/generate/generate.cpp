#include "pliant/generate.hpp"

#include "generate/family.hpp"
#include "io/container_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pliant {
namespace {

using generation::Family;
using generation::Parameters;

const std::vector<Family>& families() {
  static const std::vector<Family> all = [] {
    std::vector<Family> list;
    for (const auto& group :
         {generation::entrywise_families(), generation::dense_linear_families(), generation::sparse_families(),
          generation::curved_families(), generation::learning_families(), generation::soft_loss_families(),
          generation::fairness_families(), generation::ellipsoid_families(), generation::proof_families(),
          generation::small_cone_families(), generation::relaxation_families(), generation::power_families()}) {
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
std::string instance_name(const Family& family, const Parameters& parameters, Index n) {
  std::string name = fmt::format("{} n={}", family.name, n);
  for (const auto& spec : family.parameters) {
    if (spec.name == "n") continue;
    const double value = parameters.real(spec.name);
    const bool always = spec.name == "m" || spec.name == "seed";
    if (!always && value == spec.value) continue;
    name += fmt::format(" {}=", spec.name);
    name += spec.words.empty() ? fmt::format("{}", value) : spec.words[parameters.choice(spec.name)];
  }
  for (const std::string& file : family.files) {
    if (const std::string given = parameters.file(file); !given.empty()) {
      name += fmt::format(" {}={}", file, std::filesystem::path(given).filename().string());
    }
  }
  return name;
}

}  // namespace

const std::vector<FamilyInfo>& generated_families() {
  static const std::vector<FamilyInfo> infos = [] {
    std::vector<FamilyInfo> list;
    for (const Family& family : families()) {
      FamilyInfo info{family.name, family.description, {}, {}, family.files};
      for (const auto& spec : family.parameters) {
        info.defaults[spec.name] = spec.value;
        if (!spec.words.empty()) info.words[spec.name] = spec.words;
      }
      list.push_back(std::move(info));
    }
    return list;
  }();
  return infos;
}

namespace {

using Files = std::map<std::string, std::string>;

void expect_known(const Family& family, const Files& files) {
  for (const auto& [name, file] : files) {
    if (std::find(family.files.begin(), family.files.end(), name) != family.files.end()) continue;
    throw InputError(fmt::format("'{}' names no file to read", name));
  }
}

Problem build(const std::string& family_name, const std::map<std::string, double>& given, const Files& files,
              io::DeferredArrays* deferred) {
  const Family& family = find_family(family_name);
  try {
    expect_known(family, files);
    const Parameters parameters(family.parameters, given, deferred, files);
    Problem problem = family.build(parameters);
    problem.name = instance_name(family, parameters, problem.dimension());
    return problem;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", family_name, error.what()));
  }
}

// A mistyped size is told at once, not when the disk is full. Where the system does not know, writing will tell.
void expect_room(const std::filesystem::path& file, Index bytes) {
  std::error_code unknown;
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const std::filesystem::space_info space = std::filesystem::space(folder, unknown);
  if (unknown || static_cast<std::uintmax_t>(bytes) <= space.available) return;
  throw InputError(fmt::format("{}: the instance takes {} bytes, but only {} are free there", file.string(), bytes,
                               space.available));
}

}  // namespace

Problem generate(const std::string& family, const std::map<std::string, double>& parameters, const Files& files) {
  return build(family, parameters, files, nullptr);
}

void generate_file(const std::string& family, const std::map<std::string, double>& parameters,
                   const std::filesystem::path& file, const GenerateFileOptions& options) {
  io::DeferredArrays deferred;
  deferred.block_bytes = options.block_bytes;
  deferred.progress = options.progress;
  const Problem problem = build(family, parameters, options.files, &deferred);
  expect_room(file, deferred.total_bytes());
  io::write_problem_file(problem, file, &deferred);
}

}  // namespace pliant
