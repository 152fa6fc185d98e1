#include "pliant/rank_update_panel.hpp"

#include "parallel/parallel.hpp"

namespace pliant {

RankUpdatePanel::RankUpdatePanel(MatrixRef H)
    : H_(H), n_(H.rows()), data_(parallel::scratch(parallel::Scratch::block, (2 * kColumns + 1) * n_)) {}

}  // namespace pliant
