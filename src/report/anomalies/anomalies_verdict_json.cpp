// What is concluded, with its words.
#include "report/anomalies/anomalies_verdict_json.h"

#include "report/anomalies/words/answer_words.h"
#include "report/sinks/json_row.h"

namespace lockstep::report::anomalies {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

void write_cause(const analysis::anomalies::SoftCause& cause,
                 const std::vector<std::string>& evidence, sinks::JsonText& text) {
  text.begin_object();
  text.member("label", name_of(cause.label));
  text.member("confidence", name_of(cause.confidence));
  text.member("scope", cause.scope);
  text.member("target_id", cause.target.empty() ? Json(nullptr) : Json(cause.target));
  text.raw_member("bubble_ms", sinks::exact_ms(cause.bubble_time));
  text.member("evidence", evidence);
  text.end_object();
}

void write_recommendation(const analysis::anomalies::Recommendation& one,
                          const RecommendationWords& words, sinks::JsonText& text) {
  text.begin_object();
  text.member("priority", name_of(one.priority));
  text.member("scope", one.scope);
  text.member("target", words.target.empty() ? Json(nullptr) : Json(words.target));
  text.member("action", words.action);
  text.member("followup_required", one.followup_required);
  text.member("evidence_gap",
              words.evidence_gap.empty() ? Json(nullptr) : Json(words.evidence_gap));
  text.end_object();
}

void write_answers(const AnswerWords& answers, sinks::JsonText& text) {
  text.begin_array("five_questions");
  for (std::size_t i = 0; i < kFiveQuestions.size(); ++i) {
    text.raw_element(sinks::JsonRow()
                         .member("question", kFiveQuestions[i])
                         .member("answer", answers[i])
                         .finish());
  }
  text.end_array();
}

}  // namespace lockstep::report::anomalies
