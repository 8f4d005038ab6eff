// @vitest-environment happy-dom
/** A field that finds companies: what is asked and when, the list, the keyboard. */
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { CompanySearch } from "../src/index.js";
import type { Suggestion } from "../src/model.js";
import { problem, suggestions } from "./examples.js";
import { show } from "./page.js";
import { refusal, serving } from "./service.js";

const [sample] = suggestions().data;

function suggestion(number: string): Suggestion {
  if (sample === undefined) throw new Error("no suggestion");
  return { ...sample, id: `firm:NO:${number}`, org_number: number, name: `Company ${number}` };
}

const found = { data: [suggestion("999999991"), suggestion("999999992")] };
const field = (): HTMLInputElement => screen.getByRole("combobox", { name: /Find a company/ });
const type = (value: string): boolean => fireEvent.change(field(), { target: { value } });
const active = (): string | null =>
  document.querySelector('[aria-selected="true"]')?.getAttribute("data-company") ?? null;

test("companies come once typing pauses, asked for once, and not for one letter", async () => {
  const service = await serving(() => ({ body: found }));
  show(service, <CompanySearch countries={["NO", "FI"]} limit={5} />);
  type("C");
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect(service.asked).toEqual([]);
  type("Co");
  type("Comp ");
  await screen.findByText("2 companies. Choose with the arrow keys.");
  expect(service.paths).toEqual(["/api/v1/companies/suggest?q=Comp&country=FI%2CNO&limit=5"]);
  expect(field().getAttribute("aria-expanded")).toBe("true");
});

test("arrow keys choose, Enter takes the choice, Escape closes the list", async () => {
  const service = await serving(() => ({ body: found }));
  const onSelect = vi.fn();
  show(service, <CompanySearch onSelect={onSelect} />);
  type("Comp");
  await waitFor(() => expect(screen.getAllByRole("option")).toHaveLength(2));
  const press = (key: string): boolean => fireEvent.keyDown(field(), { key });
  press("ArrowDown");
  expect(active()).toBe("firm:NO:999999991");
  expect(document.getElementById(field().getAttribute("aria-activedescendant") ?? "")?.dataset["company"]).toBe(
    "firm:NO:999999991",
  );
  press("ArrowUp");
  expect(active()).toBeNull();
  press("ArrowUp");
  expect(active()).toBe("firm:NO:999999992");
  press("Escape");
  expect(field().getAttribute("aria-expanded")).toBe("false");
  expect(press("Enter")).toBe(true); // left to the form
  expect(onSelect).not.toHaveBeenCalled();
  press("ArrowDown"); // opens it again
  press("ArrowDown");
  press("Enter");
  expect(onSelect).toHaveBeenCalledExactlyOnceWith(found.data[0]);
  expect(field().value).toBe("Company 999999991");
});

test("a click takes a company, and without a callback its address is the page's", async () => {
  const service = await serving(() => ({ body: found }));
  const assign = vi.spyOn(globalThis.location, "assign").mockImplementation(() => undefined);
  show(service, <CompanySearch hrefOf={(id) => `/of/${id}`} />);
  type("Comp");
  const options = await screen.findAllByRole("option");
  if (options[1] !== undefined) fireEvent.click(options[1]);
  expect(assign).toHaveBeenCalledWith("/of/firm:NO:999999992");
});

test("that nothing is found, and that nothing could be asked, is said", async () => {
  let isBroken = false;
  const service = await serving(() => (isBroken ? refusal(problem("quota_exceeded")) : { body: { data: [] } }));
  const onError = vi.fn();
  show(service, <CompanySearch onError={onError} />);
  type("zz");
  await screen.findByText("No company begins like this.");
  isBroken = true;
  type("zzz");
  const alert = await screen.findByRole("alert");
  expect(alert.dataset["code"]).toBe("quota_exceeded");
  await waitFor(() => expect(onError).toHaveBeenCalledOnce());
  expect(onError.mock.calls[0]?.[1]).toEqual({ component: "search", companyId: null });
});
