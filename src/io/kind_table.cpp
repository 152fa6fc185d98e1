#include "io/kind_table.hpp"

#include "io/container_matrix.hpp"

namespace pliant::io {
namespace {

struct FieldWriter {
  const StoredField& field;
  const Hdf5Writer& group;

  void operator()(double value) const { group.number(field.name, value); }
  void operator()(Index value) const { group.integer(field.name, value); }
  void operator()(const Doubles& values) const { group.doubles(field.name, shape(values.size()), values); }
  void operator()(const Indices& values) const { group.indices(field.name, shape(values.size()), values); }
  void operator()(const DataMatrix& values) const { write_matrix(group, field.name, values); }

  std::vector<Index> shape(Index size) const { return field.shape.empty() ? std::vector<Index>{size} : field.shape; }
};

}  // namespace

void write_fields(const StoredForm& form, const Hdf5Writer& group) {
  for (const StoredField& field : form.fields) std::visit(FieldWriter{field, group}, field.value);
}

}  // namespace pliant::io
