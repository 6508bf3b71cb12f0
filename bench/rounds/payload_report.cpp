#include <iomanip>
#include <iostream>
#include <sstream>

#include "payload.hpp"

namespace bench::payload {

std::string json_of(const std::vector<row>& rows) {
  std::ostringstream text;
  for (const auto& r : rows) {
    text << (&r == rows.data() ? "" : ",") << "{\"between\":\""
         << (r.between_ranks ? "ranks" : "workers") << "\",\"places\":" << r.places
         << ",\"kib\":" << r.kib << ",\"transmission\":\"" << r.transmission
         << "\",\"first\":" << bench::json_of(r.first) << ",\"even\":" << bench::json_of(r.even)
         << ",\"all\":" << bench::json_of(r.all)
         << ",\"even_of_phased\":" << bench::json_of(r.even_of_phased)
         << ",\"all_of_phased\":" << bench::json_of(r.all_of_phased) << "}";
  }
  return text.str();
}

void print(const std::vector<row>& rows, const settings& how) {
  std::cout << how.balancer << ", " << per_place
            << " tasks for each place, all at place 0, each with data that its receiver copies: "
               "microseconds\nuntil every place has begun a task, until the round has ended, and "
               "until all tasks have (medians)\n"
            << "places          KiB  transmission        first      even       all   even of "
               "phased         all of phased\n"
            << std::fixed;
  for (const auto& r : rows) {
    std::cout << std::setw(2) << r.places << ' ' << std::left << std::setw(9)
              << (r.between_ranks ? "ranks" : "workers") << std::right << std::setw(7) << r.kib
              << "  " << std::left << std::setw(15) << r.transmission << std::right
              << std::setprecision(0) << std::setw(10) << r.first.median * 1e6 << std::setw(10)
              << r.even.median * 1e6 << std::setw(10) << r.all.median * 1e6 << std::setprecision(2)
              << std::setw(8) << r.even_of_phased.median << " [" << r.even_of_phased.min << " .. "
              << r.even_of_phased.max << "]" << std::setw(8) << r.all_of_phased.median << " ["
              << r.all_of_phased.min << " .. " << r.all_of_phased.max << "]\n";
  }
}

}  // namespace bench::payload
