// Tabs of a Chromium that tests steer (tests/browsing.py): a line of JSON asks for a deed, a line answers.
// Whether what a page shows is right is for the tests to say.
import { createInterface } from "node:readline";
import { join } from "node:path";
import { SHEET, cutTexts, faults, isPictured, launched, overhang, painted, pictured, transferred } from "./browsing.mjs";

const [, , executable, folder] = process.argv;
const PATIENCE = 30_000;
const MOST_STEPS = 80;
const HERE = "127.0.0.1";
const PICTURE = { type: "jpeg", quality: 85, caret: "initial" };
const LONGEST_PICTURE = 12_000; // pixels; of a longer page its window, for a browser takes minutes
const VIEWS = {
  wide: { size: { width: 1280, height: 900 }, colours: "light" },
  narrow: { size: { width: 360, height: 800 }, colours: "dark" },
};

/** Runs in the page: whether an element has the keyboard, and whether that is seen. */
function hasKeyboard(element) {
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const seen = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
  return { here: element === document.activeElement, seen };
}

/** Runs in the page: what no page of ours has, and what was smuggled in would add. */
const foreign = () =>
  [...document.querySelectorAll("script, iframe, object, embed, [onclick], [onerror], [style]")].map(
    ({ outerHTML }) => outerHTML.slice(0, 200),
  );

class Tab {
  #visited = [];
  #strayed = []; // addresses of other hosts that were asked since the last look
  #loaded = []; // responses since the last page began
  #broken = []; // what failed, opened a dialog or was stopped by a policy since the last look

  #run;

  constructor(page, run) {
    this.page = page;
    this.#run = run;
    page.setDefaultTimeout(PATIENCE);
    page.on("request", (request) => {
      if (!isHere(request.url())) this.#strayed.push(request.url());
      else if (request.isNavigationRequest()) this.#loaded = [];
    });
    page.on("response", (response) => {
      const request = response.request();
      if (!isHere(request.url())) return;
      this.#loaded.push(response);
      if (request.isNavigationRequest())
        this.#visited.push([request.method(), response.url(), response.status()]);
    });
    page.on("pageerror", (error) => this.#broken.push(String(error)));
    page.on("dialog", (dialog) => {
      this.#broken.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    // what a policy stopped has got into a page all the same
    page.on("console", (line) => {
      if (line.text().includes("Content Security Policy")) this.#broken.push(line.text());
    });
  }

  async open({ url }) {
    await this.page.goto(url);
  }

  fill({ label, value }) {
    return this.#field(label).fill(value);
  }

  async choose({ label, value }) {
    await this.#field(label).selectOption(value);
  }

  check({ label }) {
    return this.#field(label).check();
  }

  unfold({ summary }) {
    return this.page.locator("summary", { hasText: summary }).first().click();
  }

  press({ role, name }) {
    return this.#led(() => this.page.getByRole(role, { name }).first().click());
  }

  /** What stays on its page, or changes it by a script. */
  click({ selector }) {
    return this.page.locator(selector).first().click();
  }

  async wait({ selector }) {
    await this.page.locator(selector).first().waitFor();
  }

  /** Milliseconds until the largest part of the page was painted. */
  async painted() {
    await this.#run(true);
    const milliseconds = await painted(this.page);
    await this.#run(false);
    return milliseconds;
  }

  /** The page as a sheet of A4: what is read on it, and how much wider than the sheet it is. */
  async print({ name }) {
    await this.page.emulateMedia({ media: "print", colorScheme: "light" });
    await this.page.setViewportSize(SHEET);
    await this.#pictured(`${name}-print`);
    const printed = { text: await this.page.locator("body").innerText(), overhang: await overhang(this.page) };
    await this.page.emulateMedia({ media: null });
    await this.page.setViewportSize(VIEWS.wide.size);
    return printed;
  }

  write({ text }) {
    return this.page.keyboard.type(text);
  }

  /** A key that leads to no page. */
  key({ key }) {
    return this.page.keyboard.press(key);
  }

  /** Until something is there that a script draws, and so many components are still read. */
  async settle({ selector, reading }) {
    await this.page.waitForSelector(selector);
    const isSettled = (most) => document.querySelectorAll('[aria-busy="true"]').length === most;
    await this.page.waitForFunction(isSettled, reading);
  }

  /** An attribute of each element that a selector finds. */
  attributes({ selector, name }) {
    return this.page.locator(selector).evaluateAll((found, of) => found.map((one) => one.getAttribute(of)), name);
  }

  enter() {
    return this.#led(() => this.page.keyboard.press("Enter"));
  }

  async reach({ role, name }) {
    const isSummary = role === "summary"; // which has no role
    const wanted = (isSummary ? this.page.locator(role, { hasText: name }) : this.page.getByRole(role, { name })).first();
    for (let step = 0; step < MOST_STEPS; step += 1) {
      await this.page.keyboard.press("Tab");
      const { here, seen } = await wanted.evaluate(hasKeyboard);
      if (here && seen) return;
      if (here) throw new Error(`nobody sees that ${role} ${name} has the keyboard`);
    }
    throw new Error(`the keyboard does not reach ${role} ${name}`);
  }

  text({ selector }) {
    return this.page.locator(selector).first().innerText();
  }

  value({ label }) {
    return this.#field(label).inputValue();
  }

  address() {
    return this.page.url();
  }

  visited() {
    return this.#visited;
  }

  broken() {
    return this.#broken.splice(0);
  }

  /** Addresses of what stands in frames; of what refused to, Chromium's own. */
  frames() {
    return this.page
      .frames()
      .slice(1)
      .map((frame) => frame.url());
  }

  /** What there is to say of the page as it is. */
  async see() {
    const loaded = this.#loaded.filter((response) => response.ok() || response.status() >= 400);
    return {
      address: this.page.url(),
      text: await this.page.locator("body").innerText(),
      foreign: await this.page.evaluate(foreign),
      strayed: this.#strayed.splice(0),
      // of a page without an origin, as tests of these instruments open, a browser tells nothing
      cookies: await this.page.evaluate(() => (self.origin === "null" ? "" : document.cookie)),
      asked: loaded.map((response) => [response.url(), response.status()]),
      bytes: transferred(loaded),
      broken: this.broken(),
      views: {},
      painted: null,
      paper: null,
    };
  }

  /** The same, and what each view of it is like, with a picture if pictures are wanted. */
  async look({ name }) {
    const seen = await this.see();
    seen.painted = await this.painted();
    await this.#run(true); // axe is a script: it comes when the page is made, and after what the page would have run
    for (const [view, { size, colours }] of Object.entries(VIEWS)) {
      await this.page.setViewportSize(size);
      await this.page.emulateMedia({ colorScheme: colours });
      await this.#pictured(`${name}-${view}`);
      const cut = await cutTexts(this.page);
      seen.views[view] = { overhang: await overhang(this.page), cut, faults: await faults(this.page) };
    }
    await this.page.emulateMedia({ media: "print", colorScheme: VIEWS.wide.colours });
    await this.page.setViewportSize(SHEET);
    seen.paper = await overhang(this.page);
    await this.page.emulateMedia({ media: null });
    await this.page.setViewportSize(VIEWS.wide.size);
    await this.#run(false);
    return seen;
  }

  /** The window in light, not the whole page. */
  async picture({ name, width }) {
    if (!isPictured) return;
    await this.page.setViewportSize({ ...VIEWS.wide.size, width });
    await this.page.emulateMedia({ colorScheme: VIEWS.wide.colours });
    await pictured(this.page, join(folder, `${name}.webp`));
    await this.page.setViewportSize(VIEWS.wide.size);
  }

  /** The page as it looks now, if pictures are wanted. */
  async #pictured(name) {
    if (!isPictured) return;
    const height = await this.page.evaluate(() => document.documentElement.scrollHeight);
    const path = join(folder, `${name}.jpeg`);
    await this.page.screenshot({ ...PICTURE, fullPage: height <= LONGEST_PICTURE, path });
  }

  /** By the beginning of its label, for hints follow there. */
  #field(label) {
    const escaped = label.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return this.page.getByLabel(new RegExp(`^\\s*${escaped}`)).first();
  }

  async #led(deed) {
    await Promise.all([this.page.waitForEvent("load"), deed()]);
  }
}

const isHere = (url) => new URL(url).hostname === HERE;

const browser = await launched(executable);
const tabs = [];

async function tab({ scripts }) {
  const context = await browser.newContext({
    viewport: VIEWS.wide.size,
    reducedMotion: "reduce",
  });
  // Nobody else is ever asked; 204 leaves a page where it is.
  await context.route((url) => url.hostname !== HERE, (route) => route.fulfill({ status: 204 }));
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const run = (enabled) =>
    session.send("Emulation.setScriptExecutionDisabled", { value: !(scripts || enabled) });
  await run(false);
  return tabs.push(new Tab(page, run)) - 1;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { tab: number, deed, given } = JSON.parse(line);
  let answer;
  try {
    answer = { told: (await (deed === "tab" ? tab(given) : tabs[number][deed](given))) ?? null };
  } catch (error) {
    answer = { failed: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
