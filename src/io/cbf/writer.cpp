#include "io/atomic_file.hpp"
#include "io/cbf/cbf_file.hpp"
#include "io/text/text_sink.hpp"

#include <string>
#include <string_view>

namespace pliant::io {
namespace {

std::string_view name(CbfKind kind) {
  switch (kind) {
    case CbfKind::free:
      return "F";
    case CbfKind::zero:
      return "L=";
    case CbfKind::nonnegative:
      return "L+";
    case CbfKind::nonpositive:
      return "L-";
    case CbfKind::quadratic:
      return "Q";
    case CbfKind::rotated:
      return "QR";
    case CbfKind::exponential:
      return "EXP";
    case CbfKind::dual_exponential:
      return "EXP*";
    case CbfKind::power:
      return "POW";
    case CbfKind::dual_power:
      return "POW*";
  }
  return "";
}

// Exponents alpha and 1 - alpha, one list per power cone of this kind, variables first.
void write_powers(TextSink& out, const CbfFile& file, CbfKind kind) {
  std::vector<double> alphas;
  for (const auto* cones : {&file.variables, &file.constraints}) {
    for (const CbfCone& cone : *cones) {
      if (cone.kind == kind) alphas.push_back(cone.alpha);
    }
  }
  if (alphas.empty()) return;
  out.line("\n{}CONES\n{} {}", name(kind), alphas.size(), 2 * alphas.size());
  for (const double alpha : alphas) out.line("2\n{}\n{}", alpha, 1.0 - alpha);
}

struct PowerCount {
  std::size_t primal = 0, dual = 0;
};

void write_cones(TextSink& out, std::string_view keyword, Index total, const std::vector<CbfCone>& cones,
                 PowerCount& count) {
  if (total == 0 && cones.empty()) return;
  out.line("\n{}\n{} {}", keyword, total, cones.size());
  for (const CbfCone& cone : cones) {
    std::string prefix;
    if (cone.kind == CbfKind::power) prefix = fmt::format("@{}:", count.primal++);
    if (cone.kind == CbfKind::dual_power) prefix = fmt::format("@{}:", count.dual++);
    out.line("{}{} {}", prefix, name(cone.kind), cone.rows);
  }
}

void write_orders(TextSink& out, std::string_view keyword, const std::vector<Index>& orders) {
  if (orders.empty()) return;
  out.line("\n{}\n{}", keyword, orders.size());
  for (const Index order : orders) out.line("{}", order);
}

template <class Entry, class Write>
void write_entries(TextSink& out, std::string_view keyword, const std::vector<Entry>& entries, const Write& write) {
  if (entries.empty()) return;
  out.line("\n{}\n{}", keyword, entries.size());
  for (const Entry& e : entries) write(e);
}

}  // namespace

void write_cbf(const CbfFile& contents, const std::filesystem::path& file) {
  AtomicFile target(file);
  TextSink out(target.temporary(), file);
  out.line("VER\n{}\n\nOBJSENSE\n{}", 3, contents.maximize ? "MAX" : "MIN");
  write_powers(out, contents, CbfKind::power);
  write_powers(out, contents, CbfKind::dual_power);
  PowerCount count;
  write_orders(out, "PSDVAR", contents.psd_variables);
  write_cones(out, "VAR", contents.n, contents.variables, count);
  write_orders(out, "PSDCON", contents.psd_constraints);
  write_cones(out, "CON", contents.m, contents.constraints, count);

  const auto scalar = [&](const CbfEntry& e) { out.line("{} {} {}", e.row, e.column, e.value); };
  const auto matrix = [&](const CbfMatrixEntry& e) { out.line("{} {} {} {}", e.block, e.i, e.j, e.value); };
  write_entries(out, "OBJFCOORD", contents.objective_psd, matrix);
  write_entries(out, "OBJACOORD", contents.objective, [&](const CbfEntry& e) { out.line("{} {}", e.column, e.value); });
  if (contents.constant != 0.0) out.line("\nOBJBCOORD\n{}", contents.constant);
  write_entries(out, "FCOORD", contents.F,
                [&](const CbfMatrixEntry& e) { out.line("{} {} {} {} {}", e.row, e.block, e.i, e.j, e.value); });
  write_entries(out, "ACOORD", contents.A, scalar);
  write_entries(out, "BCOORD", contents.b, [&](const CbfEntry& e) { out.line("{} {}", e.row, e.value); });
  write_entries(out, "HCOORD", contents.H,
                [&](const CbfMatrixEntry& e) { out.line("{} {} {} {} {}", e.block, e.row, e.i, e.j, e.value); });
  write_entries(out, "DCOORD", contents.D, matrix);
  out.close();
  target.commit();
}

}  // namespace pliant::io
