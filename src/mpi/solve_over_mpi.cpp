#include "mpi/communicator.hpp"
#include "parallel/parallel.hpp"
#include "pliant/mpi.hpp"
#include "rows/shard_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

namespace pliant {
namespace {

using mpi::Communicator;

// What process 0 says to the others.
enum class Word : std::uint8_t {
  round,   ///< requests, one for each shard of the process -> Reply
  end,     ///< status, message, x
  failure  ///< a text
};
enum class Reply : std::uint8_t { answers, failure };

void put_text(std::string_view text, MessageWriter& out) {
  out.put_array(std::span<const char>(text.data(), text.size()));
}

std::string get_text(MessageReader& in) {
  const std::vector<char> text = in.get_list<char>();
  return {text.begin(), text.end()};
}

// The answers of one process to its requests, or what went wrong.
std::string answer_round(std::vector<Shard>& own, MessageReader& in) {
  try {
    MessageWriter out;
    out.put(Reply::answers);
    for (Shard& shard : own) put_text(shard.answer(get_text(in)), out);
    in.done();
    return out.take();
  } catch (const std::bad_alloc&) {
    MessageWriter out;
    put_text("out of memory", out.put(Reply::failure));
    return out.take();
  } catch (const std::exception& error) {
    MessageWriter out;
    put_text(error.what(), out.put(Reply::failure));
    return out.take();
  }
}

/// Process 0: sends requests to where their shards are.
class Caller {
 public:
  Caller(const Communicator& team, std::vector<Shard>& own, std::vector<Index> shards)
      : team_(team), own_(own), shards_(std::move(shards)) {}

  std::vector<std::string> operator()(const std::vector<std::string>& requests) {
    std::vector<std::string> letters;
    std::size_t next = 0;
    for (const Index count : shards_) {
      MessageWriter letter;
      letter.put(Word::round);
      for (Index k = 0; k < count; ++k) put_text(requests[next++], letter);
      letters.push_back(letter.take());
    }
    const std::string own = team_.scatter(letters);
    MessageReader in(own);
    in.get<Word>();
    const std::vector<std::string> replies = team_.gather(answer_round(own_, in));
    std::vector<std::string> out;
    for (std::size_t p = 0; p < replies.size(); ++p) {
      MessageReader reply(replies[p]);
      if (reply.get<Reply>() == Reply::failure) {
        throw InputError(fmt::format("process {}: {}", p, get_text(reply)));
      }
      for (Index k = 0; k < shards_[p]; ++k) out.push_back(get_text(reply));
    }
    return out;
  }

 private:
  const Communicator& team_;
  std::vector<Shard>& own_;
  std::vector<Index> shards_;  // of each process
};

// The others, until the end.
ShardedResult serve(const Communicator& team, std::vector<Shard>& own, const Settings& settings) {
  const parallel::ThreadScope threads(settings.threads);
  for (;;) {
    const std::string letter = team.scatter({});
    MessageReader in(letter);
    switch (in.get<Word>()) {
      case Word::round:
        team.gather(answer_round(own, in));
        break;
      case Word::failure:
        throw InputError(get_text(in));
      case Word::end: {
        ShardedResult out;
        out.result.status = in.get<Status>();
        out.result.message = get_text(in);
        out.result.x = in.get_vector();
        return out;
      }
    }
  }
}

[[noreturn]] void fail_everywhere(const Communicator& team, const std::string& text) {
  MessageWriter letter;
  put_text(text, letter.put(Word::failure));
  team.broadcast(letter.take());
  throw InputError(text);
}

}  // namespace

std::string first_failure(const std::string& own, MPI_Comm comm) {
  const Communicator team(comm);
  std::string first;
  const std::vector<std::string> all = team.gather(own);
  for (std::size_t p = 0; p < all.size() && first.empty(); ++p) {
    if (!all[p].empty()) first = fmt::format("process {}: {}", p, all[p]);
  }
  return team.broadcast(first);
}

ShardedResult solve(const Problem& problem, std::vector<Shard>& own, MPI_Comm comm, const Settings& settings,
                    const SolveHooks& hooks) {
  const Communicator team(comm, hooks.interrupt);
  std::vector<Index> shards;
  for (const std::string& count : team.gather(MessageWriter().put(static_cast<Index>(own.size())).take())) {
    shards.push_back(MessageReader(count).get<Index>());
  }
  if (team.rank() != 0) return serve(team, own, settings);
  Index all = 0;
  for (const Index count : shards) all += count;
  ShardedResult out;
  try {
    out = solve(problem, all, Caller(team, own, shards), settings, hooks);
  } catch (const mpi::Silence&) {
    throw;  // nobody is left who could be told
  } catch (const std::exception& error) {
    fail_everywhere(team, error.what());
  }
  MessageWriter letter;
  letter.put(Word::end).put(out.result.status);
  put_text(out.result.message, letter);
  letter.put_vector(out.result.x);
  team.broadcast(letter.take());
  return out;
}

}  // namespace pliant
