/* SPDX-License-Identifier: MIT
 *
 * host.cc - as host.c, from C++17, on the reference store and a simulated clock.
 */
#include "every_header.h"

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

namespace
{

using Ledger = std::unique_ptr<deed_ledger, decltype(&deed_ledger_close)>;
using World = std::unique_ptr<deed_world, decltype(&deed_world_close)>;
using Clock = std::unique_ptr<deed_sim_clock, decltype(&deed_sim_clock_free)>;

void demand(deed_rc rc, const deed_error &err)
{
    if (rc != DEED_OK) {
        throw std::runtime_error(std::string(deed_rc_name(rc)) + ": " + err.text);
    }
}

deed_ledger *open_ledger(const deed_clock *clock)
{
    deed_error err{};
    deed_store *store = nullptr;
    deed_ledger *ledger = nullptr;
    deed_options options{};
    options.size = sizeof options;
    options.clock = clock;
    options.actor = "host";
    demand(deed_reference_open(nullptr, &store, &err), err);
    demand(deed_ledger_init(store, "host", true, &options, &err), err);
    demand(deed_ledger_open(store, &options, &ledger, &err), err);
    return ledger;
}

bool pay(deed_ledger *ledger)
{
    deed_error err{};
    deed_result result{};
    result.size = sizeof result;
    const deed_payload payload{{"payment", 7}, {"acme", 4}, {"{}", 2}};
    struct deed_record record = {}; // `deed_record` alone is the function
    record.size = sizeof record;
    record.key = "pay-1";
    record.payload = &payload;
    demand(deed_record(ledger, &record, &result, &err), err);
    demand(deed_run(ledger, "pay-1", 0, &result, &err), err);
    if (!result.uncertain) {
        throw std::runtime_error("the answer was lost, and yet it is known");
    }
    demand(deed_reconcile(ledger, "pay-1", &result, &err), err);
    std::cout << "deed " << deed_version() << ": " << deed_outcome_name(result.outcome) << '\n';
    return result.outcome == DEED_APPLIED;
}

bool pays_once(const std::string &folder)
{
    deed_error err{};
    deed_sim_clock *sim = nullptr;
    deed_world *opened = nullptr;
    deed_executor *bank = nullptr;
    deed_profile profile{};
    profile.size = sizeof profile;
    profile.landing_ms = 1;
    profile.window_ms = profile.reach_ms = DEED_FOREVER;
    profile.consistency = DEED_CONSISTENCY_STRONG;

    demand(deed_sim_clock_new(1700000000000, &sim, &err), err);
    Clock clock(sim, deed_sim_clock_free);
    demand(deed_world_open((folder + "/world-cc.jsonl").c_str(), &opened, &err), err);
    World world(opened, deed_world_close);
    Ledger ledger(open_ledger(deed_sim_clock_machine(sim)), deed_ledger_close);
    demand(
        deed_mock_executor_new_in(opened, R"({"class": "keyed+lookup", "script": {"do": "lose"}})",
            deed_sim_clock_true(sim), &bank, &err),
        err);
    demand(deed_ledger_register(ledger.get(), "payment", bank, &profile, &err), err);
    return pay(ledger.get()) && deed_world_effects(opened, "pay-1") == 1;
}

} // namespace

int main(int argc, char **argv)
{
    try {
        return pays_once(argc == 2 ? argv[1] : ".") ? 0 : 1;
    } catch (const std::exception &e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
