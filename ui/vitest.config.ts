import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.{ts,tsx}"],
    environment: "node",
    testTimeout: 15_000,
    // A warning of React is a fault: an act() left out, a key missing, an attribute that it does not know.
    setupFiles: ["tests/strict.ts"],
    // The cache of happy-dom confirms no answer by a tag of the page's own, as browsers do; so it has none.
    environmentOptions: {
      happyDOM: {
        settings: { fetch: { requestHeaders: [{ url: null, headers: { "Cache-Control": "no-cache" } }] } },
      },
    },
  },
});
