// The four collectives a round needs, over bytes of any length. Whoever waits sleeps: processes often share cores.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pliant::mpi {

/// Thrown at process 0 where an interrupt comes and the others stay silent: most likely one of them is gone, and this process goes next.
struct Silence : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Texts of all processes, one after the other in `bytes`.
struct Gathered {
  std::unique_ptr<char[]> bytes;
  std::vector<std::string_view> texts;
};

class Communicator {
 public:
  /// The communicator is duplicated, so that nobody else's messages come in between. `interrupt` (may be null) is looked at
  /// while waiting.
  explicit Communicator(MPI_Comm comm, const std::atomic<bool>* interrupt = nullptr);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// The sum of what the processes of this machine say. A collective of all.
  int sum_here(int number) const;

  /// Process 0 gives one text for each, every process gets its own.
  std::string scatter(const std::vector<std::string>& texts) const;
  /// Every process gives one text, process 0 gets all of them.
  Gathered gather(const std::string& text) const;
  /// All get the text of process 0.
  std::string broadcast(const std::string& text) const;

  /// Process 0 asks the others, once, where the stop sign of its thread (parallel/stop.hpp) is raised while it waits. They
  /// look for that while they work; where one has never looked, it hears it in the end.
  bool told_to_stop() const;
  bool asked_to_stop() const { return asked_to_stop_; }
  void hear_stop() const;

 private:
  /// What others have to do before a message is here.
  enum class Awaited { not_begun, travelling };
  void wait(MPI_Request& request, Awaited awaited) const;
  void ask_others_to_stop() const;

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  const std::atomic<bool>* interrupt_;
  mutable bool asked_to_stop_ = false;      // by process 0, or heard
  mutable std::vector<MPI_Request> notes_;  // that said so
};

}  // namespace pliant::mpi
