// The parts of the native container (docs/container.md), each read and written by its own file.
//
// To add a kind of term or a family of constraints, add its row to the table in the part's file.
#pragma once

#include "io/hdf5_reader.hpp"
#include "io/hdf5_writer.hpp"
#include "pliant/problem.hpp"

namespace pliant::io {

/// Group `objective`: one group per term.
void read_objective(Hdf5Reader group, Problem& problem);
void write_objective(const Problem& problem, const Hdf5Writer& group);

/// Group `prox`.
void read_prox(Hdf5Reader group, Problem& problem);
void write_prox(const Problem& problem, const Hdf5Writer& group);

/// Since this version of the container batches may have `weights`, which make them soft.
inline constexpr Index kSoftRowsVersion = 2;

/// Group `constraints`: one group per batch; the version is that of the container.
void read_constraints(Hdf5Reader group, Index version, Problem& problem);
void write_constraints(const Problem& problem, const Hdf5Writer& group);

/// Group `conic`: one group per conic constraint.
void read_conic(Hdf5Reader group, Problem& problem);
void write_conic(const Problem& problem, const Hdf5Writer& group);

/// The whole container, from its root group.
Problem read_container(Hdf5Reader root);
void write_container(const Problem& problem, const Hdf5Writer& root);

/// write_problem for a problem with placeholders of `deferred` among its arrays.
void write_problem_file(const Problem& problem, const std::filesystem::path& file, DeferredArrays* deferred,
                        std::vector<std::string>* notes = nullptr);

}  // namespace pliant::io
