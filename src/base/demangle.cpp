// demangled(): LLVM's demangler, with limits on what a name may cost. Names come from strangers: a
// mangled one may nest as deep as it is long, and each reference in it (S1_, T0_) can double what
// is printed.
#include <llvm/Demangle/ItaniumDemangle.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/letters.h"
#include "base/text.h"

// Declared by LLVM's header and defined outside of it.
//   <discriminator> ::= _ <digit>            # up to 10
//                   ::= __ <digit>+ _        # from 10 on
//   extension       ::= <digit>+             # at the end of the name
const char* lockstep::itanium_demangle::parse_discriminator(const char* first, const char* last) {
  const auto digits_end = [&](const char* at) {
    return std::find_if_not(at, last, [](char c) { return lockstep::is_digit(c); });
  };
  if (first == last) return first;
  if (lockstep::is_digit(*first)) return digits_end(first) == last ? last : first;
  if (*first != '_' || first + 1 == last) return first;
  if (lockstep::is_digit(first[1])) return first + 2;
  if (first[1] != '_') return first;
  const char* const end = digits_end(first + 2);
  return end != first + 2 && end != last && *end == '_' ? end + 1 : first;
}

namespace lockstep {
namespace {

namespace itanium = itanium_demangle;

// Real names of kernels stay far below all of these: of the largest that templates of cutlass make,
// the mangled name has some 10,000 bytes, the demangled one 30,000, and types nest 60 deep.
constexpr std::size_t kMaxMangledBytes = std::size_t{32} << 10;
constexpr std::size_t kMaxShownBytes = std::size_t{64} << 10;  // nobody reads a longer one
constexpr std::size_t kMaxDepth = 400;  // calls of the parser, or of the printer, inside each other
// Calls of the parser and of the printer: so many, and so many more for each byte of the name.
constexpr std::size_t kFreeCalls = 4096;
constexpr std::size_t kCallsPerByte = 32;

// Thrown through LLVM's printer, which cleans up behind itself, and caught by demangled(). Its
// parser gives up without: to unwind hundreds of calls takes longer than all of the parsing before.
struct NameCostsTooMuch final : std::exception {};

// What is left to spend on one name.
class Budget {
 public:
  explicit Budget(std::size_t mangled_bytes)
      : calls_left_(kFreeCalls + kCallsPerByte * mangled_bytes) {}

  // Once it is spent it stays so: whoever goes on after a call that failed gets nowhere.
  [[nodiscard]] bool is_spent() const { return calls_left_ == 0; }

  // One call, until it is destroyed. Where is_spent() says so behind it, it may not be made.
  class Call {
   public:
    explicit Call(Budget& budget) : budget_(budget) {
      if (++budget.depth_ > kMaxDepth) budget.calls_left_ = 0;
      if (budget.calls_left_ > 0) --budget.calls_left_;
    }
    ~Call() { --budget_.depth_; }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    Budget& budget_;
  };

 private:
  std::size_t calls_left_;
  std::size_t depth_ = 0;
};

// Memory for the nodes of one name, given back at once.
class NodeArena {
 public:
  template <typename T, typename... Args>
  T* makeNode(Args&&... args) {
    return new (take(sizeof(T))) T(std::forward<Args>(args)...);
  }
  void* allocateNodeArray(std::size_t count) { return take(count * sizeof(itanium::Node*)); }
  void reset() { blocks_.clear(); }

 private:
  static constexpr std::size_t kBlockBytes = 4096;

  // Never null, not even for nothing.
  void* take(std::size_t bytes) {
    bytes = std::max(bytes, std::size_t{1});
    bytes = (bytes + alignof(std::max_align_t) - 1) & ~(alignof(std::max_align_t) - 1);
    if (bytes > left_) {
      left_ = std::max(bytes, kBlockBytes);
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(left_));
      next_ = blocks_.back().get();
    }
    left_ -= bytes;
    return std::exchange(next_, next_ + bytes);
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
};

// LLVM's parser. Whatever of it calls itself does so through one of these, and takes null for a
// name that is none.
class BoundedParser : public itanium::AbstractManglingParser<BoundedParser, NodeArena> {
  using Parser = itanium::AbstractManglingParser<BoundedParser, NodeArena>;
  using Node = itanium::Node;

 public:
  BoundedParser(std::string_view name, Budget& budget)
      : Parser(name.data(), name.data() + name.size()), budget_(budget) {}

  Node* parseType() {
    return counted([&] { return Parser::parseType(); });
  }
  Node* parseQualifiedType() {
    return counted([&] { return Parser::parseQualifiedType(); });
  }
  Node* parseExpr() {
    return counted([&] { return Parser::parseExpr(); });
  }
  Node* parseBracedExpr() {
    return counted([&] { return Parser::parseBracedExpr(); });
  }
  Node* parseTemplateArg() {
    return counted([&] { return Parser::parseTemplateArg(); });
  }
  Node* parseTemplateParamDecl(TemplateParamList* params) {
    return counted([&] { return Parser::parseTemplateParamDecl(params); });
  }
  Node* parseName(NameState* state = nullptr) {
    return counted([&] { return Parser::parseName(state); });
  }
  Node* parseEncoding(bool parse_parameters = true) {
    return counted([&] { return Parser::parseEncoding(parse_parameters); });
  }

 private:
  template <typename Parse>
  Node* counted(Parse parse) {
    const Budget::Call call(budget_);
    return budget_.is_spent() ? nullptr : parse();
  }

  Budget& budget_;
};

// LLVM's buffer for the demangled name. Nodes print each other through it.
class BoundedOutput final : public itanium::OutputBuffer {
 public:
  explicit BoundedOutput(Budget& budget) : budget_(budget) {}
  ~BoundedOutput() override { std::free(getBuffer()); }
  BoundedOutput(const BoundedOutput&) = delete;
  BoundedOutput& operator=(const BoundedOutput&) = delete;

  void printLeft(const itanium::Node& node) override {
    const Budget::Call call(budget_);
    check();
    OutputBuffer::printLeft(node);
    check();
  }
  void printRight(const itanium::Node& node) override {
    const Budget::Call call(budget_);
    check();
    OutputBuffer::printRight(node);
    check();
  }

 private:
  void check() const {
    if (budget_.is_spent() || getCurrentPosition() > kMaxShownBytes) throw NameCostsTooMuch();
  }

  Budget& budget_;
};

// Empty where it is not one, or costs too much.
std::string demangled_by_llvm(std::string_view mangled) {
  Budget budget(mangled.size());
  BoundedParser parser(mangled, budget);
  const itanium::Node* const root = parser.parse();
  if (root == nullptr || budget.is_spent()) return {};
  BoundedOutput output(budget);
  root->print(output);
  return std::string(std::string_view(output));
}

}  // namespace

std::string demangled(std::string_view name) {
  for (const std::string_view descriptor : {".kd", " [clone .kd]"}) {
    if (name.ends_with(descriptor)) name.remove_suffix(descriptor.size());
  }
  if (!name.starts_with("_Z") || name.size() > kMaxMangledBytes) return std::string(name);
  try {
    std::string text = demangled_by_llvm(name);
    if (!text.empty()) return text;
  } catch (const NameCostsTooMuch&) {
  } catch (const std::logic_error&) {
  }
  return std::string(name);
}

}  // namespace lockstep
