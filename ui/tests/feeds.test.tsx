// @vitest-environment happy-dom
/** Lists of events on a page: older pages, what arrives, and the calendar. */
import { act, cleanup, render, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, test } from "vitest";
import { ChangeFeed, EventsCalendar, NewsFeed } from "../src/index.js";
import type { CompanyEvent, EventPage } from "../src/model.js";
import { eventPage, events, problem } from "./examples.js";
import { KEY, refusal, serving } from "./service.js";

afterEach(cleanup);

const COMPANY = "5599999991";
const [sample] = events();

function numbered(sequence: number, occurred_at = "2026-11-18T00:00:00Z"): CompanyEvent {
  if (sample === undefined) throw new Error("no event");
  return { ...sample, event_id: `evt_${sequence}`, sequence, occurred_at };
}

function page(data: CompanyEvent[], next_cursor: string | null = null): EventPage {
  return { ...eventPage(), data, next_cursor, has_more: next_cursor !== null };
}

const shown = (): (string | null)[] =>
  [...document.querySelectorAll("li")].map((line) => line.getAttribute("data-event"));

describe("older events", () => {
  test("come after the page, and a page that fails is said and can be read again", async () => {
    let fails = true;
    const service = await serving((url) => {
      if (url.searchParams.get("cursor") === null) return { body: page([numbered(5), numbered(4)], "older") };
      return fails ? refusal(problem("internal_error")) : { body: page([numbered(3)]) };
    });
    render(<NewsFeed companyId={COMPANY} publishableKey={KEY} baseUrl={service.base} limit={2} />);
    const button = await screen.findByRole("button", { name: "Show older" });
    act(() => button.click());
    const again = await screen.findByRole("button", { name: "Try again" });
    expect(shown()).toEqual(["evt_5", "evt_4"]);
    fails = false;
    act(() => again.click());
    await waitFor(() => expect(shown()).toEqual(["evt_5", "evt_4", "evt_3"]));
    expect(screen.queryByRole("button")).toBeNull();
    expect(service.paths[0]).toContain("event_type=news.published&limit=2");
  });
});

describe("what is new", () => {
  test("comes by itself and is counted, and is asked for by the tag", async () => {
    let newest = 5;
    const service = await serving((_, asked) => {
      const tag = `W/"${newest}"`;
      if (asked.headers["if-none-match"] === tag) return { status: 304 };
      const data = newest === 5 ? [numbered(5)] : [numbered(6), numbered(5)];
      return { body: page(data), headers: { ETag: tag } };
    });
    render(
      <ChangeFeed
        companyId={COMPANY}
        publishableKey={KEY}
        baseUrl={service.base}
        eventTypes={["filing.added"]}
        refreshSeconds={0.1}
      />,
    );
    await waitFor(() => expect(service.asked.length).toBeGreaterThan(2));
    expect(service.asked[1]?.headers["if-none-match"]).toBe('W/"5"');
    expect(shown()).toEqual(["evt_5"]);
    newest = 6;
    await waitFor(() => expect(shown()).toEqual(["evt_6", "evt_5"]));
    await screen.findByText("1 new");
  });

  test("is counted from the first answer to each question: other types, and another day, are no news", async () => {
    const service = await serving(({ searchParams }) => {
      const isNarrow = searchParams.get("event_type") !== null || searchParams.get("until") !== null;
      return { body: page(isNarrow ? [numbered(5)] : [numbered(7), numbered(6), numbered(5)]) };
    });
    const shared = { companyId: COMPANY, publishableKey: KEY, baseUrl: service.base, refreshSeconds: null };
    const drawn = render(<ChangeFeed {...shared} eventTypes={["filing.added"]} />);
    await waitFor(() => expect(shown()).toEqual(["evt_5"]));
    drawn.rerender(<ChangeFeed {...shared} />);
    await waitFor(() => expect(shown()).toHaveLength(3));
    expect(screen.queryByText(/\d new/)).toBeNull();
    drawn.rerender(<ChangeFeed {...shared} asOf="2026-11-18" />);
    await waitFor(() => expect(shown()).toEqual(["evt_5"]));
    drawn.rerender(<ChangeFeed {...shared} />);
    await waitFor(() => expect(shown()).toHaveLength(3));
    expect(screen.queryByText(/\d new/)).toBeNull();
  });

  test("is no longer asked for once the service refuses, and what was shown stays", async () => {
    let asked = 0;
    const service = await serving(() => {
      asked += 1;
      return asked === 1 ? { body: page([numbered(5)]) } : refusal(problem("quota_exceeded"));
    });
    render(
      <ChangeFeed companyId={COMPANY} publishableKey={KEY} baseUrl={service.base} refreshSeconds={0.05} />,
    );
    await screen.findByText("This could not be brought up to date.");
    expect(shown()).toEqual(["evt_5"]);
    const before = asked;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(asked).toBe(before);
  });

  test.each([0, Number.NaN, 30 * 24 * 3600, Number.POSITIVE_INFINITY])(
    "is not asked for without a pause where the turn is %s seconds",
    async (refreshSeconds) => {
      const service = await serving(() => ({ body: page([numbered(5)]) }));
      render(<ChangeFeed companyId={COMPANY} publishableKey={KEY} baseUrl={service.base} {...{ refreshSeconds }} />);
      await waitFor(() => expect(shown()).toEqual(["evt_5"]));
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(service.asked).toHaveLength(1);
    },
  );

  test("is not asked for where nobody wants it", async () => {
    const service = await serving(() => ({ body: page([numbered(5)]) }));
    render(
      <ChangeFeed companyId={COMPANY} publishableKey={KEY} baseUrl={service.base} refreshSeconds={null} />,
    );
    await waitFor(() => expect(shown()).toEqual(["evt_5"]));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(service.asked).toHaveLength(1);
  });
});

describe("a calendar", () => {
  const data = [
    numbered(9, "2026-11-18T00:00:00Z"),
    numbered(8, "2026-11-18T23:59:59Z"),
    numbered(7, "2026-11-02T00:00:00Z"),
    numbered(6, "2026-09-30T12:00:00Z"),
  ];

  test("shows the newest month, a day's events when pressed, and goes from month to month", async () => {
    const service = await serving(() => ({ body: page(data) }));
    render(<EventsCalendar companyId={COMPANY} publishableKey={KEY} baseUrl={service.base} />);
    const month = await screen.findByRole("table", { name: "Events, November 2026" });
    expect(shown()).toEqual(["evt_8", "evt_9", "evt_7"]);
    const day = within(month).getByRole("button", { name: "Nov 18, 2026, events: 2" });
    act(() => day.click());
    expect(day.getAttribute("aria-pressed")).toBe("true");
    expect(shown()).toEqual(["evt_8", "evt_9"]);
    const [before, after] = ["Previous month", "Next month"].map((name) =>
      screen.getByRole("button", { name }),
    );
    expect(after?.getAttribute("aria-disabled")).toBe("true");
    act(() => after?.click());
    expect(screen.getByRole("table", { name: "Events, November 2026" })).toBeTruthy();
    act(() => before?.click());
    expect(screen.getByText("No events in this month.")).toBeTruthy();
    act(() => before?.click());
    expect(shown()).toEqual(["evt_6"]);
    expect(before?.getAttribute("aria-disabled")).toBe("true");
  });

  test("begins with the month that is given, and says when older events are not read", async () => {
    const service = await serving(() => ({ body: page(data, "older") }));
    render(
      <EventsCalendar companyId={COMPANY} publishableKey={KEY} baseUrl={service.base} month="2026-09" />,
    );
    await screen.findByRole("table", { name: "Events, September 2026" });
    expect(screen.getByText("Older events have not been read yet.")).toBeTruthy();
  });
});
