#include <evencube/balancers/registry.hpp>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <stdexcept>

#include <evencube/detail/number_text.hpp>

#include "builtin.hpp"

namespace evencube {
namespace {

/// A balancer of the library. Its descriptor is made again for each caller, so nothing is stored.
struct builtin_one {
  std::string_view name;
  balancer_descriptor (*describe)();
};

// A constant, which exists before main and after all destructors. So a forked child finds no
// half-made list, and a library that is loaded and unloaded leaves nothing behind.
constexpr builtin_one builtin_ones[] = {
    {"none", &builtin::describe_none},
    {"dem", &builtin::describe_dem},
    {"oem", &builtin::describe_oem},
    {"cwa", &builtin::describe_cwa},
    {"hybrid", &builtin::describe_hybrid},
    {"diffusion", &builtin::describe_diffusion},
    {"matching", &builtin::describe_matching},
    {"gradient", &builtin::describe_gradient},
    {"sender_initiated", &builtin::describe_sender_initiated},
    {"receiver_initiated", &builtin::describe_receiver_initiated},
    {"dispatcher", &builtin::describe_dispatcher},
    {"prediction", &builtin::describe_prediction},
    {"locality", &builtin::describe_locality},
    {"optimal", &builtin::describe_optimal},
    {"rotate", &builtin::describe_rotate},
    {"random", &builtin::describe_random}};

const builtin_one* find_builtin(std::string_view name) noexcept {
  for (const builtin_one& one : builtin_ones) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

/// A balancer that a program has registered. It is never removed.
struct registered {
  balancer_descriptor what;
  const registered* before = nullptr;
};

// The latest registered balancer. There is no lock, because a forked child could inherit a lock
// held by a thread of its parent.
constinit std::atomic<const registered*> latest{nullptr};

/// The registered balancer of that name, among those up to `last`, or null.
const balancer_descriptor* find_registered(std::string_view name, const registered* last) noexcept {
  for (const registered* r = last; r != nullptr; r = r->before) {
    if (r->what.name == name) return &r->what;
  }
  return nullptr;
}

[[noreturn]] void refuse_value(std::string_view name, const std::string& value,
                               const std::string& allowed) {
  throw std::invalid_argument("option " + std::string(name) + " is \"" + value + "\", allowed " +
                              allowed);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

const std::string& text_of(const balancer_options& options, std::string_view name) {
  const auto found = options.find(name);
  if (found == options.end()) {
    throw std::invalid_argument("option " + std::string(name) + " is missing");
  }
  return found->second;
}

}  // namespace

std::vector<balancer_descriptor> registered_balancers() {
  std::vector<balancer_descriptor> all;
  for (const builtin_one& one : builtin_ones) all.push_back(one.describe());
  // Acquire, here and below: pairs with the release in `register_balancer`.
  const registered* r = latest.load(std::memory_order_acquire);
  for (; r != nullptr; r = r->before) all.push_back(r->what);
  std::reverse(all.begin() + std::ssize(builtin_ones), all.end());
  return all;
}

balancer_descriptor describe_balancer(std::string_view name) {
  if (const auto* const own = find_builtin(name)) return own->describe();
  const auto* const found = find_registered(name, latest.load(std::memory_order_acquire));
  if (found != nullptr) return *found;
  std::vector<std::string> known;
  for (const auto& entry : registered_balancers()) known.push_back(entry.name);
  throw std::invalid_argument("unknown balancer \"" + std::string(name) + "\", known are " +
                              joined(known));
}

void register_balancer(balancer_descriptor descriptor) {
  if (descriptor.name.empty()) throw std::invalid_argument("a balancer needs a name");
  if (!descriptor.make) {
    throw std::invalid_argument("balancer \"" + descriptor.name + "\" has no make function");
  }
  auto made = std::make_unique<registered>();
  made->what = std::move(descriptor);
  made->before = latest.load(std::memory_order_acquire);
  do {
    if (find_builtin(made->what.name) != nullptr ||
        find_registered(made->what.name, made->before) != nullptr) {
      throw std::invalid_argument("a balancer named \"" + made->what.name + "\" exists already");
    }
    // Release: pairs with the acquires above and in the exchange.
  } while (!latest.compare_exchange_weak(made->before, made.get(), std::memory_order_acq_rel,
                                         std::memory_order_acquire));
  static_cast<void>(made.release());  // kept for as long as the process lives
}

balancer_options complete_options(const balancer_descriptor& descriptor,
                                  const balancer_options& options) {
  balancer_options complete;
  std::vector<std::string> known;
  for (const auto& option : descriptor.options) {
    known.push_back(option.name);
    const auto given = options.find(option.name);
    const std::string& value = given != options.end() ? given->second : option.default_value;
    if (!option.choices.empty() &&
        std::find(option.choices.begin(), option.choices.end(), value) == option.choices.end()) {
      refuse_value(option.name, value, "are " + joined(option.choices));
    }
    complete.emplace(option.name, value);
  }
  for (const auto& [name, value] : options) {
    if (!complete.contains(name)) {
      throw std::invalid_argument("balancer " + descriptor.name + " has no option \"" + name +
                                  "\", " +
                                  (known.empty() ? "it has none" : "it has " + joined(known)));
    }
  }
  return complete;
}

std::unique_ptr<balancer> make_balancer(std::string_view name, const balancer_options& options) {
  const balancer_descriptor descriptor = describe_balancer(name);
  return descriptor.make(complete_options(descriptor, options));
}

std::int64_t integer_option(const balancer_options& options, std::string_view name,
                            std::int64_t low, std::int64_t high) {
  const std::string& text = text_of(options, name);
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || text.empty() || value < low || value > high) {
    refuse_value(name, text,
                 "are whole numbers from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return value;
}

fraction fraction_option(const balancer_options& options, std::string_view name, fraction low,
                         fraction high) {
  const std::string& text = text_of(options, name);
  const auto value = parse_decimal(text);
  if (!value || less(*value, low) || less(high, *value)) {
    const auto shown = [](fraction f) {
      const std::string above = std::to_string(f.numerator);
      return f.denominator == 1 ? above : above + "/" + std::to_string(f.denominator);
    };
    refuse_value(name, text,
                 "are decimals from " + shown(low) + " to " + shown(high) +
                     " with at most 18 places after the point");
  }
  return *value;
}

double real_option(const balancer_options& options, std::string_view name, double low,
                   double high) {
  const std::string& text = text_of(options, name);
  double value = 0.0;
  if (!detail::read_number(text, value) || std::isnan(value) || value < low || value > high) {
    refuse_value(name, text,
                 "are numbers from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return value;
}

}  // namespace evencube
