#include "cones/cone_checks.hpp"
#include "io/container_matrix.hpp"
#include "io/container_parts.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

namespace pliant::io {
namespace {

constexpr std::array kKinds{ConeKind::zero,         ConeKind::nonnegative, ConeKind::second_order,
                            ConeKind::semidefinite, ConeKind::exponential, ConeKind::power};

ConeKind kind_of(const std::string& name, const Hdf5Place& place) {
  std::string known;
  for (const ConeKind kind : kKinds) {
    if (to_string(kind) == name) return kind;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", to_string(kind));
  }
  place.fail(fmt::format("unknown kind \"{}\" (known: {})", printable(name), known));
}

// Runs of equal cones: kinds, rows of one cone, how many of them follow each other, and alpha of power cones.
std::vector<Cone> read_cones(Hdf5Reader group, Index rows) {
  const Indices sizes = group.indices("rows", {kAny});
  const Index runs = sizes.size();
  const std::vector<std::string> kinds = group.texts("kinds", runs);
  const Indices counts = group.indices("count", {runs});
  Doubles alpha;
  if (group.has_member("alpha")) alpha = group.doubles("alpha", {runs});
  group.done();
  std::vector<Cone> cones;
  Index left = rows;
  for (Index k = 0; k < runs; ++k) {
    Cone cone{kind_of(kinds[static_cast<std::size_t>(k)], group.place().at("kinds")), sizes[k]};
    if (cone.kind == ConeKind::power) {
      if (alpha.empty()) group.place().fail("alpha is missing, which power cones need");
      cone.alpha = alpha[k];
    }
    // Cones without rows would let a small file ask for any number of them.
    if (cone.rows < 1) {
      group.place().at("rows").fail(fmt::format("entry {} is {}, expected at least 1 row", k, cone.rows));
    }
    if (counts[k] < 0 || counts[k] > left / cone.rows) {
      group.place().at("count").fail(
          fmt::format("entry {} is {}, expected 0 to {}: G has {} rows", k, counts[k], left / cone.rows, rows));
    }
    left -= counts[k] * cone.rows;
    cones.insert(cones.end(), static_cast<std::size_t>(counts[k]), cone);
  }
  return cones;
}

void write_cones(const std::vector<Cone>& cones, const Hdf5Writer& group) {
  std::vector<std::string> kinds;
  std::vector<Index> sizes, counts;
  std::vector<double> alpha;
  bool powers = false;
  for (std::size_t k = 0; k < cones.size(); ++k) {
    const Cone& cone = cones[k];
    const bool power = cone.kind == ConeKind::power;
    powers = powers || power;
    const bool same = k > 0 && cones[k - 1].kind == cone.kind && cones[k - 1].rows == cone.rows &&
                      (!power || cones[k - 1].alpha == cone.alpha);
    if (same) {
      ++counts.back();
      continue;
    }
    kinds.emplace_back(to_string(cone.kind));
    sizes.push_back(cone.rows);
    counts.push_back(1);
    alpha.push_back(cone.alpha);
  }
  const auto runs = static_cast<Index>(kinds.size());
  group.texts("kinds", kinds);
  group.indices("rows", {runs}, Indices(std::move(sizes)));
  group.indices("count", {runs}, Indices(std::move(counts)));
  if (powers) group.doubles("alpha", {runs}, Doubles(std::move(alpha)));
}

}  // namespace

void read_conic(Hdf5Reader group, Problem& problem) {
  const Index count = group.numbered_members();
  for (Index i = 0; i < count; ++i) {
    Hdf5Reader member = group.group(std::to_string(i));
    ConicConstraint conic;
    conic.G = read_matrix(member, "G", kAny, problem.dimension());
    conic.h = member.doubles("h", {conic.G.rows()});
    conic.cones = read_cones(member.group("cones"), conic.G.rows());
    std::string name = member.optional_text("name").value_or("");
    member.done();
    member.place().explain([&] { problem.subject_to(std::move(conic), std::move(name)); });
  }
  group.done();
}

void write_conic(const Problem& problem, const Hdf5Writer& group) {
  Index i = 0;
  for (const ConicConstraint& conic : problem.conic()) {
    const Hdf5Writer member = group.group(std::to_string(i));
    write_matrix(member, "G", conic.G);
    member.doubles("h", {conic.h.size()}, conic.h);
    write_cones(conic.cones, member.group("cones"));
    if (const std::string& name = problem.conic_name(i++); !name.empty()) member.text("name", name);
  }
}

}  // namespace pliant::io
