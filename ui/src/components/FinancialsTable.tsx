"use client";
/** Figures of a company's periods side by side, the newest first. */
import { useId, type ReactNode } from "react";
import { financialsOf } from "../client/queries.js";
import type { Notation } from "../format.js";
import { useResource } from "../hooks/useResource.js";
import { filled } from "../messages.js";
import type { Financials, Period } from "../model.js";
import { Frame } from "../parts/Frame.js";
import { unusualMonths } from "../parts/periods.js";
import { DerivedMark, Value } from "../parts/Value.js";
import { useSettings, type CompanyProps, type Settings } from "../settings.js";

export interface FinancialsTableProps extends CompanyProps {
  /** The newest fiscal years, 1 to 30; 5 where it is left out. */
  readonly years?: number | undefined;
  readonly periodType?: Period["period_type"] | undefined;
  /** The group's figures or the company's own; left out: the group's where there are any. */
  readonly consolidated?: boolean | undefined;
  readonly notation?: Notation | undefined;
}

const YEARS = 5;
const ROWS = ["revenue", "operating_result", "net_result", "equity", "total_assets", "employees"] as const;

export function FinancialsTable(props: FinancialsTableProps): ReactNode {
  const { years = YEARS, periodType = "annual", consolidated, notation = "compact" } = props;
  const settings = useSettings(props);
  const { words } = settings;
  const query = financialsOf(settings.place, { years, periodType, consolidated });
  const { resource, renew } = useResource(query, settings.client);
  const emptyWords = (found: Financials): string | null =>
    found.data.length === 0 ? words.noFinancials : null;
  return (
    <Frame kind="financials" title={words.financials} {...{ props, settings, resource, renew, emptyWords }}>
      {(found) => <Table {...{ found, settings, notation }} />}
    </Frame>
  );
}

interface TableProps {
  readonly found: Financials;
  readonly settings: Settings;
  readonly notation: Notation;
}

function Table({ found, settings, notation }: TableProps): ReactNode {
  const { words } = settings;
  const caption = useId();
  const periods = found.data;
  const scope = periods.every((period) => period.is_consolidated) ? words.group : words.ownFigures;
  return (
    <figure className="firmdata-figure">
      {/* Outside of the region: a caption within the table would be as wide as all of it, not as what is seen. */}
      <figcaption id={caption}>
        {filled(words.financialsOf, { name: found.name })} · <span className="firmdata-small">{scope}</span>
      </figcaption>
      {/* A region that scrolls sideways can be reached and moved by the keyboard. */}
      <div className="firmdata-scroll" role="region" aria-labelledby={caption} tabIndex={0}>
        <table className="firmdata-table" aria-labelledby={caption}>
          <thead>
            <tr>
              <th scope="col">{words.figure}</th>
              {periods.map((period) => (
                <ColumnHead key={nameOf(period)} {...{ period, settings }} />
              ))}
            </tr>
          </thead>
          <tbody>
            {ROWS.map((row) => (
              <tr key={row}>
                <th scope="row">{words.figures[row]}</th>
                {periods.map((period) => (
                  <Cell key={nameOf(period)} {...{ period, row, settings, notation }} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/** Periods of one answer differ in days, currency or document (docs/contract/contract.md 4.3). */
function nameOf(period: Period): string {
  return [period.period_start, period.period_end, period.currency, period.filing_id].join(" ");
}

function ColumnHead({
  period,
  settings,
}: {
  readonly period: Period;
  readonly settings: Settings;
}): ReactNode {
  const { format, words } = settings;
  const months = unusualMonths(period);
  return (
    <th scope="col" title={`${format.day(period.period_start)} – ${format.day(period.period_end)}`}>
      {period.period}
      <span className="firmdata-small firmdata-below">
        {period.currency}
        {period.is_restated && ` (${words.restated})`}
      </span>
      {months !== null && (
        <span className="firmdata-small firmdata-below" data-months={months}>
          {filled(words.months, { count: format.count(months) })}
        </span>
      )}
    </th>
  );
}

interface CellProps {
  readonly period: Period;
  readonly row: (typeof ROWS)[number];
  readonly settings: Settings;
  readonly notation: Notation;
}

function Cell({ period, row, settings, notation }: CellProps): ReactNode {
  const { format } = settings;
  // The currency stands in the head of the column.
  const as = (value: number | bigint): string =>
    row === "employees" ? format.count(value) : format.money(value, null, notation);
  return (
    <td data-figure={row} data-period={period.period}>
      <Value of={period[row]} as={as} />
      <DerivedMark period={period} figure={row} />
    </td>
  );
}
