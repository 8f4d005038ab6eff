// What a browser finds on pages of the gallery. Reads visits from standard input, writes what was found as
// JSON; whether that is right is for the tests to say.
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { SHEET, cutTexts, faults, isPictured, launched, overhang, painted, pictured, transferred } from "../browsing.mjs";

const PATIENCE = 20_000;

/** Runs in the page: every component as its reader and its machine find it. */
function found() {
  const value = (root) => root.querySelector("data")?.getAttribute("value") ?? null;
  const all = (root, selector, read) => [...root.querySelectorAll(selector)].map(read);
  return [...document.querySelectorAll("section.firmdata")].map((section) => ({
    kind: [...section.classList].find((name) => name.startsWith("firmdata-"))?.slice("firmdata-".length),
    title: section.querySelector(".firmdata-title").textContent,
    state: section.dataset.state,
    code: section.querySelector("[data-code]")?.dataset.code ?? null,
    text: section.innerText,
    figures: all(section, "[data-figure]", (cell) => [
      cell.dataset.figure,
      cell.dataset.period ?? null,
      value(cell),
    ]),
    facts: all(section, ".firmdata-fact", (fact) => [
      fact.querySelector("dt").firstChild.textContent,
      value(fact) ?? fact.querySelector("time")?.dateTime ?? fact.querySelector("dd").textContent,
    ]),
    holders: all(section, "[data-holder]", (row) => [row.dataset.holder, value(row)]),
    events: all(section, "[data-event]", (line) => line.dataset.event),
    bars: section.querySelectorAll(".firmdata-bar").length,
    columns: all(section, "[data-column]", (column) => [
      column.dataset.column,
      ...[...column.querySelectorAll("[data-bar]")].map((bar) => [bar.dataset.bar, bar.dataset.value]),
    ]),
    parents: all(section, "[data-parent]", (line) => line.dataset.parent),
    children: all(section, "[data-child]", (line) => line.dataset.child),
    filings: all(section, "[data-filing]", (line) => line.dataset.filing),
  }));
}

/** By the keyboard alone: the first day with events, pressed. */
async function pressDay(page) {
  const day = page.locator(".firmdata-day").first();
  while (!(await day.evaluate((button) => button === document.activeElement))) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement === document.body))
      throw new Error("no day can be reached");
  }
  await page.keyboard.press("Enter");
  const name = await day.getAttribute("aria-label");
  const listed = await page.locator(".firmdata-calendar [data-event]").count();
  return { name, pressed: await day.getAttribute("aria-pressed"), listed };
}

/** Of a page of the service itself: what it weighs, how soon it is there, and how much wider than a sheet it is. */
async function measured(page, loaded) {
  const found = { bytes: transferred(loaded), painted: await painted(page) };
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize(SHEET);
  return { ...found, paper: await overhang(page), printed: await page.locator("body").innerText() };
}

async function visited(browser, folder, visit) {
  const context = await browser.newContext({
    viewport: { width: visit.width, height: 900 },
    colorScheme: visit.colours,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const asked = [];
  const loaded = [];
  const broken = [];
  page.on("request", (request) =>
    asked.push({ url: request.url(), key: request.headers().authorization ?? null }),
  );
  page.on("response", (response) => loaded.push(response));
  page.on("pageerror", (error) => broken.push(String(error)));
  page.on("dialog", (dialog) => {
    broken.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(visit.url);
  await page.waitForFunction(
    (count) =>
      document.querySelectorAll("section.firmdata").length === count &&
      document.querySelectorAll('section.firmdata[data-state="loading"]').length === 0,
    visit.components,
    { timeout: PATIENCE },
  );
  const components = await page.evaluate(found);
  if (isPictured) {
    await page.screenshot({ path: join(folder, `${visit.name}.png`), fullPage: true });
    await pictured(page, join(folder, `${visit.name}-window.webp`));
  }
  const answer = {
    components,
    asked,
    broken,
    overhang: await overhang(page),
    cut: await cutTexts(page),
    faults: await faults(page),
    day: visit.press === true ? await pressDay(page) : null,
    ...(visit.measured === true ? await measured(page, loaded) : {}),
  };
  await context.close();
  return answer;
}

const { browser: executablePath, folder, visits } = JSON.parse(await text(process.stdin));
const browser = await launched(executablePath);
try {
  const answers = {};
  // One after another: a publishable key may ask five times a second, and each page asks ten times at once.
  for (const visit of visits) answers[visit.name] = await visited(browser, folder, visit);
  process.stdout.write(JSON.stringify(answers));
} finally {
  await browser.close();
}
