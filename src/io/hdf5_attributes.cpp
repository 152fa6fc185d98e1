// Attributes: text, numbers and whole numbers in any width or encoding HDF5 writers use for them.
#include "io/hdf5_reader.hpp"
#include "io/text/text_encoding.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace pliant::io {
namespace {

constexpr std::size_t kLongestText = 65536;

void expect_entries(const Hdf5Handle& attribute, Index expected, const Hdf5Place& place) {
  const Hdf5Handle space = place.checked(Hdf5Handle(H5Aget_space(attribute.id()), H5Sclose), "cannot be read");
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  if (count != expected) {
    place.fail(expected == 1 ? fmt::format("expected a single value, got {}", count)
                             : fmt::format("expected {} values, got {}", expected, count));
  }
}

Hdf5Handle type_of(const Hdf5Handle& attribute, const Hdf5Place& place) {
  return place.checked(Hdf5Handle(H5Aget_type(attribute.id()), H5Tclose), "cannot be read");
}

// The library allocates the characters of variable-length text; its type decides how they are freed.
std::string read_variable_text(const Hdf5Handle& attribute, const Hdf5Handle& type, const Hdf5Place& place) {
  const Hdf5Handle memory(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(memory.id(), H5T_VARIABLE);
  H5Tset_cset(memory.id(), H5Tget_cset(type.id()));
  char* characters = nullptr;
  const herr_t result = H5Aread(attribute.id(), memory.id(), &characters);
  const std::string text = characters != nullptr ? characters : "";
  H5free_memory(characters);
  place.checked(result, "cannot be read");
  return text;
}

std::string read_fixed_text(const Hdf5Handle& attribute, const Hdf5Handle& type, const Hdf5Place& place) {
  const std::size_t size = H5Tget_size(type.id());
  if (size > kLongestText) place.fail(fmt::format("text of {} bytes is too long", size));
  std::string text(size, '\0');
  place.checked(H5Aread(attribute.id(), type.id(), text.data()), "cannot be read");
  if (H5Tget_strpad(type.id()) == H5T_STR_SPACEPAD) {
    text.erase(text.find_last_not_of(' ') + 1);
  } else {
    text.resize(std::strlen(text.c_str()));
  }
  return text;
}

}  // namespace

bool Hdf5Reader::has_attribute(std::string_view name) {
  const std::string& known = *attributes_.emplace(name).first;
  const htri_t found = H5Aexists(handle_.id(), known.c_str());
  place_.checked(found, fmt::format("attribute \"{}\" cannot be looked up", name));
  return found > 0;
}

Hdf5Handle Hdf5Reader::open_attribute(std::string_view name, std::string_view expected) {
  if (!has_attribute(name)) place_.fail(fmt::format("attribute \"{}\" is missing, expected {}", name, expected));
  return place_.checked(Hdf5Handle(H5Aopen(handle_.id(), std::string(name).c_str(), H5P_DEFAULT), H5Aclose),
                        fmt::format("attribute \"{}\" cannot be opened", name));
}

std::string Hdf5Reader::text(std::string_view name) {
  const Hdf5Handle attribute = open_attribute(name, "text");
  const Hdf5Place place = place_.attribute(name);
  const Hdf5Handle type = type_of(attribute, place);
  if (H5Tget_class(type.id()) != H5T_STRING) place.fail("expected text");
  expect_entries(attribute, 1, place);
  std::string text = H5Tis_variable_str(type.id()) > 0 ? read_variable_text(attribute, type, place)
                                                       : read_fixed_text(attribute, type, place);
  if (!is_plain_utf8(text)) place.fail("expected UTF-8 text without control characters");
  return text;
}

double Hdf5Reader::number(std::string_view name) {
  const Hdf5Handle attribute = open_attribute(name, "a number");
  const Hdf5Place place = place_.attribute(name);
  const H5T_class_t kind = H5Tget_class(type_of(attribute, place).id());
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) place.fail("expected a number");
  expect_entries(attribute, 1, place);
  double value = 0.0;
  place.checked(H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, &value), "cannot be read");
  if (!std::isfinite(value)) place.fail(fmt::format("expected a finite number, got {}", value));
  return value;
}

std::vector<Index> Hdf5Reader::integers(std::string_view name, Index count) {
  const Hdf5Handle attribute = open_attribute(name, count == 1 ? "a whole number" : "whole numbers");
  const Hdf5Place place = place_.attribute(name);
  const H5T_class_t kind = H5Tget_class(type_of(attribute, place).id());
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) place.fail("expected a whole number");
  expect_entries(attribute, count, place);
  std::vector<Index> values(static_cast<std::size_t>(count));
  if (kind == H5T_INTEGER) {
    place.checked(H5Aread(attribute.id(), H5T_NATIVE_INT64, values.data()), "cannot be read");
    return values;
  }
  // Some writers know no numbers but double: take those that are whole and exactly represented.
  std::vector<double> reals(values.size());
  place.checked(H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, reals.data()), "cannot be read");
  constexpr double kExact = 9007199254740992.0;  // 2^53
  for (std::size_t i = 0; i < reals.size(); ++i) {
    if (!(std::abs(reals[i]) <= kExact && reals[i] == std::floor(reals[i]))) {
      place.fail(fmt::format("expected a whole number, got {}", reals[i]));
    }
    values[i] = static_cast<Index>(reals[i]);
  }
  return values;
}

Index Hdf5Reader::integer(std::string_view name) { return integers(name, 1).front(); }

std::optional<std::string> Hdf5Reader::optional_text(std::string_view name) {
  if (!has_attribute(name)) return std::nullopt;
  return text(name);
}

double Hdf5Reader::number_or(std::string_view name, double otherwise) {
  return has_attribute(name) ? number(name) : otherwise;
}

}  // namespace pliant::io
