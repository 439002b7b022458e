// Cuts a stretch at its attention and looks for a feed-forward part in each piece.
#include "analysis/cycles/stream/layer_count.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace lockstep::analysis::cycles {
namespace {

// A piece with at most this share of another one's matrix work may be a part of a layer, ...
constexpr double kPartOfLayer = 0.75;
// ... and where no activation tells, at most this share.
constexpr double kPartOfLayerByGemms = 0.6;

// Of more pieces than these, one is told to be of two layers.
constexpr std::size_t kFewestBesideDouble = 3;

// Between a softmax and its products are a mask, a scale, changes of type, and a look for rows that
// are masked as a whole.
constexpr std::uint32_t kMostBesideSoftmax = 9;

// Of the micro-batches of a pipeline's stage, so many more go forward alone than together.
constexpr std::uint32_t kFewestMicroBatches = 3;

// A layer without attention has at least a product into its mixer and one out of it, ...
constexpr std::uint32_t kFewestGemmsWithoutAttention = 2;
// ... and so many kernels.
constexpr std::uint32_t kShortestLayer = 5;

enum class Anchor : std::uint8_t { kForward, kBackward };

// What lies between one attention kernel and the next.
struct Piece {
  std::uint32_t gemms = 0;
  std::uint32_t norms = 0;
  bool has_feed_forward = false;  // an activation, or experts
};

bool reduces_to_largest(const KernelSymbol& symbol) {
  return symbol.facts.role == kernels::KernelRole::kReduction && symbol.text.contains("MaxOps");
}

// Written out, a norm is a reduction; the largest of scores and whether all are masked are none.
bool is_norm(const KernelSymbol& symbol) {
  if (symbol.facts.role == kernels::KernelRole::kNorm) return true;
  return symbol.facts.role == kernels::KernelRole::kReduction && !reduces_to_largest(symbol) &&
         !symbol.text.contains("and_kernel") && !symbol.text.contains("or_kernel");
}

// Experts reduce too, to find their words; a norm takes a mean or a variance.
bool normalises(const KernelSymbol& symbol) {
  if (symbol.facts.role == kernels::KernelRole::kNorm) return true;
  return symbol.facts.role == kernels::KernelRole::kReduction &&
         (symbol.text.contains("MeanOps") || symbol.text.contains("WelfordOps"));
}

bool is_feed_forward(kernels::KernelRole role) {
  return role == kernels::KernelRole::kActivation || role == kernels::KernelRole::kExpertGemm ||
         role == kernels::KernelRole::kMoeRouting;
}

void add_kernel(const KernelSymbol& symbol, Piece& piece) {
  if (is_matrix_work(symbol.facts.role)) ++piece.gemms;
  if (is_norm(symbol)) ++piece.norms;
  if (is_feed_forward(symbol.facts.role)) piece.has_feed_forward = true;
}

// Marks the softmax kernels that may be attention which is written out: they stand between two
// products, with nothing beside them that chooses, as sampling and routers to experts do.
class WrittenAttention {
 public:
  WrittenAttention(const KernelStream& stream, Iteration kernels, StretchEnd end)
      : start_(kernels.start), is_attention_(kernels.size(), false) {
    for (std::uint32_t i = kernels.start; i < kernels.end; ++i) {
      const kernels::KernelFacts& facts = stream.symbol(i).facts;
      if (is_matrix_work(facts.role)) {
        close();
        continue;
      }
      chooses_ = chooses_ || facts.role == kernels::KernelRole::kSampling ||
                 facts.role == kernels::KernelRole::kMoeRouting ||
                 (!open_.empty() && reduces_to_largest(stream.symbol(i)));
      if (facts.is_softmax) open_.push_back(i);
    }
    if (end == StretchEnd::kRepeats) join_with_head();
  }

  [[nodiscard]] bool holds(std::uint32_t kernel) const { return is_attention_[kernel - start_]; }

  // Leaves those that stand close between their two products, without the norm that every pass
  // begins with.
  void keep_close(const KernelStream& stream) {
    for (std::size_t i = 0; i < is_attention_.size(); ++i) {
      if (is_attention_[i])
        is_attention_[i] = is_near_product(stream, i, -1) && is_near_product(stream, i, +1);
    }
  }

 private:
  void mark(const std::vector<std::uint32_t>& softmaxes) {
    for (const std::uint32_t kernel : softmaxes) is_attention_[kernel - start_] = true;
  }

  [[nodiscard]] bool is_near_product(const KernelStream& stream, std::size_t softmax,
                                     std::ptrdiff_t step) const {
    std::size_t at = softmax;
    for (std::uint32_t i = 0; i < kMostBesideSoftmax; ++i) {
      if (at == (step > 0 ? is_attention_.size() - 1 : 0)) return false;
      at += static_cast<std::size_t>(step);
      const KernelSymbol& symbol = stream.symbol(start_ + at);
      if (is_matrix_work(symbol.facts.role))
        return symbol.facts.role != kernels::KernelRole::kConvolution;
      if (normalises(symbol)) return false;
    }
    return false;
  }

  // What lies before the first product may be cut off from one.
  void close() {
    if (!has_product_) {
      head_ = std::move(open_);
      head_chooses_ = chooses_;
    } else if (!chooses_) {
      mark(open_);
    }
    has_product_ = true;
    chooses_ = false;
    open_.clear();
  }

  void join_with_head() {
    if (!has_product_ || chooses_ || head_chooses_) return;
    mark(head_);
    mark(open_);
  }

  std::uint32_t start_;
  std::vector<bool> is_attention_;
  std::vector<std::uint32_t> open_;  // since the last product
  std::vector<std::uint32_t> head_;
  bool has_product_ = false;
  bool chooses_ = false;
  bool head_chooses_ = false;
};

// Which kernels are attention in a stretch.
struct Anchors {
  const KernelStream& stream;
  std::optional<WrittenAttention> written;  // beside what is named
  bool has_named = false;

  [[nodiscard]] bool holds(std::uint32_t kernel) const {
    return is_named(kernel) || (written && written->holds(kernel));
  }
  [[nodiscard]] bool is_named(std::uint32_t kernel) const {
    return stream.symbol(kernel).facts.is_attention_anchor;
  }
  [[nodiscard]] bool goes_back(std::uint32_t kernel) const {
    return stream.symbol(kernel).facts.attention == kernels::AttentionUse::kBackward;
  }
};

// The pieces behind each anchor of one direction, those without matrix work joined with the next:
// attention of several kernels.
std::vector<Piece> pieces_of(const Anchors& anchors, Iteration kernels, Anchor wanted,
                             StretchEnd end) {
  std::vector<Piece> pieces;
  Piece head;
  for (std::uint32_t i = kernels.start; i < kernels.end; ++i) {
    if (anchors.holds(i) && anchors.goes_back(i) == (wanted == Anchor::kBackward)) {
      if (pieces.empty() || pieces.back().gemms > 0) pieces.emplace_back();
    } else {
      add_kernel(anchors.stream.symbol(i), pieces.empty() ? head : pieces.back());
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

// Where an attention kernel is missing in the middle of equal layers, its layer and the one before
// it are one piece.
bool has_double(const std::vector<Piece>& pieces, const Piece& usual) {
  if (pieces.size() <= kFewestBesideDouble || usual.norms == 0) return false;
  std::size_t doubles = 0;
  for (const Piece& piece : std::span(pieces).first(pieces.size() - 1)) {
    const bool is_usual = piece.gemms == usual.gemms && piece.norms == usual.norms;
    const bool is_double = piece.gemms == 2 * usual.gemms && piece.norms == 2 * usual.norms;
    if (!is_usual && !is_double) return false;
    doubles += is_double ? 1 : 0;
  }
  return doubles == 1;
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
  return static_cast<std::uint32_t>(pieces.size()) + (has_double(pieces, most) ? 1U : 0U) -
         static_cast<std::uint32_t>(std::ranges::count_if(pieces, is_part));
}

// What lies between one backward attention and the next, where it has forward attention.
std::vector<Iteration> ways_forward(const Anchors& anchors, Iteration kernels) {
  std::vector<Iteration> ways;
  Iteration here{kernels.start, kernels.start};
  bool goes_forward = false;
  for (std::uint32_t i = kernels.start; i <= kernels.end; ++i) {
    const bool is_last = i == kernels.end;
    const bool is_anchor = !is_last && anchors.holds(i);
    const bool goes_back = is_anchor && anchors.goes_back(i);
    goes_forward = goes_forward || (is_anchor && !goes_back);
    if (!goes_back && !is_last) continue;
    here.end = i;
    if (goes_forward) ways.push_back(here);
    goes_forward = false;
    here.start = i;
  }
  return ways;
}

// Attention that is written out has matrix work between one softmax and the next.
bool is_written_out(const std::vector<Piece>& pieces) {
  return std::ranges::all_of(pieces, [&](const Piece& piece) {
    return &piece == &pieces.back() ||
           (piece.gemms >= kFewestGemmsInLayer && piece.gemms <= kMostGemmsInLayer);
  });
}

std::uint32_t layers_of(const Anchors& anchors, Iteration kernels, Anchor direction,
                        StretchEnd end) {
  const std::vector<Piece> pieces = pieces_of(anchors, kernels, direction, end);
  if (!anchors.has_named && !is_written_out(pieces)) return 0;
  return whole_layers(pieces, end);
}

bool has_written(const Anchors& anchors, Iteration kernels) {
  for (std::uint32_t i = kernels.start; i < kernels.end; ++i) {
    if (anchors.written->holds(i)) return true;
  }
  return false;
}

// The most layers of a way forward. But in a stage of a pipeline several micro-batches go forward
// before the first goes back: then more ways have the layers of one. Where more go forward than
// back, backward computes them again.
std::uint32_t layers_forward(const Anchors& anchors, Iteration kernels, std::uint32_t backward) {
  std::map<std::uint32_t, std::uint32_t> ways;  // by layers
  std::uint32_t all = 0;
  for (const Iteration& way : ways_forward(anchors, kernels)) {
    const std::uint32_t layers = layers_of(anchors, way, Anchor::kForward, StretchEnd::kEnds);
    ++ways[layers];
    all += layers;
  }
  if (ways.empty()) return 0;
  const auto longest = std::prev(ways.end());
  if (all != backward) return longest->first;
  for (auto way = ways.begin(); way != longest; ++way) {
    const bool is_of_several = way->first > 1 && longest->first % way->first == 0;
    if (is_of_several && way->second >= kFewestMicroBatches * longest->second) return way->first;
  }
  return longest->first;
}

std::uint32_t layers_by(const Anchors& anchors, Iteration kernels, StretchEnd end) {
  const std::uint32_t backward = layers_of(anchors, kernels, Anchor::kBackward, end);
  // Micro-steps run the same layers again.
  const std::uint32_t once = backward > 0 ? layers_forward(anchors, kernels, backward) : 0;
  const std::uint32_t forward =
      once > 0 ? once : layers_of(anchors, kernels, Anchor::kForward, end);
  return forward > 0 && backward > 0 ? std::min(forward, backward) : std::max(forward, backward);
}

}  // namespace

bool is_matrix_work(kernels::KernelRole role) {
  return role == kernels::KernelRole::kGemm || role == kernels::KernelRole::kExpertGemm ||
         role == kernels::KernelRole::kConvolution;
}

std::vector<bool> written_attention(const KernelStream& stream) {
  const Iteration all{0, static_cast<std::uint32_t>(stream.size())};
  const WrittenAttention written(stream, all, StretchEnd::kEnds);
  std::vector<bool> is_attention(stream.size(), false);
  for (std::uint32_t i = 0; i < all.end; ++i) is_attention[i] = written.holds(i);
  return is_attention;
}

bool is_layer_without_attention(const KernelStream& stream, Iteration body) {
  if (body.size() < kShortestLayer) return false;
  std::uint32_t products = 0;
  std::uint32_t norms = 0;
  for (std::uint32_t i = body.start; i < body.end; ++i) {
    const kernels::KernelFacts& facts = stream.symbol(i).facts;
    if (facts.is_attention_anchor) return false;
    if (facts.role == kernels::KernelRole::kOptimizer) return false;
    products += facts.role == kernels::KernelRole::kGemm ? 1 : 0;
    norms += normalises(stream.symbol(i)) ? 1 : 0;
  }
  return products >= kFewestGemmsWithoutAttention && norms > 0 &&
         count_layers(stream, body, StretchEnd::kRepeats) == 0;
}

std::uint32_t count_layers(const KernelStream& stream, Iteration kernels, StretchEnd end) {
  std::uint32_t named = 0;
  std::uint32_t gemms = 0;
  for (std::uint32_t i = kernels.start; i < kernels.end; ++i) {
    const kernels::KernelFacts& facts = stream.symbol(i).facts;
    named += facts.is_attention_anchor ? 1 : 0;
    gemms += is_matrix_work(facts.role) ? 1 : 0;
  }
  if (gemms == 0) return named;  // names that nobody knows
  Anchors anchors{stream, WrittenAttention(stream, kernels, end), named > 0};
  if (named == 0) {
    std::uint32_t softmaxes = 0;
    for (std::uint32_t i = kernels.start; i < kernels.end; ++i)
      softmaxes += anchors.holds(i) ? 1 : 0;
    return stand_for_attention(softmaxes, gemms) ? layers_by(anchors, kernels, end) : 0;
  }
  // Where a model adds something to the scores of some of its attention (T5: places, but not where
  // it looks at the encoder), libraries name the rest alone.
  anchors.written->keep_close(stream);
  const std::uint32_t layers = has_written(anchors, kernels) ? layers_by(anchors, kernels, end) : 0;
  if (layers > 0) return layers;
  anchors.written.reset();
  return layers_by(anchors, kernels, end);
}

}  // namespace lockstep::analysis::cycles
