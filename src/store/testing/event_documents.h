// What is published of every type of event, made of its field list and the words of its rule
// (store/area.h): share/schemas/events and the table of docs/formats/events.md.
#pragma once

#include <string>

namespace gittxn::store::testing {

std::string schema_of(const std::string& type);  // the text of its file
std::string event_table();                       // of all types, in the order of the areas
std::string events_document_file();              // its path

}  // namespace gittxn::store::testing
