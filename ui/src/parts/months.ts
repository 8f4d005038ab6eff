/** Months of a calendar, as arithmetic on days of UTC. No words, nothing drawn. */
import type { CompanyEvent } from "../model.js";

/** A month, as 2026-11: compared and sorted as text. */
export type Month = string;

const WEEK = 7;

export function dayOf(event: CompanyEvent): string {
  return event.occurred_at.slice(0, 10);
}

export function monthOf(month: Month): { readonly year: number; readonly month: number } {
  const [year, number] = month.split("-");
  return { year: Number(year), month: Number(number) };
}

/** The month so many later. */
export function moved(month: Month, by: number): Month {
  const { year, month: number } = monthOf(month);
  return new Date(Date.UTC(year, number - 1 + by)).toISOString().slice(0, 7);
}

export function inMonth(events: readonly CompanyEvent[], month: Month): CompanyEvent[] {
  return events.filter((event) => dayOf(event).startsWith(month)).sort(laterFirst);
}

function laterFirst(a: CompanyEvent, b: CompanyEvent): number {
  return a.occurred_at < b.occurred_at ? 1 : a.occurred_at > b.occurred_at ? -1 : 0;
}

/** How many events each day has; a day without has no entry. */
export function perDay(events: readonly CompanyEvent[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const event of events) counts.set(dayOf(event), (counts.get(dayOf(event)) ?? 0) + 1);
  return counts;
}

/** The months of the earliest and the latest event. There must be one. */
export function spanOf(events: readonly CompanyEvent[]): { readonly first: Month; readonly last: Month } {
  const months = events.map((event) => dayOf(event).slice(0, 7)).sort();
  const [first] = months;
  const last = months.at(-1);
  if (first === undefined || last === undefined) throw new RangeError("a calendar needs an event");
  return { first, last };
}

/** Weeks from Monday to Sunday, their days as 2026-11-18; null beside the month. */
export function weeksOf(month: Month): (string | null)[][] {
  const { year, month: number } = monthOf(month);
  const days = new Date(Date.UTC(year, number, 0)).getUTCDate();
  const before = (new Date(Date.UTC(year, number - 1)).getUTCDay() + 6) % WEEK;
  const weeks = Math.ceil((before + days) / WEEK);
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: WEEK }, (_, place) => {
      const day = week * WEEK + place - before + 1;
      return day < 1 || day > days ? null : `${month}-${String(day).padStart(2, "0")}`;
    }),
  );
}
