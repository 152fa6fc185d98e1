#include "machine/cores.hpp"
#include "mpi/communicator.hpp"
#include "parallel/parallel.hpp"
#include "parallel/stop.hpp"
#include "pliant/mpi.hpp"
#include "rows/shard_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <thread>

namespace pliant {
namespace {

using mpi::Communicator;

// What process 0 says to the others.
enum class Word : std::uint8_t {
  round,   ///< whether it may be stopped, requests, one for each shard of the process -> Reply
  end,     ///< whether it asked the others to stop, status, message, x
  failure  ///< whether it asked the others to stop, a text
};
enum class Reply : std::uint8_t { answers, failure, stopped };

// The answers of one process to its requests, or what went wrong.
std::string answer_round(std::vector<Shard>& own, MessageReader& in) {
  try {
    MessageWriter out;
    out.put(Reply::answers);
    for (Shard& shard : own) out.put_text(shard.answer(in.get_text()));
    in.done();
    return out.take();
  } catch (const parallel::Stopped&) {
    return MessageWriter().put(Reply::stopped).take();
  } catch (const std::bad_alloc&) {
    MessageWriter out;
    out.put(Reply::failure).put_text("out of memory");
    return out.take();
  } catch (const std::exception& error) {
    MessageWriter out;
    out.put(Reply::failure).put_text(error.what());
    return out.take();
  }
}

/// Process 0: sends requests to where their shards are. Throws Stopped where a round was stopped, which all have ended.
class Caller {
 public:
  Caller(const Communicator& team, std::vector<Shard>& own, std::vector<Index> shards, int threads)
      : team_(team), own_(own), shards_(std::move(shards)), threads_(threads) {}

  std::vector<std::string> operator()(const std::vector<std::string>& requests) {
    std::vector<std::string> letters;
    std::size_t next = 0;
    const auto may_stop = static_cast<std::uint8_t>(parallel::stop_sign() != nullptr);
    for (const Index count : shards_) {
      MessageWriter letter;
      letter.put(Word::round).put(may_stop);
      for (Index k = 0; k < count; ++k) letter.put_text(requests[next++]);
      letters.push_back(letter.take());
    }
    const std::string own = team_.scatter(letters);
    MessageReader in(own);
    in.get<Word>();
    in.get<std::uint8_t>();
    const mpi::Gathered replies = team_.gather(answer_own(in));
    std::vector<std::string> out;
    bool stopped = false;
    for (std::size_t p = 0; p < replies.texts.size(); ++p) {
      MessageReader reply(replies.texts[p]);
      const auto kind = reply.get<Reply>();
      stopped = stopped || kind == Reply::stopped;
      if (kind == Reply::failure) throw InputError(fmt::format("process {}: {}", p, reply.get_text()));
      for (Index k = 0; kind == Reply::answers && k < shards_[p]; ++k) out.push_back(copy_of(reply.get_text()));
    }
    if (stopped) throw parallel::Stopped{};
    return out;
  }

 private:
  // With the threads of one process: the others of this machine read meanwhile.
  std::string answer_own(MessageReader& in) const {
    const parallel::ThreadScope threads(threads_);
    return answer_round(own_, in);
  }

  const Communicator& team_;
  std::vector<Shard>& own_;
  std::vector<Index> shards_;  // of each process
  int threads_;
};

/// Another process at work: its shards answer on a thread of their own, so that somebody hears of a stop meanwhile.
class Server {
 public:
  Server(const Communicator& team, std::vector<Shard>& own, int threads) : team_(team), own_(own), threads_(threads) {}

  std::string answer(MessageReader& in) {
    const bool may_stop = in.get<std::uint8_t>() != 0;
    std::atomic<bool> stop = false;
    bool done = false;
    std::string out;
    std::mutex mutex;
    std::condition_variable changed;
    std::thread worker([&] {
      const parallel::ThreadScope threads(threads_);
      const parallel::StopSign sign{&stop};
      const parallel::StopScope scope(may_stop ? &sign : nullptr);
      std::string reply = answer_round(own_, in);
      const std::lock_guard lock(mutex);
      out = std::move(reply);
      done = true;
      changed.notify_one();
    });
    constexpr auto kLookEvery = std::chrono::milliseconds(1);
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, kLookEvery, [&] { return done; })) {
      if (team_.told_to_stop()) stop = true;
    }
    lock.unlock();
    worker.join();
    return out;
  }

 private:
  const Communicator& team_;
  std::vector<Shard>& own_;
  int threads_;
};

// Messages that were sent are heard before the communicator goes.
void hear_the_end(const Communicator& team, MessageReader& in) {
  if (in.get<std::uint8_t>() != 0) team.hear_stop();
}

// The others, until the end.
ShardedResult serve(const Communicator& team, std::vector<Shard>& own, const Settings& settings) {
  Server server(team, own, settings.threads);
  for (;;) {
    const std::string letter = team.scatter({});
    MessageReader in(letter);
    switch (in.get<Word>()) {
      case Word::round:
        team.gather(server.answer(in));
        break;
      case Word::failure:
        hear_the_end(team, in);
        throw InputError(std::string(in.get_text()));
      case Word::end: {
        hear_the_end(team, in);
        ShardedResult out;
        out.result.status = in.get<Status>();
        out.result.message = in.get_text();
        out.result.x = in.get_vector();
        return out;
      }
    }
  }
}

MessageWriter last_letter(const Communicator& team, Word word) {
  MessageWriter out;
  out.put(word).put(static_cast<std::uint8_t>(team.asked_to_stop()));
  return out;
}

[[noreturn]] void fail_everywhere(const Communicator& team, const std::string& text) {
  MessageWriter letter = last_letter(team, Word::failure);
  letter.put_text(text);
  team.broadcast(letter.take());
  throw InputError(text);
}

// Process 0 solves, through an exchange that reaches the shards of all; the others answer. Between rounds they sleep, so
// its own steps may take the threads of all processes of its machine, as far as it may use that many cores.
using SolveThere = std::function<ShardedResult(Index shards, const Exchange& exchange, const Settings& settings)>;
ShardedResult solve_as_team(std::vector<Shard>& own, MPI_Comm comm, const Settings& settings, const SolveHooks& hooks,
                            const SolveThere& solve_there) {
  const Communicator team(comm, hooks.interrupt);
  std::vector<Index> shards;
  const mpi::Gathered counts = team.gather(MessageWriter().put(static_cast<Index>(own.size())).take());
  for (const std::string_view count : counts.texts) {
    shards.push_back(MessageReader(count).get<Index>());
  }
  const int each = settings.threads > 0 ? settings.threads : parallel::threads();
  Settings first = settings;
  first.threads = std::min(team.sum_here(each), std::max(each, machine::usable_cores()));
  if (team.rank() != 0) return serve(team, own, settings);
  Index all = 0;
  for (const Index count : shards) all += count;
  ShardedResult out;
  try {
    out = solve_there(all, Caller(team, own, shards, each), first);
  } catch (const mpi::Silence&) {
    throw;  // nobody is left who could be told
  } catch (const std::exception& error) {
    fail_everywhere(team, error.what());
  }
  MessageWriter letter = last_letter(team, Word::end);
  letter.put(out.result.status);
  letter.put_text(out.result.message);
  letter.put_vector(out.result.x);
  team.broadcast(letter.take());
  return out;
}

}  // namespace

std::string first_failure(const std::string& own, MPI_Comm comm) {
  const Communicator team(comm);
  std::string first;
  const mpi::Gathered all = team.gather(own);
  for (std::size_t p = 0; p < all.texts.size() && first.empty(); ++p) {
    if (!all.texts[p].empty()) first = fmt::format("process {}: {}", p, all.texts[p]);
  }
  return team.broadcast(first);
}

ShardedResult solve(const Problem& problem, std::vector<Shard>& own, MPI_Comm comm, const Settings& settings,
                    const SolveHooks& hooks) {
  return solve_as_team(own, comm, settings, hooks, [&](Index shards, const Exchange& exchange, const Settings& first) {
    return solve(problem, shards, exchange, first, hooks);
  });
}

ShardedResult solve(const Problem& problem, const SharedLosses& losses, std::vector<Shard>& own, MPI_Comm comm,
                    const Settings& settings, const SolveHooks& hooks) {
  return solve_as_team(own, comm, settings, hooks, [&](Index shards, const Exchange& exchange, const Settings& first) {
    return solve(problem, losses, shards, exchange, first, hooks);
  });
}

}  // namespace pliant
