// Dispatch by the name of a kind: one row per kind, holding how it is read and how it is written.
#pragma once

#include "io/hdf5_reader.hpp"
#include "io/hdf5_writer.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace pliant::io {

template <class Base, class Pointer>
struct Kind {
  std::string_view name;
  /// Reads an object of n variables.
  Pointer (*read)(Hdf5Reader& group, Index n);
  /// Writes the object and returns true if it is of this kind.
  bool (*write)(const Base& object, const Hdf5Writer& group);
};

/// Adapts a writer of a concrete class: false if the object is of another class.
template <class Concrete, auto write_concrete, class Base>
bool write_as(const Base& object, const Hdf5Writer& group) {
  const auto* concrete = dynamic_cast<const Concrete*>(&object);
  if (concrete != nullptr) write_concrete(*concrete, group);
  return concrete != nullptr;
}

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

/// Writes the object and the name of its kind; `shown` is what it calls itself.
template <class Table, class Base>
void write_kind(const Table& table, std::string_view attribute, const Base& object, std::string_view shown,
                const Hdf5Writer& group) {
  for (const auto& kind : table) {
    if (!kind.write(object, group)) continue;
    group.text(attribute, kind.name);
    return;
  }
  group.place().fail(fmt::format("{} \"{}\" cannot be written to a file", attribute, printable(shown)));
}

}  // namespace pliant::io
