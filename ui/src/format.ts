/**
 * Numbers, currencies and days in the reader's manner, all by Intl. Null has no form here: `Value` writes it.
 *
 * Days of the service are days of UTC; a time zone moves instants only.
 */
import type { Figure } from "./model.js";

/** `compact`: 105.4B; `standard`: every digit. The exact value is in the page either way (`Value`). */
export type Notation = "compact" | "standard";

export interface Format {
  money(value: number | bigint, currency: string | null, notation: Notation): string;
  count(value: number | bigint): string;
  /** A percentage from 0 to 100, to the four decimals that the service gives. */
  percent(value: number): string;
  /** A change as a share of what was before: 0.1 is +10%. */
  change(share: number): string;
  /** 0.1 is 10%. */
  share(share: number): string;
  /** `YYYY-MM-DD`. */
  day(day: string): string;
  month(year: number, month: number): string;
  instant(at: string | number): string;
  weekdays(): readonly string[];
  country(code: string): string;
}

const FOUR_DECIMALS = 4;

export function formatOf(locale: string, timeZone: string): Format {
  const dayFormat = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
  const monthFormat = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone: "UTC" });
  const weekdayFormat = new Intl.DateTimeFormat(locale, { weekday: "short", timeZone: "UTC" });
  const instantFormat = new Intl.DateTimeFormat(locale, {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone,
  });
  const regions = new Intl.DisplayNames(locale, { type: "region" });
  const number = numbers(locale);
  return {
    money: (value, currency, notation) => number(moneyOptions(currency, notation)).format(value),
    count: (value) => number({ maximumFractionDigits: 0 }).format(value),
    percent: (value) =>
      number({ style: "unit", unit: "percent", maximumFractionDigits: FOUR_DECIMALS }).format(value),
    change: (share) =>
      number({ style: "percent", maximumFractionDigits: 1, signDisplay: "exceptZero" }).format(share),
    share: (share) => number({ style: "percent", maximumFractionDigits: 1 }).format(share),
    day: (day) => dayFormat.format(new Date(`${day}T00:00:00Z`)),
    month: (year, month) => monthFormat.format(Date.UTC(year, month - 1)),
    instant: (at) => instantFormat.format(new Date(at)),
    // The first of January 2024 was a Monday.
    weekdays: () => [1, 2, 3, 4, 5, 6, 7].map((day) => weekdayFormat.format(Date.UTC(2024, 0, day))),
    country: (code) => regions.of(code === "UK" ? "GB" : code) ?? code,
  };
}

/** Formats of numbers by their options, each made once: making one costs more than a hundred uses. */
function numbers(locale: string): (options: Intl.NumberFormatOptions) => Intl.NumberFormat {
  const made = new Map<string, Intl.NumberFormat>();
  return (options) => {
    const name = JSON.stringify(options);
    const format = made.get(name) ?? new Intl.NumberFormat(locale, options);
    made.set(name, format);
    return format;
  };
}

function moneyOptions(currency: string | null, notation: Notation): Intl.NumberFormatOptions {
  const digits: Intl.NumberFormatOptions =
    notation === "compact"
      ? { notation, maximumSignificantDigits: FOUR_DECIMALS }
      : { maximumFractionDigits: 0 };
  // The code, because $ and kr mean several currencies.
  return currency === null ? digits : { style: "currency", currency, currencyDisplay: "code", ...digits };
}

/**
 * A figure against the one before as a share of it; null where either is unknown, or the one before is not
 * above 0.
 */
export function changeSince(before: Figure, after: Figure): number | null {
  if (before === null || after === null || before <= 0) return null;
  return Number(after) / Number(before) - 1;
}
