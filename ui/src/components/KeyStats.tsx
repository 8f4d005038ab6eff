"use client";
/** The figures of the newest year, and what changed since the year before. */
import type { ReactNode } from "react";
import { financialsOf } from "../client/queries.js";
import { changeSince, type Notation } from "../format.js";
import { useResource } from "../hooks/useResource.js";
import { filled } from "../messages.js";
import type { Figure, Financials, Period } from "../model.js";
import { Frame } from "../parts/Frame.js";
import { unusualMonths } from "../parts/periods.js";
import { DerivedMark, Value } from "../parts/Value.js";
import { useSettings, type CompanyProps, type Settings } from "../settings.js";

export interface KeyStatsProps extends CompanyProps {
  readonly notation?: Notation | undefined;
}

const ROWS = ["revenue", "operating_result", "net_result", "equity", "total_assets", "employees"] as const;
const OF_A_WHOLE_PERIOD: readonly string[] = ["revenue", "operating_result", "net_result"];
const CHOICE = { years: 2, periodType: "annual" } as const;

export function KeyStats(props: KeyStatsProps): ReactNode {
  const settings = useSettings(props);
  const { words } = settings;
  const { resource, renew } = useResource(financialsOf(settings.place, CHOICE), settings.client);
  const emptyWords = (found: Financials): string | null =>
    found.data.length === 0 ? words.noFinancials : null;
  return (
    <Frame kind="stats" title={words.keyStats} {...{ props, settings, resource, renew, emptyWords }}>
      {(found) => <Stats {...{ found, settings }} notation={props.notation ?? "compact"} />}
    </Frame>
  );
}

interface StatsProps {
  readonly found: Financials;
  readonly settings: Settings;
  readonly notation: Notation;
}

function Stats({ found, settings, notation }: StatsProps): ReactNode {
  const { words, format } = settings;
  const [latest] = found.data;
  if (latest === undefined) return null;
  const before = yearBefore(found.data, latest);
  const months = unusualMonths(latest);
  return (
    <>
      <p className="firmdata-small">
        {filled(words.keyStatsOf, { name: found.name, period: latest.period })}
        {months !== null && ` (${filled(words.months, { count: format.count(months) })})`}
      </p>
      <dl className="firmdata-stat-list">
        {ROWS.map((row) => (
          <div className="firmdata-stat" key={row} data-figure={row}>
            <dt>{words.figures[row]}</dt>
            <dd>
              <Value
                of={latest[row]}
                as={(value) =>
                  row === "employees" ? format.count(value) : format.money(value, latest.currency, notation)
                }
              />
              <DerivedMark period={latest} figure={row} />
              {before !== null && isComparable(row, before, latest) && (
                <Change {...{ before, row, latest, settings }} />
              )}
            </dd>
          </div>
        ))}
        <Margin {...{ latest, settings }} />
      </dl>
    </>
  );
}

/** The year before, where its figures can be compared: same currency, same scope. */
export function yearBefore(periods: readonly Period[], latest: Period): Period | null {
  const found = periods.find(
    (period) =>
      period.fiscal_year === latest.fiscal_year - 1 &&
      period.currency === latest.currency &&
      period.is_consolidated === latest.is_consolidated,
  );
  return found ?? null;
}

/** What a whole period adds up to is compared only where both are known to be equally long. */
export function isComparable(row: string, before: Period, latest: Period): boolean {
  const months = latest.period_months ?? null;
  return !OF_A_WHOLE_PERIOD.includes(row) || (months !== null && months === before.period_months);
}

interface ChangeProps {
  readonly before: Period;
  readonly latest: Period;
  readonly row: (typeof ROWS)[number];
  readonly settings: Settings;
}

function Change({ before, latest, row, settings }: ChangeProps): ReactNode {
  const change = changeSince(before[row], latest[row]);
  if (change === null) return null;
  const { words, format } = settings;
  return (
    <span className="firmdata-small firmdata-below">
      {filled(words.sincePrevious, { change: format.change(change), period: before.period })}
    </span>
  );
}

function Margin({ latest, settings }: { readonly latest: Period; readonly settings: Settings }): ReactNode {
  const { words, format } = settings;
  return (
    <div className="firmdata-stat" data-figure="margin">
      <dt>{words.margin}</dt>
      <dd>
        <Value of={marginOf(latest.operating_result, latest.revenue)} as={format.share} />
      </dd>
    </div>
  );
}

/**
 * The operating result as a share of the revenue; null where either is unknown, or the revenue is not above
 * 0.
 */
export function marginOf(result: Figure, revenue: Figure): number | null {
  return result === null || revenue === null || revenue <= 0 ? null : Number(result) / Number(revenue);
}
