// Cuts a stretch at its attention and looks for a feed-forward part in each piece.
#include "analysis/cycles/stream/layer_count.h"

#include <algorithm>
#include <vector>

namespace lockstep::analysis::cycles {
namespace {

// A piece with at most this share of another one's matrix work may be a part of a layer, ...
constexpr double kPartOfLayer = 0.75;
// ... and where no activation tells, at most this share.
constexpr double kPartOfLayerByGemms = 0.6;

enum class Anchor : std::uint8_t { kForward, kBackward };

// What lies between one attention kernel and the next.
struct Piece {
  std::uint32_t gemms = 0;
  std::uint32_t norms = 0;
  bool has_feed_forward = false;  // an activation, or experts
};

bool is_feed_forward(kernels::KernelRole role) {
  return role == kernels::KernelRole::kActivation || role == kernels::KernelRole::kExpertGemm ||
         role == kernels::KernelRole::kMoeRouting;
}

void add_kernel(const kernels::KernelFacts& facts, Piece& piece) {
  if (is_matrix_work(facts.role)) ++piece.gemms;
  if (facts.role == kernels::KernelRole::kNorm || facts.role == kernels::KernelRole::kReduction)
    ++piece.norms;
  if (is_feed_forward(facts.role)) piece.has_feed_forward = true;
}

// The pieces behind each anchor of one direction, those without matrix work joined with the next:
// attention of several kernels.
std::vector<Piece> pieces_of(const KernelStream& stream, Iteration kernels, Anchor wanted,
                             bool by_softmax, StretchEnd end) {
  std::vector<Piece> pieces;
  Piece head;
  for (std::uint32_t i = kernels.start; i < kernels.end; ++i) {
    const kernels::KernelFacts& facts = stream.symbol(i).facts;
    const bool goes_back = facts.attention == kernels::AttentionUse::kBackward;
    const bool is_anchor = by_softmax ? facts.is_softmax : facts.is_attention_anchor;
    if (is_anchor && goes_back == (wanted == Anchor::kBackward)) {
      if (pieces.empty() || pieces.back().gemms > 0) pieces.emplace_back();
    } else {
      add_kernel(facts, pieces.empty() ? head : pieces.back());
    }
  }
  if (pieces.empty() || end == StretchEnd::kEnds) return pieces;
  Piece& last = pieces.back();
  if (last.gemms + head.gemms == 0 && pieces.size() > 1) {
    pieces.pop_back();
    return pieces;
  }
  last.gemms += head.gemms;
  last.norms += head.norms;
  last.has_feed_forward = last.has_feed_forward || head.has_feed_forward;
  return pieces;
}

// What pieces usually have where they have much: three quarters have no more. The last one ends
// with what is behind the layers, and is left out where there are others.
Piece usual(std::vector<Piece> pieces) {
  if (pieces.size() > 2) pieces.pop_back();
  Piece most;
  const std::size_t place = 3 * pieces.size() / 4;
  std::ranges::sort(pieces, {}, &Piece::norms);
  most.norms = pieces[place].norms;
  std::ranges::sort(pieces, {}, &Piece::gemms);
  most.gemms = pieces[place].gemms;
  most.has_feed_forward = std::ranges::any_of(pieces, &Piece::has_feed_forward);
  return most;
}

// A piece is a part of a layer where it has no feed-forward part and clearly less work than those
// that do. A pass ends with a whole layer, whose piece lacks the projections of the next.
std::uint32_t whole_layers(const std::vector<Piece>& pieces, StretchEnd end) {
  if (pieces.empty()) return 0;
  const Piece most = usual(pieces);
  if (most.gemms < kFewestGemmsInLayer) return static_cast<std::uint32_t>(pieces.size());
  const double share = most.has_feed_forward ? kPartOfLayer : kPartOfLayerByGemms;
  const auto is_part = [&](const Piece& piece) {
    if (end == StretchEnd::kEnds && &piece == &pieces.back()) return false;
    return !piece.has_feed_forward && piece.gemms <= share * most.gemms &&
           2 * piece.norms <= most.norms;
  };
  return static_cast<std::uint32_t>(pieces.size()) -
         static_cast<std::uint32_t>(std::ranges::count_if(pieces, is_part));
}

// Attention that is written out has matrix work between one softmax and the next.
bool is_written_out(const std::vector<Piece>& pieces) {
  return std::ranges::all_of(pieces, [&](const Piece& piece) {
    return &piece == &pieces.back() ||
           (piece.gemms >= kFewestGemmsInLayer && piece.gemms <= kMostGemmsInLayer);
  });
}

std::uint32_t layers_of(const KernelStream& stream, Iteration kernels, Anchor direction,
                        bool by_softmax, StretchEnd end) {
  const std::vector<Piece> pieces = pieces_of(stream, kernels, direction, by_softmax, end);
  if (by_softmax && !is_written_out(pieces)) return 0;
  return whole_layers(pieces, end);
}

}  // namespace

bool is_matrix_work(kernels::KernelRole role) {
  return role == kernels::KernelRole::kGemm || role == kernels::KernelRole::kExpertGemm ||
         role == kernels::KernelRole::kConvolution;
}

std::uint32_t count_layers(const KernelStream& stream, Iteration kernels, StretchEnd end) {
  std::uint32_t anchors = 0;
  std::uint32_t softmaxes = 0;
  std::uint32_t gemms = 0;
  for (std::uint32_t i = kernels.start; i < kernels.end; ++i) {
    const kernels::KernelFacts& facts = stream.symbol(i).facts;
    anchors += facts.is_attention_anchor ? 1 : 0;
    softmaxes += facts.is_softmax ? 1 : 0;
    gemms += is_matrix_work(facts.role) ? 1 : 0;
  }
  const bool by_softmax = anchors == 0;
  if (by_softmax && !stand_for_attention(softmaxes, gemms)) return 0;
  if (gemms == 0) return anchors;  // names that nobody knows
  const std::uint32_t forward = layers_of(stream, kernels, Anchor::kForward, by_softmax, end);
  const std::uint32_t backward = layers_of(stream, kernels, Anchor::kBackward, by_softmax, end);
  return forward > 0 && backward > 0 ? std::min(forward, backward) : std::max(forward, backward);
}

}  // namespace lockstep::analysis::cycles
