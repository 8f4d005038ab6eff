"""The thirty questions (`tests/firm/agent_questions.py`)."""

from tests.firm.agent_questions import (
    FIND,
    Question,
    answered,
    ask,
    event,
    exact_owner,
    figure,
    first,
    found,
    lines,
    names,
    own,
    owner,
    profile,
)

FIGURES = (
    figure("revenue", "SE"),
    figure("net_result", "NO"),
    figure("equity", "UK"),
    figure("total_assets", "FI"),
    figure("employees", "SE"),
    Question(
        "What did {name} take in the newest quarter, and what was left of it?",
        lambda truth: truth.company("US", lambda one: one["financials"][:1] and one["financials"][0]["fiscal_quarter"]),
        (FIND, ask("get_financials", period_type="quarterly", years=1, limit=1)),
        lambda facts, seen: [seen[1]["data"][0][name] for name in ("period", "revenue", "net_result")],
        lambda facts, truth: [facts["figures"][0][name] for name in ("period", "revenue", "net_result")],
        first,
    ),
    Question(
        "How much more or less did {name} take in its newest year than in the year before?",
        lambda truth: truth.company(
            "NO", lambda one: len(one["financials"]) == 3 and all(own(row, "revenue") for row in one["financials"][:2])
        ),
        (FIND, ask("get_financials", years=2)),
        lambda facts, seen: seen[1]["data"][0]["revenue"] - seen[1]["data"][1]["revenue"],
        lambda facts, truth: facts["figures"][0]["revenue"] - facts["figures"][1]["revenue"],
        lambda facts, seen: seen[1]["data"][:2],
    ),
    Question(
        "What did {name} take in the year that it has corrected, by the accounts that hold now?",
        lambda truth: truth.event("filing.updated", "NO"),
        (FIND, ask("get_financials")),
        lambda facts, seen: [
            (row["revenue"], row["version"], row["is_restated"])
            for row in seen[1]["data"]
            if row["period_end"] == facts["event"]["filing"]["period_end"]
        ],
        lambda facts, truth: [(facts["event"]["filing"]["revenue"], 2, True)],
        lambda facts, seen: [row for row in seen[1]["data"] if row["version"] == 2],
    ),
    Question(
        "What is the revenue of the group of {name}, and what of the company alone?",
        lambda truth: truth.company(
            "UK",
            lambda one: (
                len(one["financials"]) > 1
                and [row["is_consolidated"] for row in one["financials"][:2]] == [True, False]
                and one["financials"][0]["period_end"] == one["financials"][1]["period_end"]
            ),
        ),
        (FIND, ask("get_financials", consolidated=True, years=1), ask("get_financials", consolidated=False, years=1)),
        lambda facts, seen: [one["data"][0]["revenue"] for one in seen[1:]],
        lambda facts, truth: [row["revenue"] for row in facts["figures"][:2]],
        lambda facts, seen: [one["data"][0] for one in seen[1:]],
    ),
    Question(
        "What is the revenue of {name}? (It does not state any.)",
        lambda truth: truth.company("UK", lambda one: one["financials"] and one["profile"]["latest_revenue"] is None),
        (FIND, ask("get_financials", years=1)),
        lambda facts, seen: seen[1]["data"][0]["revenue"],
        lambda facts, truth: None,
        first,
    ),
)

PROFILES = (
    profile("What became of {name}?", "SE", "status", lambda one: one["profile"]["status"] == "dormant"),
    profile("In which industry is {name}?", "FI", "sni_label", lambda one: one["profile"]["sni_label"]),
    profile("Where does {name} sit?", "NO", "municipality", lambda one: one["profile"]["municipality"]),
    profile("Is {name} listed?", "US", "is_listed", lambda one: not one["profile"]["is_listed"]),
    Question(
        "Since when has the company with the number {org_number} been registered, and what is it called?",
        lambda truth: truth.company("UK", lambda one: one["profile"]["status"] == "active"),
        (
            ("lookup_companies", lambda facts, seen: {"items": [{"number": facts["org_number"], "country": "UK"}]}),
            ("get_company", lambda facts, seen: {"company": seen[0]["data"][0]["company"]["id"]}),
        ),
        lambda facts, seen: (seen[1]["registered_date"], seen[1]["name"]),
        lambda facts, truth: (facts["registered_date"], facts["name"]),
        answered,
    ),
    Question(
        "Which Swedish and Finnish companies have been dissolved?",
        lambda truth: {},
        (("search_companies", lambda facts, seen: {"country": "SE,FI", "status": "dissolved", "limit": 25}),),
        lambda facts, seen: names(seen[0]["data"]),
        lambda facts, truth: names(
            one["profile"]
            for one in truth.states.values()
            if one["profile"]["country"] in ("SE", "FI") and one["profile"]["status"] == "dissolved"
        ),
        lambda facts, seen: (),
    ),
    Question(
        "Which Norwegian company with accounts in kroner takes the most, and how much by which accounts?",
        lambda truth: {},
        (
            ("search_companies", lambda facts, seen: {"country": "NO", "sort": "-latest_revenue", "limit": 25}),
            (
                "get_financials",
                lambda facts, seen: {
                    "company": next(one["id"] for one in seen[0]["data"] if one["latest_currency"] == "NOK"),
                    "years": 1,
                },
            ),
        ),
        lambda facts, seen: (seen[1]["name"], seen[1]["data"][0]["revenue"]),
        lambda facts, truth: max(
            (
                (one["profile"]["name"], one["profile"]["latest_revenue"])
                for one in truth.states.values()
                if one["profile"]["country"] == "NO" and one["profile"]["latest_currency"] == "NOK"
            ),
            key=lambda row: row[1],
        ),
        first,
    ),
    Question(
        "Which American companies are listed? (More than one page.)",
        lambda truth: {},
        (
            ("search_companies", lambda facts, seen: {"country": "US", "is_listed": True, "limit": 25}),
            *(
                (
                    "search_companies",
                    lambda facts, seen: {
                        "country": "US",
                        "is_listed": True,
                        "limit": 25,
                        "cursor": seen[-1]["next_cursor"],
                    },
                ),
            )
            * 2,
        ),
        lambda facts, seen: (names(row for page in seen for row in page["data"]), seen[-1]["next_cursor"]),
        lambda facts, truth: (
            names(
                one["profile"]
                for one in truth.states.values()
                if one["profile"]["country"] == "US" and one["profile"]["is_listed"]
            ),
            None,
        ),
        lambda facts, seen: (),
    ),
)

OWNERS = (
    owner("Who owns most of {name}?", "NO", exact_owner),
    owner("Who is the largest shareholder of {name} that the market was told of?", "SE", exact_owner),
    owner(
        "How much of {name} does its largest owner hold at least and at most?",
        "UK",
        lambda one: len(one["owners"]) == 1,
    ),
    Question(
        "How much of {name} did the holder that has sold since have on {day}?",
        lambda truth: (
            truth.event(
                "ownership.changed",
                "UK",
                lambda data: data["change"]["current_pct"] == 0 and data["change"]["as_of"] > truth.days[0],
            )
            | {"day": truth.days[0]}
        ),
        (FIND, ("get_ownership", lambda facts, seen: {"company": found(facts, seen), "as_of": facts["day"]})),
        lambda facts, seen: [
            row["pct_min"] if row["pct"] is None else row["pct"]
            for row in seen[1]["data"]
            if row["holder_id"] == facts["event"]["change"]["holder_id"]
        ],
        lambda facts, truth: [facts["event"]["change"]["previous_pct"]],
        lambda facts, seen: [
            row for row in seen[1]["data"] if row["holder_id"] == facts["event"]["change"]["holder_id"]
        ],
    ),
    Question(
        "Which company consolidates {name}?",
        lambda truth: truth.related(lambda row: row["relation"] == "accounting_consolidation"),
        (FIND, ask("get_group")),
        lambda facts, seen: {one["name"] for one in lines(facts, seen)},
        lambda facts, truth: {facts["holder"]},
        lines,
    ),
    Question(
        "How much of {name} does {holder} hold?",
        lambda truth: truth.related(lambda row: row["pct"] is not None),
        (FIND, ask("get_group")),
        lambda facts, seen: [one["pct"] for one in lines(facts, seen) if one["relation"] == "shareholding"],
        lambda facts, truth: [facts["row"]["pct"]],
        lines,
    ),
)

EVENTS = (
    event(
        "Why is {name} no longer active?",
        "status.changed",
        "NO",
        lambda data: (data["change"]["current_status"], data["change"]["reason"]),
        lambda data: data["change"]["reason"],
    ),
    event(
        "From which industry to which has {name} changed?",
        "company.changed",
        "UK",
        lambda data: [(one["field"], one["previous"], one["current"]) for one in data["change"]["changes"]],
        lambda data: data["change"]["changes"][0]["field"] == "sni_code",
    ),
    event("What does the newest release of {name} say?", "news.published", "FI", lambda data: data["news"]["title"]),
    event(
        "What did {name} have to pay to its regulator?",
        "event.regulatory",
        "NO",
        lambda data: (data["notice"]["authority"], data["notice"]["amount"], data["notice"]["currency"]),
        lambda data: data["notice"].get("amount"),
    ),
    event(
        "Over which thresholds has an owner of {name} gone, and how far?",
        "ownership.changed",
        "FI",
        lambda data: (data["change"]["thresholds_crossed"], data["change"]["current_pct"]),
    ),
    Question(
        "Which companies have gone bankrupt, in all five countries? (More than one page.)",
        lambda truth: {},
        (
            ("list_events", lambda facts, seen: {"event_type": "status.changed", "since": "2026-01-01", "limit": 25}),
            *(
                (
                    "list_events",
                    lambda facts, seen: {
                        "event_type": "status.changed",
                        "cursor": seen[-1]["next_cursor"],
                        "limit": 25,
                    },
                ),
            )
            * 3,
        ),
        lambda facts, seen: (
            {
                one["company_id"]
                for page in seen
                for one in page["data"]
                if one["data"]["change"]["reason"] == "bankruptcy"
            },
            seen[-1]["has_more"],
        ),
        lambda facts, truth: (
            {
                one["company_id"]
                for one in truth.events
                if one["event_type"] == "status.changed" and one["data"]["change"]["reason"] == "bankruptcy"
            },
            False,
        ),
        lambda facts, seen: [one for page in seen for one in page["data"]],
    ),
)

QUESTIONS = (*FIGURES, *PROFILES, *OWNERS, *EVENTS)
