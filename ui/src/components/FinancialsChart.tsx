"use client";
/**
 * Revenue and result over the years as bars, quarters on demand; the same figures as a table.
 *
 * What is unknown is a gap, never 0; currencies are never on one axis; a period of an unusual length says so.
 */
import { useState, type ReactNode } from "react";
import { financialsOf } from "../client/queries.js";
import type { Notation } from "../format.js";
import { useResource } from "../hooks/useResource.js";
import { filled } from "../messages.js";
import type { Financials, Period } from "../model.js";
import { Empty, Frame } from "../parts/Frame.js";
import { PeriodBars, type ChartFigure } from "../parts/PeriodBars.js";
import { seriesOf, unusualMonths, type Series } from "../parts/periods.js";
import { DerivedMark, Value } from "../parts/Value.js";
import { useSettings, type CompanyProps, type Settings } from "../settings.js";

export interface FinancialsChartProps extends CompanyProps {
  /** The newest fiscal years, 1 to 30; 8 where it is left out. */
  readonly years?: number | undefined;
  /** The newest fiscal years whose quarters are shown, 1 to 30; 3 where it is left out. */
  readonly quarterYears?: number | undefined;
  /** Drawn beside one another, at most three; revenue and net result where they are left out. */
  readonly figures?: readonly ChartFigure[] | undefined;
  /** What is shown first; `annual` where it is left out. */
  readonly periodType?: Period["period_type"] | undefined;
  /** The group's figures or the company's own; left out: the group's where there are any. */
  readonly consolidated?: boolean | undefined;
  /** How the amounts of the chosen period are written; `compact` where it is left out. */
  readonly notation?: Notation | undefined;
}

const YEARS = 8;
const QUARTER_YEARS = 3;
const FIGURES = ["revenue", "net_result"] as const;
const MOST_FIGURES = 3;

export function FinancialsChart(props: FinancialsChartProps): ReactNode {
  const { years = YEARS, quarterYears = QUARTER_YEARS, consolidated, notation = "compact" } = props;
  const figures = (props.figures ?? FIGURES).slice(0, MOST_FIGURES);
  const settings = useSettings(props);
  const { words, place, client } = settings;
  const [periodType, choose] = useState(props.periodType ?? "annual");
  const choice = { years: periodType === "annual" ? years : quarterYears, periodType, consolidated };
  const { resource, renew } = useResource(financialsOf(place, choice), client);
  return (
    <Frame kind="chart" title={words.chart} {...{ props, settings, resource, renew }} emptyWords={() => null}>
      {(found) => (
        <>
          <Lengths {...{ periodType, choose, settings }} />
          {found.data.length === 0 ? (
            <Empty
              text={periodType === "annual" ? words.noFinancials : words.noQuarters}
              slots={settings.slots}
            />
          ) : (
            <Charts {...{ found, figures, settings, notation }} key={periodType} />
          )}
        </>
      )}
    </Frame>
  );
}

interface LengthsProps {
  readonly periodType: Period["period_type"];
  readonly choose: (periodType: Period["period_type"]) => void;
  readonly settings: Settings;
}

function Lengths({ periodType, choose, settings: { words } }: LengthsProps): ReactNode {
  const choices = [
    ["annual", words.years],
    ["quarterly", words.quarters],
  ] as const;
  return (
    <div className="firmdata-choices" role="group" aria-label={words.periodLength}>
      {choices.map(([type, name]) => (
        <button
          key={type}
          type="button"
          className="firmdata-button"
          aria-pressed={type === periodType}
          onClick={() => choose(type)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

interface ChartsProps {
  readonly found: Financials;
  readonly figures: readonly ChartFigure[];
  readonly settings: Settings;
  readonly notation: Notation;
}

function Charts({ found, figures, settings, notation }: ChartsProps): ReactNode {
  const { words } = settings;
  const all = seriesOf(found.data);
  const hasUnusual = found.data.some((period) => unusualMonths(period) !== null);
  return (
    <>
      {all.map((series) => (
        <figure className="firmdata-figure" key={series.currency ?? ""}>
          <figcaption className="firmdata-small">{titleOf(found, series, figures, settings)}</figcaption>
          <PeriodBars {...{ series, figures, settings, notation }} title={titleOf(found, series, figures, settings)} />
        </figure>
      ))}
      {all.length > 1 && <p className="firmdata-small">{words.otherCurrency}</p>}
      {hasUnusual && <p className="firmdata-small">{words.unusualLength}</p>}
      <details className="firmdata-details">
        <summary>{words.asTable}</summary>
        {all.map((series) => (
          <ChartTable key={series.currency ?? ""} {...{ found, series, figures, settings, notation }} />
        ))}
      </details>
    </>
  );
}

function titleOf(
  found: Financials,
  series: Series,
  figures: readonly ChartFigure[],
  { words }: Settings,
): string {
  return filled(words.chartOf, {
    figures: figures.map((figure) => words.figures[figure]).join(", "),
    name: found.name,
    currency: series.currency ?? words.noCurrency,
  });
}

type ChartTableProps = ChartsProps & { readonly series: Series };

function ChartTable({ found, series, figures, settings, notation }: ChartTableProps): ReactNode {
  const { words, format } = settings;
  const title = titleOf(found, series, figures, settings);
  return (
    <div className="firmdata-scroll" role="region" aria-label={title} tabIndex={0}>
      <table className="firmdata-table">
        <caption className="firmdata-hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col">{words.period}</th>
            {figures.map((figure) => (
              <th key={figure} scope="col">
                {words.figures[figure]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...series.slots].reverse().map(({ name, period }, place) => (
            <tr key={place} data-row={name}>
              <th scope="row">{name}</th>
              {figures.map((figure) => (
                <td key={figure} data-cell={figure}>
                  <Value of={period?.[figure]} as={(value) => format.money(value, null, notation)} />
                  {period !== null && <DerivedMark period={period} figure={figure} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
