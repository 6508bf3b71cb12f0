// Sorting in parallel: people by their names, those of one name by their age.
#include <algorithm>
#include <cstdio>
#include <evencube/algorithms.hpp>
#include <string>
#include <vector>

struct person {
  std::string name;
  int age;
};

int main() {
  const std::string names[] = {"Ada", "Grace", "Edsger", "Barbara", "Donald", "Tony"};
  std::vector<person> people;
  for (int i = 0; i < 100'000; ++i) {
    people.push_back({names[i % 6], 18 + i % 80 * 37 % 80});
  }
  evencube::runtime rt;
  evencube::parallel_sort(rt, people, std::less<>{}, &person::age);
  evencube::parallel_stable_sort(rt, people, std::less<>{}, &person::name);
  std::printf("%s (%d) to %s (%d)\n", people.front().name.c_str(), people.front().age,
              people.back().name.c_str(), people.back().age);
  const bool sorted =
      std::is_sorted(people.begin(), people.end(), [](const person& a, const person& b) {
        return a.name != b.name ? a.name < b.name : a.age < b.age;
      });
  return sorted ? 0 : 1;
}
