// @vitest-environment happy-dom
/** What a page gives besides its data: its own fetch, hooks, slots, classes, errors, languages, a past day. */
import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  ENGLISH,
  FINNISH,
  messagesFor,
  NORWEGIAN,
  SWEDISH,
  useCompany,
  useEvents,
  useFinancials,
  useGroup,
  useOwnership,
  type Failed,
  type Failure,
  type Messages,
} from "../src/index.js";
import { CompanyCard, OwnershipChart } from "../src/index.js";
import { company, financials, ownership, problem } from "./examples.js";
import { answers, COMPANY, everything, FirmdataProvider, NAMES, ready, section, show } from "./page.js";
import { KEY, refusal, serving } from "./service.js";

afterEach(cleanup);

/** Every text of a language with the names of what is filled in, by its path. */
function texts(of: object, path = ""): [string, string[]][] {
  return Object.entries(of).flatMap(([name, value]: [string, unknown]) =>
    typeof value === "object" && value !== null
      ? texts(value, `${path}${name}.`)
      : [[path + name, [...String(value).matchAll(/\{\w+\}/g)].map(([mark]) => mark).sort()] as [string, string[]]],
  );
}

describe("languages", () => {
  const others: [string, Messages][] = [
    ["sv", SWEDISH],
    ["nb", NORWEGIAN],
    ["fi", FINNISH],
  ];

  test.each(others)("%s fills in what English does, everywhere", (_, messages) => {
    expect(texts(messages).sort()).toEqual(texts(ENGLISH).sort());
  });

  test.each(others)("%s says it in its own words", (locale, messages) => {
    const flat = (of: object): string[] =>
      Object.values(of).flatMap((value: unknown) =>
        typeof value === "object" && value !== null ? flat(value) : [String(value)],
      );
    const [own, english] = [flat(messages), flat(ENGLISH)];
    const without = (text: string): string => text.replace(/\{\w+\}/g, "");
    const same = own.filter((text, place) => text === english[place] && /[a-z]{4}/.test(without(text)));
    expect(same.filter((text) => !["Status", "Period"].includes(text))).toEqual([]);
    expect(messagesFor(`${locale}-XX`)).toBe(messages);
  });

  test("a locale of another language has English words", () => {
    expect([messagesFor("de"), messagesFor("constructor"), messagesFor("")]).toEqual([ENGLISH, ENGLISH, ENGLISH]);
    expect(messagesFor("no")).toBe(NORWEGIAN);
  });
});

describe("a fetch of the page's own", () => {
  test("sends every request, without a key and without Authorization", async () => {
    const service = await serving(answers());
    const asked: string[] = [];
    const own = (address: string, init: RequestInit): Promise<Response> => {
      asked.push(new Headers(init.headers).get("Authorization") ?? "none");
      return fetch(service.base + address, init);
    };
    const page = (children: ReactNode): ReactNode => (
      <FirmdataProvider fetch={(address, init) => own(address, init)}>{children}</FirmdataProvider>
    );
    const shown = render(page(<CompanyCard companyId={COMPANY} />));
    await ready();
    shown.rerender(page(<CompanyCard companyId={COMPANY} />));
    await ready();
    expect(asked).toEqual(["none"]);
  });

  test("sends no secret key either", async () => {
    const own = vi.fn();
    render(
      <FirmdataProvider fetch={own} publishableKey={`firm_live_${"a".repeat(42)}`}>
        <CompanyCard companyId={COMPANY} />
      </FirmdataProvider>,
    );
    const alert = await screen.findByRole("alert");
    expect(alert.dataset["code"]).toBe("key_not_publishable");
    expect(own).not.toHaveBeenCalled();
  });
});

describe("errors", () => {
  test("are told to the page, each once, with what they are about", async () => {
    const service = await serving(() => refusal(problem("company_not_found")));
    const onError = vi.fn();
    render(
      <FirmdataProvider baseUrl={service.base} publishableKey={KEY} onError={onError}>
        {everything()}
      </FirmdataProvider>,
    );
    await waitFor(() => expect(screen.getAllByRole("alert")).toHaveLength(NAMES.length));
    await waitFor(() => expect(onError).toHaveBeenCalledTimes(NAMES.length));
    const told = onError.mock.calls.map(([failure, about]) => [(failure as Failure).code, about as Failed]);
    expect(told).toContainEqual(["company_not_found", { component: "card", companyId: COMPANY }]);
  });

  test("an answer that cannot be drawn is one", async () => {
    const service = await serving(answers({ profile: { ...company(), country: {} } }));
    const onError = vi.fn();
    show(service, <CompanyCard companyId={COMPANY} onError={onError} />);
    await screen.findByRole("alert");
    await waitFor(() => expect(onError).toHaveBeenCalledOnce());
    vi.mocked(console.error).mockClear(); // React tells the developer of what cannot be drawn
  });
});

describe("parts of a component", () => {
  test("have classes of the page", async () => {
    const service = await serving(answers());
    show(service, <CompanyCard companyId={COMPANY} classNames={{ root: "a", title: "b", content: "c" }} />);
    await ready();
    expect(section().matches(".firmdata.a")).toBe(true);
    expect(section().querySelector("h2.b + .c > dl")).not.toBeNull();
  });

  test("can be the page's own while it loads, where it is empty, where it fails", async () => {
    let broken = true;
    const none = { ...ownership(), data: [] };
    const service = await serving(() => (broken ? refusal(problem("internal_error")) : { body: none }));
    const slots = {
      loading: () => <i>wait</i>,
      empty: (text: string) => <i>{`none: ${text}`}</i>,
      failure: ({ code }: { code: string }, retry: () => void) => <button onClick={retry}>{code}</button>,
    };
    show(service, <OwnershipChart companyId={COMPANY} slots={slots} />);
    expect(screen.getByText("wait")).toBeTruthy();
    const button = await screen.findByRole("button", { name: "internal_error" });
    broken = false;
    act(() => button.click());
    await screen.findByText("none: No owners are known.");
  });
});

describe("a past day", () => {
  test("is asked for by every component, with events until its end", async () => {
    const service = await serving(answers());
    render(
      <FirmdataProvider baseUrl={service.base} publishableKey={KEY} asOf="2025-12-31">
        {everything()}
      </FirmdataProvider>,
    );
    await ready();
    const without = service.paths.filter((path) => !/as_of=2025-12-31|until=2026-01-01T00|to=2025-12-31/.test(path));
    expect(without).toEqual([]);
    expect(service.paths.length).toBeGreaterThan(6);
  });
});

test("a band whose ends are equal is one number, in the table and in the bars", async () => {
  const [owner] = ownership().data;
  if (owner === undefined) throw new Error("no owner");
  const narrow = { ...owner, pct: null, pct_min: 19.9, pct_max: 19.9 };
  const service = await serving(answers({ ownership: { ...ownership(), data: [narrow] } }));
  show(service, <OwnershipChart companyId={COMPANY} />);
  await ready();
  const [cell] = section().querySelectorAll("tbody td");
  expect(cell?.textContent).toBe("19.9%");
  expect(cell?.querySelector("data")?.value).toBe("19.9");
  expect(section().querySelector(".firmdata-bar-possible")?.getAttribute("width")).toBe(
    section().querySelector(".firmdata-bar")?.getAttribute("width"),
  );
});

test("a fact tells its source while its button has the keyboard, and Escape takes it away", async () => {
  const sources = [
    {
      register: "se.bolagsverket",
      native_id: "5599999991",
      url: null,
      retrieved_at: "2026-11-20T02:14:09Z",
      licence: "CC0-1.0",
      fields: ["status"],
    },
  ];
  const service = await serving(answers({ profile: { ...company(), sources } }));
  show(service, <CompanyCard companyId={COMPANY} hasSources />);
  await ready();
  expect(service.paths[0]).toContain("sources");
  const button = screen.getByRole("button", { name: "Source of: Status" });
  expect(screen.getAllByRole("button")).toEqual([button]);
  act(() => button.focus());
  const tip = screen.getByRole("tooltip");
  expect(button.getAttribute("aria-describedby")).toBe(tip.id);
  expect(tip.textContent).toBe(
    "se.bolagsverket · record 5599999991 · retrieved Nov 20, 2026, 2:14 AM · licence CC0-1.0",
  );
  act(() => button.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true })));
  expect(screen.queryByRole("tooltip")).toBeNull();
});

test("hooks give what the components read, and one request serves both", async () => {
  const service = await serving(answers());
  function Own(): ReactNode {
    const profile = useCompany(COMPANY).resource;
    const periods = useFinancials(COMPANY, { years: 2 }).resource;
    const owners = useOwnership(COMPANY).resource;
    const group = useGroup(COMPANY).resource;
    const events = useEvents(COMPANY, { limit: 5 }).resource;
    const states = [profile, periods, owners, group, events].map(({ state }) => state);
    return (
      <p>
        {states.join(" ")} {profile.state === "ready" && profile.value.name}{" "}
        {periods.state === "ready" && periods.value.data.length}
      </p>
    );
  }
  show(service, [<Own key="own" />, <CompanyCard key="card" companyId={COMPANY} />]);
  const words = `ready ready ready ready ready ${company().name} ${financials().data.length}`;
  await screen.findByText(words);
  expect(service.paths).toHaveLength(5);
});
