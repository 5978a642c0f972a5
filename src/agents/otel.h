// OpenTelemetry spans in OTLP's JSON -> observations of source "declared": what a framework says
// that its tools were asked for. Attribute names are those of the GenAI semantic conventions,
// OpenInference and OpenLLMetry; anything else is ignored.
#pragma once

#include <string_view>

#include "agents/observation.h"

namespace gittxn::agents {

inline constexpr std::size_t kMaxOtelFile = 64u << 20;

// A whole export: one ExportTraceServiceRequest, or one a line, as the collector's file exporter
// writes them. A span with a tool's name and file arguments gives reads, and writes when the tool's
// name says so; one with token counts gives usage. tally.lines counts spans; a text that is neither
// form, or larger than kMaxOtelFile, is one damaged line.
void observe_otel(std::string_view text, const Sink& sink, Tally& tally);

}  // namespace gittxn::agents
