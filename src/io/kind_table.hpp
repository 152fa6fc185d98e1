// Dispatch by the name of a kind: one row per kind, its only registration (include/pliant/kinds.hpp).
#pragma once

#include "io/hdf5_reader.hpp"
#include "io/hdf5_writer.hpp"
#include "pliant/kinds.hpp"
#include "pliant/stored_form.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace pliant::io {

template <class Pointer>
struct Kind {
  std::string_view name;
  /// Reads an object of n variables.
  Pointer (*read)(Hdf5Reader& group, Index n);
  /// One or two layouts.
  std::array<KindLayout, 2> layouts;
  std::string_view constants = {};
};

/// Reads the object of the kind that the text attribute `attribute` names.
template <class Table>
auto read_kind(const Table& table, std::string_view attribute, Hdf5Reader& group, Index n) {
  const std::string name = group.text(attribute);
  std::string known;
  for (const auto& kind : table) {
    if (kind.name == name) return group.place().explain([&] { return kind.read(group, n); });
    known += fmt::format("{}{}", known.empty() ? "" : ", ", kind.name);
  }
  group.place().fail(fmt::format("unknown {} \"{}\" (known: {})", attribute, printable(name), known));
}

/// Writes the fields of an object.
void write_fields(const StoredForm& form, const Hdf5Writer& group);

/// Writes the object and the name of its kind; `shown` is what it calls itself. Refuses what could not be read back.
template <class Table>
void write_kind(const Table& table, std::string_view attribute, const StoredForm& form, std::string_view shown,
                const Hdf5Writer& group) {
  for (const auto& kind : table) {
    if (kind.name != form.kind) continue;
    write_fields(form, group);
    group.text(attribute, kind.name);
    return;
  }
  group.place().fail(fmt::format("{} \"{}\" cannot be written to a file", attribute, printable(shown)));
}

/// The table without its readers.
template <class Table>
std::vector<KindInfo> describe(const Table& table) {
  std::vector<KindInfo> out;
  for (const auto& kind : table) {
    out.push_back({kind.name, {}, kind.constants});
    for (const KindLayout& layout : kind.layouts) {
      if (!layout.meaning.empty()) out.back().layouts.push_back(layout);
    }
  }
  return out;
}

}  // namespace pliant::io
