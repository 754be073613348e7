// Makes a random program that shows a difference smaller.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "property/random_program.h"

namespace pitot::property {

using Body = std::vector<Statement>;

// Every body of the program, those of its functions first.
std::vector<Body*> bodies_of(RandomProgram& p);
// Drops statements.
void remove(RandomProgram& p, const std::set<const Statement*>& gone);
// Drops statements and threads, or puts the inside of a statement in its place, while `test`
// holds; it is asked at most `tries` times.
RandomProgram shrunk(RandomProgram p, const std::function<bool(const RandomProgram&)>& test,
                     int tries = 600);
// The statements alone: the frame program is the same everywhere.
std::string statements_text(const RandomProgram& p);

}  // namespace pitot::property
