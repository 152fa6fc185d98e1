#include "parallel/long_vectors.hpp"
#include "pliant/checkpoint.hpp"
#include "pliant/stored_form.hpp"

#include <bit>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <variant>

namespace pliant {
namespace {

// Mixes one word into a hash; multiplication by an odd number and a rotation carry every bit far.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;
  return std::rotl((hash ^ word) * kOdd, 29) * kOdd;
}

class Fingerprint {
 public:
  void add(double value) { add_word(std::bit_cast<std::uint64_t>(value == 0.0 ? 0.0 : value)); }  // -0 is 0
  void add(Index value) { add_word(static_cast<std::uint64_t>(value)); }
  void add(std::string_view text) {
    add(static_cast<Index>(text.size()));
    for (const char c : text) add_word(static_cast<unsigned char>(c));
  }
  template <class Array>
  void add_array(const Array& values) {
    add(static_cast<Index>(values.size()));
    // Chunks are fixed, so the number of threads does not matter.
    for (const std::uint64_t part : parallel::parts<std::uint64_t>(values.size(), [&](Index begin, Index end) {
           Fingerprint own;
           for (Index i = begin; i < end; ++i) own.add(values[i]);
           return own.value();
         })) {
      add_word(part);
    }
  }
  void add(const Doubles& values) { add_array(values); }
  void add(const Indices& values) { add_array(values); }
  void add(const DataMatrix& M) {
    add(M.rows());
    add(M.cols());
    add(M.values());
    if (!M.is_sparse()) return;
    add(M.starts());
    add(M.columns());
  }
  void add(const StoredForm& form) {
    add(form.kind);
    for (const StoredField& field : form.fields) {
      add(field.name);
      std::visit([&](const auto& value) { add(value); }, field.value);
    }
  }

  std::uint64_t value() const { return hash_; }

 private:
  void add_word(std::uint64_t word) { hash_ = mixed(hash_, word); }

  std::uint64_t hash_ = 0x243F6A8885A308D3ULL;
};

}  // namespace

std::uint64_t fingerprint(const Problem& problem) {
  Fingerprint out;
  out.add(problem.dimension());
  for (const Problem::WeightedTerm& t : problem.terms()) {
    out.add(t.weight);
    out.add(t.term->kind());
    out.add(t.term->stored());
  }
  out.add(problem.prox().kind());
  out.add(problem.prox().stored());
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    const ConstraintBatch& batch = *problem.batches()[b];
    out.add(batch.family());
    out.add(batch.size());
    out.add(batch.stored());
    out.add(problem.caps(static_cast<Index>(b)));
  }
  out.add(problem.has_equalities() ? problem.equality_matrix() : DataMatrix());
  out.add(problem.equality_rhs());
  for (const ConicConstraint& conic : problem.conic()) {
    out.add(conic.G);
    out.add(conic.h);
    for (const Cone& cone : conic.cones) {
      out.add(static_cast<Index>(cone.kind));
      out.add(cone.rows);
      out.add(cone.alpha);
    }
  }
  return out.value();
}

}  // namespace pliant
