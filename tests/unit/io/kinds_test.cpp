// One registration per kind: the documentation says what the registrations say, and what they name can be written.
#include "pliant/kinds.hpp"

#include "pliant/constraints.hpp"
#include "pliant/objectives.hpp"
#include "pliant/regularizers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace pliant {
namespace {

std::string container_page() {
  std::ifstream file(std::filesystem::path(PLIANT_SOURCE_DIR) / "docs" / "container.md");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string table(std::string_view head, const std::vector<KindInfo>& kinds) {
  std::string out = fmt::format("{}\n|---|---|---|---|\n", head);
  for (const KindInfo& kind : kinds) {
    for (const KindLayout& layout : kind.layouts) {
      out += fmt::format("| `{}` | {} | {} | {} |\n", kind.name, layout.meaning, layout.data, layout.python);
    }
  }
  return out + "\n";
}

// The whole table stands in the page, so a kind that is missing there or no longer registered fails, too.
void expect_documented(const std::string& expected) {
  EXPECT_NE(container_page().find(expected), std::string::npos) << "docs/container.md should hold\n" << expected;
}

TEST(Kinds, DocumentationShowsTheRegistrations) {
  expect_documented(table("| kind | term | data | Python |", objective_kinds()));
  expect_documented(table("| kind | term | data | Python |", prox_kinds()));
  expect_documented(table("| family | constraints | data | Python |", constraint_kinds()));
  std::string constants = "| family | constants |\n|---|---|\n";
  for (const KindInfo& kind : constraint_kinds())
    constants += fmt::format("| `{}` | {} |\n", kind.name, kind.constants);
  expect_documented(constants + "\n");
}

std::set<std::string_view> names(const std::vector<KindInfo>& kinds) {
  std::set<std::string_view> out;
  for (const KindInfo& kind : kinds) {
    EXPECT_TRUE(out.insert(kind.name).second) << kind.name << " is registered twice";
    EXPECT_FALSE(kind.layouts.empty()) << kind.name;
  }
  return out;
}

// What the library's factories make stores itself under a registered name, with every field named in its layouts.
void expect_stored(const StoredForm& form, const std::vector<KindInfo>& kinds) {
  for (const KindInfo& kind : kinds) {
    if (kind.name != form.kind) continue;
    std::string data;
    for (const KindLayout& layout : kind.layouts) data += layout.data;
    for (const StoredField& field : form.fields) {
      EXPECT_NE(data.find(fmt::format("`{}`", field.name)), std::string::npos) << kind.name << ": " << field.name;
    }
    return;
  }
  ADD_FAILURE() << "kind \"" << form.kind << "\" is not registered";
}

TEST(Kinds, EveryObjectStoresItselfAsRegistered) {
  const DataMatrix one = DataMatrix::dense(1, 1, std::vector<double>{1.0});
  const std::vector<double> v{1.0};
  const Tensor square({1, 1}, v), cube({1, 1, 1}, v);
  const std::vector<TermPtr> terms{linear(v),        quadratic(one, v),  least_squares(one, v),
                                   logistic(one, v), huber(one, v, 1.0), multinomial(one, std::vector<Index>{0}, 2),
                                   log_det(1)};
  const std::vector<ProxPtr> regularizers{elastic_net(1, 1.0, 1.0), box(v, v), simplex(1, 1.0), ball(1, 1.0),
                                          group_l2(std::vector<Index>{0}, v)};
  const std::vector<BatchPtr> batches{linear_le(one, v),
                                      linear_range(v, one, v),
                                      quadratic_le(cube, square, v),
                                      quadratic_lowrank_le(cube, square, v),
                                      quadratic_diagonal_le(square, square, v),
                                      log_sum_exp_le(cube, square),
                                      rank_one_le(square, v),
                                      rank_one_lifted_le(square, v)};
  std::set<std::string_view> seen;
  for (const TermPtr& term : terms) {
    expect_stored(term->stored(), objective_kinds());
    seen.insert(term->stored().kind);
  }
  EXPECT_EQ(seen, names(objective_kinds()));
  seen.clear();
  for (const ProxPtr& term : regularizers) {
    expect_stored(term->stored(), prox_kinds());
    seen.insert(term->stored().kind);
  }
  EXPECT_EQ(seen, names(prox_kinds()));
  seen.clear();
  for (const BatchPtr& batch : batches) {
    expect_stored(batch->stored(), constraint_kinds());
    seen.insert(batch->stored().kind);
  }
  EXPECT_EQ(seen, names(constraint_kinds()));
}

}  // namespace
}  // namespace pliant
