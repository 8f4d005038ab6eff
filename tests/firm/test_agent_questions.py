"""Thirty questions with known answers, found by at most four calls of the tools at `/mcp`, with what they are cited by."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx
import httpx2
import pytest
from firmdata.mcp_server import MOST_CHARACTERS
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.firm.agent_question_list import QUESTIONS
from tests.firm.agent_questions import Facts, Question, Seen, Truth
from tests.firm.conftest import Firm
from tests.firm.lived_world import lived_world

pytestmark = pytest.mark.slow
MOST_CALLS = 4


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Truth, httpx.Client]]:
    folder = lived_world(tmp_path_factory)
    with Firm(folder / "data").serving() as client:
        yield Truth(json.loads((folder / "truth.json").read_text())), client


async def pursued(agent: Client, question: Question, facts: Facts) -> Seen:
    """The answers of the calls of a question; none is longer than an agent can read."""
    seen: Seen = []
    for tool, arguments in question.calls:
        result = await agent.call_tool(tool, arguments(facts, seen))
        text = result.content[0].text  # type: ignore[union-attr]
        assert not result.is_error, text
        assert len(text) <= MOST_CHARACTERS
        seen.append(json.loads(text))
    return seen


def test_thirty_questions_are_answered_by_four_calls_at_most(lived: Any) -> None:
    truth, client = lived

    async def run() -> list[tuple[Question, Facts, Seen]]:
        async with (
            httpx2.AsyncClient(headers=dict(client.headers)) as http,
            Client(streamable_http_client(f"{client.base_url}/mcp", http_client=http)) as agent,
        ):
            known = [(one, one.facts(truth)) for one in QUESTIONS]
            return [(one, facts, await pursued(agent, one, facts)) for one, facts in known]

    done = asyncio.run(run())
    assert len(done) == len({question.words for question in QUESTIONS}) == 30
    assert max(len(question.calls) for question in QUESTIONS) <= MOST_CALLS
    answers = {question.words.format(**facts): question.answer(facts, seen) for question, facts, seen in done}
    assert answers == {question.words.format(**facts): question.expected(facts, truth) for question, facts, _ in done}
    for question, facts, seen in done:
        rows = list(question.cited(facts, seen))
        assert rows or not facts, question.words  # a list of companies is cited by each of their profiles
        for row in rows:
            check_citation(client, seen, row)


def check_citation(client: httpx.Client, seen: Seen, row: dict[str, Any]) -> None:
    """A row names who states it; a figure its filing and version, which the register of filings knows."""
    sources = row["sources"] if "sources" in row else [row["data"]["source"]]
    assert sources
    for source in sources:
        assert source["register"]
        assert source["url"] or source.get("native_id") or row.get("filing_id"), row
    if "revenue" not in row:
        return
    company = seen[-1]["company_id"]
    filings = client.get(f"/api/v1/companies/{company}/filings", params={"limit": "100"}).json()["data"]
    [filing] = [one for one in filings if one["filing_id"] == row["filing_id"]]
    assert source["url"] == filing["document_url"] or source["url"] in [one["url"] for one in filing["sources"]]
    if row["period_end"] == filing["period_end"]:
        assert row["version"] in [one["version"] for one in filing["versions"]]
