/** Whatever React complains of on the console fails the test that made it complain. */
import { afterEach, beforeEach, expect, vi } from "vitest";

beforeEach(() => {
  vi.spyOn(console, "error");
  vi.spyOn(console, "warn");
});

afterEach(() => {
  const said = [console.error, console.warn].flatMap((say) => vi.mocked(say).mock.calls);
  vi.restoreAllMocks();
  expect(said).toEqual([]);
});
