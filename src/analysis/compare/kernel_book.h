// The kernel names of two traces under one numbering, and how alike two of them are.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/operations.h"
#include "analysis/cycles/stream/kernel_stream.h"
#include "trace/trace.h"

namespace lockstep::analysis::compare {

// Number of a name in the book; equal in both traces where the names are.
using KernelClass = std::uint32_t;

struct KernelEntry {
  std::string name;  // demangled
  std::string raw_name;
  std::uint32_t signature = 0;
  kernels::KernelFacts facts;
  bool is_helper = false;  // finishes what a GEMM or an attention kernel before it began
  OperationSet mentions;   // operations that its name says
  OperationSet contents;   // and those that its role implies
};

// From most to least alike.
enum class Likeness : std::uint8_t {
  kSameName,
  kSameSignature,  // and the same operations
  kSameOperation,  // and the same role: mul on one vendor, mul on the other
  kSameRole,       // of a role that says much: GEMM, attention, norm, ...
  kNearRole,       // both elementwise, or copies, or reductions; or a helper and what it helps
  kNearOperation,  // other roles, but a common operation
  kUnknown,        // nothing is known about one of them
  kNone,
};

class KernelBook {
 public:
  // The class of every symbol of a stream, by symbol.
  std::vector<KernelClass> enter(const trace::Trace& trace, const cycles::KernelStream& stream);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const KernelEntry& operator[](KernelClass kernel) const { return entries_[kernel]; }
  [[nodiscard]] Likeness likeness(KernelClass a, KernelClass b) const;
  // Whether `whole` may do the work of `part` among that of others.
  [[nodiscard]] bool may_contain(KernelClass whole, KernelClass part) const;

 private:
  std::vector<KernelEntry> entries_;
  std::map<std::pair<std::string, bool>, KernelClass, std::less<>> by_name_;
  std::map<std::string, std::uint32_t, std::less<>> signatures_;
};

// Likeness of kernels of two bodies. A role is weak evidence for two names that both bodies know:
// they are two kernels, and more likely one of them moved than that one replaced the other.
class BodyLikeness {
 public:
  BodyLikeness(const KernelBook& book, std::span<const KernelClass> a,
               std::span<const KernelClass> b);

  [[nodiscard]] const KernelBook& book() const { return book_; }
  [[nodiscard]] Likeness operator()(KernelClass a, KernelClass b) const;
  [[nodiscard]] bool is_in_both(KernelClass kernel) const { return is_in_both_[kernel]; }

 private:
  const KernelBook& book_;
  std::vector<bool> is_in_both_;  // by class
};

}  // namespace lockstep::analysis::compare
