// The logs that lie beside a copied database.
#pragma once

#include <string>

#include "base/diagnostics.h"
#include "base/result.h"

namespace lockstep::formats::sqlite {

extern const DiagnosticKind kLogNotApplied;
extern const DiagnosticKind kLogNotWhole;
extern const DiagnosticKind kJournalNotWhole;

// Lets SQLite apply the logs of a private copy, which is then a database like any other. What it
// did not take is a finding, and so is what it would not notice. An error where the folder of the
// copy is to blame: its name is too long, or its disk fails.
[[nodiscard]] Status apply_logs(const std::string& copy, Diagnostics& diagnostics);

}  // namespace lockstep::formats::sqlite
