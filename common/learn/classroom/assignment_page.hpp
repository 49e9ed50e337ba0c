/// \file
/// What students read of an assignment, in their copy of the course.
#pragma once

#include <string>

#include "learn/core/assignment.hpp"

namespace tut::learn {

/// ASSIGNMENT.md: the exercises with their files and what each part of them is worth, when they are
/// due, what late work is worth, and how work is handed in.
std::string assignment_page(const Assignment& assignment, const Course& course);

/// The course's README.md with a line below its title that leads to ASSIGNMENT.md.
std::string with_word_of_assignment(std::string readme);

}  // namespace tut::learn
