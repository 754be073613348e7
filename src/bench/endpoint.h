// A model behind an OpenAI-compatible HTTP endpoint as a generator (POST …/chat/completions).
#pragma once

#include "bench/generator.h"

namespace pitot::bench {

struct EndpointSettings {
  std::string url;    // of the API: "http://localhost:8000/v1"
  std::string model;  // by the endpoint's name
  // Of the environment variable that holds the key; its value is never printed or kept. Where there
  // is none the request has no authorisation.
  std::string key_variable = "PITOT_API_KEY";
  double temperature = 0.8;
  uint32_t most_tokens = 16384;  // of an answer
  double seconds = 300;          // for one answer
  double stall_seconds = 60;     // without a byte
  uint32_t retries = 4;          // of an answer that did not come: waits double from `wait_seconds`
  double wait_seconds = 1;       // before the first retry; what the endpoint asks for if longer
  double most_wait_seconds = 60;   // at once
  double requests_per_minute = 0;  // 0: as fast as it answers
  bool stream = false;
  std::string name;  // of the generator; empty: the model's
};

// Answers that come late, in pieces, cut off or as rubbish are candidates to be judged; those that
// do not come at all, after all retries, are candidates without a text. Errors: no libcurl
// (kMissing); an endpoint that refuses the request itself (4xx but 408, 409, 425 and 429).
Result<std::unique_ptr<Generator>> endpoint_generator(const EndpointSettings& settings);

// The text of an answer's body, whole or as a stream of events; empty where there is none in it.
std::string answer_text(const std::string& body);

}  // namespace pitot::bench
