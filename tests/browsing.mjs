// What programs that drive a Chromium for tests share: starting it, and what is measured on any page.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.cwd(), "package.json")); // run in ui/, whose packages these are
const { chromium } = require("playwright-core");
const axe = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");

/** Whether somebody wants to look at what is seen: a picture of a page costs as much as all that is measured on it. */
export const isPictured = Boolean(process.env.FIRM_SCREENSHOTS);

export function launched(executablePath) {
  const inContainer = process.getuid?.() === 0; // Chromium has no sandbox for root
  return chromium.launch({ executablePath, args: inContainer ? ["--no-sandbox"] : [] });
}

/** How much wider than the window a page is, in pixels. */
export const overhang = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** What axe finds wrong. */
export async function faults(page) {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.map(({ id, impact, nodes }) => ({
    id,
    impact,
    where: nodes.map(({ html }) => html.slice(0, 200)),
  }));
}
