/**
 * Figures of periods as bars beside one another, and below them a button for each period that reads its figures.
 *
 * What is unknown has no bar; 0 has a line. To a screen reader it is one picture with words; the buttons and the
 * table beside it hold the figures. Positions across are percentages, so it fits any page without being measured.
 */
import { scaleBand, scaleLinear, type ScaleLinear } from "d3-scale";
import { useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import type { Notation } from "../format.js";
import { filled } from "../messages.js";
import type { Period } from "../model.js";
import type { Settings } from "../settings.js";
import { rangeOf, unusualMonths, type Series, type Slot } from "./periods.js";
import { DerivedMark, Value } from "./Value.js";

export type ChartFigure = "revenue" | "operating_result" | "net_result" | "equity" | "total_assets";

const HEIGHT = 180;
const TOP = 8;
const TICKS = 4;
const WHOLE = 100;
const LEAST = 1;
const WIDEST = 20; // percent of the drawing that the bars of one period take

interface PeriodBarsProps {
  readonly series: Series;
  readonly figures: readonly ChartFigure[];
  readonly settings: Settings;
  readonly notation: Notation;
  readonly title: string;
}

export function PeriodBars({ series, figures, settings, notation, title }: PeriodBarsProps): ReactNode {
  const { slots, currency } = series;
  const down = scaleLinear(rangeOf(figuresIn(series, figures)), [HEIGHT - TOP, TOP]).nice(TICKS);
  const across = scaleBand(
    slots.map((_, place) => place),
    [0, WHOLE],
  );
  const room = Math.min(across.bandwidth(), WIDEST);
  const margin = (across.bandwidth() - room) / 2;
  const within = scaleBand(figures, [margin, margin + room]).padding(0.15);
  const [chosen, choose] = useState<number>(lastKnown(slots));
  const place = chosen < slots.length ? chosen : lastKnown(slots);
  const ticks = down.ticks(TICKS);
  return (
    <div className="firmdata-chart" data-currency={currency ?? ""}>
      <div className="firmdata-plot">
        <svg className="firmdata-amounts" width="64" height={HEIGHT} aria-hidden="true">
          {ticks.map((tick) => (
            <text key={tick} x="60" y={down(tick) + 4} textAnchor="end">
              {settings.format.money(tick, null, "compact")}
            </text>
          ))}
        </svg>
        <svg className="firmdata-columns" role="img" aria-label={title} width="100%" height={HEIGHT}>
          {ticks.map((tick) => (
            <line
              key={tick}
              className={tick === 0 ? "firmdata-zero" : "firmdata-line"}
              x1="0"
              x2="100%"
              y1={down(tick)}
              y2={down(tick)}
            />
          ))}
          {slots.map(({ period }, at) => (
            <g key={at} data-column={slots[at]?.name} className={at === place ? "firmdata-chosen" : undefined}>
              {period !== null &&
                figures.map((figure, order) => (
                  <Bar
                    key={figure}
                    {...{ period, figure, order, down }}
                    left={(across(at) ?? 0) + (within(figure) ?? 0)}
                    width={within.bandwidth()}
                  />
                ))}
            </g>
          ))}
        </svg>
      </div>
      <Axis {...{ slots, place, choose, settings }} />
      <Reading {...{ figures, settings, notation, currency }} slot={slots[place]} />
    </div>
  );
}

const figuresIn = ({ slots }: Series, figures: readonly ChartFigure[]): (number | bigint | null)[] =>
  slots.flatMap(({ period }) => (period === null ? [] : figures.map((figure) => period[figure])));

const lastKnown = (slots: readonly Slot[]): number => slots.length - 1;

interface BarProps {
  readonly period: Period;
  readonly figure: ChartFigure;
  readonly order: number;
  readonly left: number;
  readonly width: number;
  readonly down: ScaleLinear<number, number>;
}

function Bar({ period, figure, order, left, width, down }: BarProps): ReactNode {
  const value: number | bigint | null | undefined = period[figure];
  if (value === null || value === undefined) return null;
  const [end, base] = [down(Number(value)), down(0)];
  return (
    <rect
      className={`firmdata-column firmdata-column-${order + 1}`}
      data-bar={figure}
      data-value={String(value)}
      x={`${left}%`}
      width={`${width}%`}
      y={Math.min(end, base)}
      height={Math.max(LEAST, Math.abs(base - end))}
    />
  );
}

interface AxisProps {
  readonly slots: readonly Slot[];
  readonly place: number;
  readonly choose: (place: number) => void;
  readonly settings: Settings;
}

/** The periods as buttons, one stop of Tab; the arrow keys go from one to the next. */
function Axis({ slots, place, choose, settings }: AxisProps): ReactNode {
  const row = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -slots.length, End: slots.length }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.min(Math.max(0, place + step), slots.length - 1);
    choose(next);
    row.current?.querySelectorAll("button")[next]?.focus();
  };
  return (
    <div ref={row} className="firmdata-periods" role="group" aria-label={settings.words.periods} onKeyDown={onKeyDown}>
      {slots.map((slot, at) => (
        <button
          key={at}
          type="button"
          className="firmdata-period"
          aria-pressed={at === place}
          tabIndex={at === place ? 0 : -1}
          onClick={() => choose(at)}
        >
          <PeriodName slot={slot} settings={settings} />
        </button>
      ))}
    </div>
  );
}

function PeriodName({ slot, settings }: { readonly slot: Slot; readonly settings: Settings }): ReactNode {
  const months = slot.period === null ? null : unusualMonths(slot.period);
  const [year, quarter] = slot.name.split("-");
  return (
    <>
      {quarter === undefined ? year : quarter}
      {quarter !== undefined && <span className="firmdata-small firmdata-below">{year}</span>}
      {months !== null && (
        <span className="firmdata-small firmdata-below" data-months={months}>
          {filled(settings.words.months, { count: settings.format.count(months) })}
        </span>
      )}
    </>
  );
}

interface ReadingProps {
  readonly slot: Slot | undefined;
  readonly figures: readonly ChartFigure[];
  readonly settings: Settings;
  readonly notation: Notation;
  readonly currency: string | null;
}

/** The figures of the chosen period in words. */
function Reading({ slot, figures, settings, notation, currency }: ReadingProps): ReactNode {
  const id = useId();
  const { words, format } = settings;
  if (slot === undefined) return null;
  const { period } = slot;
  return (
    <dl className="firmdata-reading" aria-live="polite" aria-labelledby={id}>
      <div className="firmdata-fact">
        <dt id={id}>{slot.name}</dt>
        <dd className="firmdata-small">
          {period === null ? words.noPeriod : `${format.day(period.period_start)} – ${format.day(period.period_end)}`}
        </dd>
      </div>
      {period !== null &&
        figures.map((figure, order) => (
          <div className="firmdata-fact" key={figure} data-reading={figure}>
            <dt>
              <span className={`firmdata-swatch firmdata-swatch-${order + 1}`} aria-hidden="true" />
              {words.figures[figure]}
            </dt>
            <dd>
              <Value of={period[figure]} as={(value) => format.money(value, currency, notation)} />
              <DerivedMark period={period} figure={figure} />
            </dd>
          </div>
        ))}
    </dl>
  );
}
