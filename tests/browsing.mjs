// What programs that drive a Chromium for tests share: starting it, and what is measured on any page.
import { readFile, writeFile } from "node:fs/promises";
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

/**
 * Captions, headings and facts whose text reaches beyond what is seen of the page, or of a region that scrolls or
 * clips; facts also where it reaches beyond their own box, into the next one.
 */
export const cutTexts = (page) =>
  page.evaluate(() => {
    const folded = [...document.querySelectorAll("details")].map((one) => [one, one.open]);
    for (const [one] of folded) one.open = true;
    // What is for screen readers alone stands on a pixel of its own.
    const isSpoken = (node, within) => {
      for (let one = node.parentElement; one !== within.parentElement; one = one.parentElement)
        if (getComputedStyle(one).position === "absolute") return true;
      return false;
    };
    const seenBoxes = (text) => {
      const nodes = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
      const boxes = [];
      while (nodes.nextNode()) {
        const range = document.createRange();
        range.selectNodeContents(nodes.currentNode);
        if (!isSpoken(nodes.currentNode, text)) boxes.push(...range.getClientRects());
      }
      return boxes;
    };
    const isCut = (text) => {
      const boxes = seenBoxes(text);
      if (boxes.length === 0) return false;
      const left = Math.min(...boxes.map((box) => box.left));
      const right = Math.max(...boxes.map((box) => box.right));
      if (text.matches("dd") && right > text.getBoundingClientRect().right + 1) return true;
      for (let around = text.parentElement; around !== null; around = around.parentElement) {
        const isWindow = around === document.documentElement;
        if (!isWindow && getComputedStyle(around).overflowX === "visible") continue;
        const box = isWindow ? { left: 0, right: around.clientWidth } : around.getBoundingClientRect();
        if (left < box.left - 1 || right > box.right + 1) return true;
      }
      return false;
    };
    const cut = [...document.querySelectorAll("caption, figcaption, legend, summary, h1, h2, h3, h4, dd")].filter(isCut);
    const texts = cut.map(({ textContent }) => textContent.trim());
    for (const [one, wasOpen] of folded) one.open = wasOpen;
    return texts;
  });

/** A4 at 96 dots an inch, within margins of 1 cm. */
export const SHEET = { width: 718, height: 1047 };

/** Bytes of responses as they came, compressed. */
export const transferred = (responses) =>
  responses.reduce((sum, response) => sum + Number(response.headers()["content-length"]), 0);

/** Milliseconds until the largest part of a page was painted; null if that is told of none. */
export const painted = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const observer = new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime));
        observer.observe({ type: "largest-contentful-paint", buffered: true });
        setTimeout(() => resolve(null), 2_000);
      }),
  );

/** What axe finds wrong. */
export async function faults(page) {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run({ resultTypes: ["violations"] }));
  return violations.map(({ id, impact, nodes }) => ({
    id,
    impact,
    where: nodes.map(({ html }) => html.slice(0, 200)),
  }));
}

/** The window as a WebP, a fraction of a PNG's bytes: a page of the documentation has two of them. */
export async function pictured(page, path) {
  await writeFile(path, await webp(page.context(), await page.screenshot()));
}

/** An image in the browser's own encoding; on an empty page, for policies of pages forbid what it takes. */
export async function webp(context, image) {
  const empty = await context.newPage();
  const encoded = await empty.evaluate(async (text) => {
    const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${text}`)).blob());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext("2d").drawImage(bitmap, 0, 0);
    const blob = await canvas.convertToBlob({ type: "image/webp", quality: 0.8 });
    const bytes = new Uint8Array(await blob.arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  }, image.toString("base64"));
  await empty.close();
  return Buffer.from(encoded, "base64");
}
