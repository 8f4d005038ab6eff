/**
 * Periods of accounts in the order in which a chart draws them, with a place for every one that is missing.
 * Arithmetic alone: nothing is drawn here.
 */
import type { Figure, Period } from "../model.js";

/** A place on the axis of time. */
export interface Slot {
  readonly name: string;
  /** The period; null where no accounts are known of it. */
  readonly period: Period | null;
}

/** Periods that may stand on one axis of amounts. */
export interface Series {
  /** ISO 4217; null where the accounts name none. */
  readonly currency: string | null;
  readonly slots: readonly Slot[];
}

const USUAL_MONTHS = { annual: 12, quarterly: 3 } as const;
const QUARTERS = 4;

/** One series for each currency, that of the newest period first: amounts of two are never compared. */
export function seriesOf(periods: readonly Period[]): Series[] {
  const byCurrency = new Map<string | null, Period[]>();
  for (const period of newestFirst(periods)) {
    const known = byCurrency.get(period.currency) ?? [];
    byCurrency.set(period.currency, [...known, period]);
  }
  return [...byCurrency].map(([currency, known]) => ({ currency, slots: slotsOf(known) }));
}

/** Its months where they are not those that a year or a quarter has; null where they are, or are unknown. */
export function unusualMonths(period: Period): number | null {
  const months = period.period_months ?? null;
  return months === null || months === USUAL_MONTHS[period.period_type] ? null : months;
}

const newestFirst = (periods: readonly Period[]): Period[] =>
  [...periods].sort((a, b) => (a.period_end < b.period_end ? 1 : a.period_end > b.period_end ? -1 : 0));

/** From the oldest to the newest; a year or a quarter without accounts between them has a place. */
function slotsOf(periods: readonly Period[]): Slot[] {
  const slots: Slot[] = [];
  for (const period of [...periods].reverse()) {
    const before = slots.at(-1)?.period ?? null;
    if (before !== null) slots.push(...missing(before, period));
    slots.push({ name: period.period, period });
  }
  return slots;
}

function missing(before: Period, after: Period): Slot[] {
  const [from, to] = [placeOf(before), placeOf(after)];
  if (from === null || to === null || before.period_type !== after.period_type) return [];
  return Array.from({ length: Math.max(0, to - from - 1) }, (_, place) => ({
    name: nameAt(from + place + 1, after.period_type),
    period: null,
  }));
}

/** Its number on the axis of time; null where the quarter is unknown. */
function placeOf({ period_type: type, fiscal_year: year, fiscal_quarter: quarter }: Period): number | null {
  if (type === "annual") return year;
  return quarter === null ? null : year * QUARTERS + quarter - 1;
}

function nameAt(place: number, type: Period["period_type"]): string {
  if (type === "annual") return String(place);
  return `${Math.floor(place / QUARTERS)}-Q${(place % QUARTERS) + 1}`;
}

/** The lowest and the highest of the figures, with 0 between them; both 0 where nothing is known. */
export function rangeOf(figures: readonly Figure[]): readonly [number, number] {
  const known = figures.filter((figure) => figure !== null).map(Number);
  return [Math.min(0, ...known), Math.max(0, ...known)];
}
