// The four collectives a round needs, over bytes of any length. Whoever waits sleeps: processes often share cores.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace pliant::mpi {

class Communicator {
 public:
  /// The communicator is duplicated, so that nobody else's messages come in between.
  explicit Communicator(MPI_Comm comm);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Process 0 gives one text for each, every process gets its own.
  std::string scatter(const std::vector<std::string>& texts) const;
  /// Every process gives one text, process 0 gets all of them.
  std::vector<std::string> gather(const std::string& text) const;
  /// All get the text of process 0.
  std::string broadcast(const std::string& text) const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
};

}  // namespace pliant::mpi
