// The part of fmt that is compiled, for liblockstep_session.so alone, which carries its own: the
// machines of its users need not have the shared library. session.map hides it.
//
// This is what fmt's own src/format.cc is made of; -z defs at linking tells where another version
// of fmt has more of it.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;

}  // namespace detail
FMT_END_NAMESPACE
