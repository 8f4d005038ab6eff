// @vitest-environment happy-dom
/** A group as a tree that is walked: levels, pages, circles, the keyboard. And filings by pages. */
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { FilingList, GroupTree } from "../src/index.js";
import type { Group, GroupLine } from "../src/model.js";
import { filings, group, problem } from "./examples.js";
import { answers, ready, section, show } from "./page.js";
import { refusal, serving, type Reply, type Service } from "./service.js";

const [sample] = group().children.data;
const TOP = "firm:NO:999999999";

function line(company_id: string, given: Partial<GroupLine> = {}): GroupLine {
  if (sample === undefined) throw new Error("no line");
  return { ...sample, company_id, holder_id: `own_${company_id}`, name: `Name of ${company_id}`, ...given };
}

function of(company_id: string, data: GroupLine[], next_cursor: string | null = null): Group {
  const children = { data, next_cursor, has_more: next_cursor !== null };
  return { ...group(), company_id, name: `Name of ${company_id}`, parents: [], ultimate_parents: [], children };
}

const [A, B] = ["firm:UK:00000001", "firm:UK:00000002"];

/** A group by the id in the path and the cursor. */
function tree(groups: Readonly<Record<string, Group | Reply>>): Promise<Service> {
  return serving((url) => {
    const id = decodeURIComponent(url.pathname.split("/")[4] ?? "");
    const found = groups[id + (url.searchParams.get("cursor") ?? "")];
    if (found === undefined) throw new Error(`not expected: ${url.pathname}`);
    return "company_id" in found ? { body: found } : found;
  });
}

const children = (): (string | null)[] =>
  [...document.querySelectorAll("[data-child]")].map((node) => node.getAttribute("data-child"));

const opener = (id: string): HTMLElement => screen.getByRole("button", { name: `Show what Name of ${id} holds` });

test("a level is read when it is opened, and what is above is not opened again", async () => {
  const service = await tree({ [TOP]: of(TOP, [line(A)]), [A]: of(A, [line(B), line(TOP, { in_circle: true })]) });
  show(service, <GroupTree companyId={TOP} />);
  await ready();
  expect(children()).toEqual([A]);
  expect(service.paths).toHaveLength(1);
  act(() => opener(A).click());
  await waitFor(() => expect(children()).toEqual([A, B, TOP]));
  expect(section().textContent).toContain("holds itself through others");
  expect(section().textContent).toContain("shown above");
  expect(screen.queryByRole("button", { name: `Show what Name of ${TOP} holds` })).toBeNull();
  act(() => opener(A).click());
  expect(children()).toEqual([A]);
});

test("further children come by the cursor, one that fails can be read again", async () => {
  let fails = true;
  const groups: Readonly<Record<string, Group>> = { [TOP]: of(TOP, [line(A)], "next"), [`${TOP}next`]: of(TOP, [line(B)]) };
  const service = await serving((url) => {
    const cursor = url.searchParams.get("cursor");
    if (cursor !== null && fails) return refusal(problem("internal_error"));
    return { body: groups[TOP + (cursor ?? "")] };
  });
  show(service, <GroupTree companyId={TOP} />);
  await ready();
  act(() => screen.getByRole("button", { name: "Show more" }).click());
  const again = await screen.findByRole("button", { name: "Try again" });
  fails = false;
  act(() => again.click());
  await waitFor(() => expect(children()).toEqual([A, B]));
});

test("a name makes its company the root, and the way back leads to the one before", async () => {
  const service = await tree({ [TOP]: of(TOP, [line(A)]), [A]: of(A, []) });
  show(service, <GroupTree companyId={TOP} />);
  await ready();
  act(() => screen.getByRole("button", { name: `Name of ${A}` }).click());
  await ready();
  expect(section().textContent).toContain("No company that it holds is known.");
  act(() => screen.getByRole("button", { name: `Back to Name of ${TOP}` }).click());
  await ready();
  expect(children()).toEqual([A]);
});

test("with addresses of the page, names are links to them", async () => {
  const service = await tree({ [TOP]: of(TOP, [line(A)]) });
  show(service, <GroupTree companyId={TOP} hrefOf={(id) => `/of/${id}`} />);
  await ready();
  expect(screen.getByRole("link", { name: `Name of ${A}` }).getAttribute("href")).toBe(`/of/${A}`);
});

test("arrow keys open, close and go from line to line", async () => {
  const service = await tree({ [TOP]: of(TOP, [line(A), line(B)]), [A]: of(A, []) });
  show(service, <GroupTree companyId={TOP} />);
  await ready();
  opener(A).focus();
  fireEvent.keyDown(opener(A), { key: "ArrowDown" });
  expect(document.activeElement).toBe(opener(B));
  fireEvent.keyDown(opener(B), { key: "ArrowUp" });
  fireEvent.keyDown(opener(A), { key: "ArrowRight" });
  expect(opener(A).getAttribute("aria-expanded")).toBe("true");
  fireEvent.keyDown(opener(A), { key: "ArrowLeft" });
  expect(opener(A).getAttribute("aria-expanded")).toBe("false");
});

test("parents say their kind, and a parent known by its LEI alone is no link", async () => {
  const service = await serving(answers());
  show(service, <GroupTree companyId={TOP} />);
  await ready();
  const parents = [...document.querySelectorAll("[data-parent]")].map(({ textContent }) => textContent);
  expect(parents).toEqual([
    "LEI 549300EXAMPLE0000097 consolidated",
    "EKSEMPEL INVEST AS Norway · 40%",
  ]);
  expect(children()).toEqual(["firm:UK:99999999"]);
  expect(section().textContent).toContain("75% to 100%");
});

test("filings have their versions and sources, and older ones come by the cursor", async () => {
  const found = filings();
  const [filing] = found.data;
  if (filing === undefined) throw new Error("no filing");
  const older = { ...filing, filing_id: "fil_older", filing_type: "thing", document_url: "https://example.com/x" };
  const service = await serving((url) =>
    url.searchParams.get("cursor") === null
      ? { body: { ...found, next_cursor: "next", has_more: true } }
      : { body: { ...found, data: [older], next_cursor: null, has_more: false } },
  );
  show(service, <FilingList companyId={TOP} asOf="2026-06-30" />);
  await ready();
  expect(section().textContent).toContain("Annual report 2025");
  expect(section().textContent).toContain("version 2 of 2");
  expect(section().textContent).toContain(`Source: ${filing.sources[0]?.register}`);
  act(() => screen.getByRole("button", { name: "Show older" }).click());
  const link = await screen.findByRole("link", { name: /thing 2025/ });
  expect(link.getAttribute("href")).toBe("https://example.com/x");
  expect(service.paths.map((path) => path.split("?")[1])).toEqual([
    "to=2026-06-30&limit=10",
    "to=2026-06-30&limit=10&cursor=next",
  ]);
});
