/**
 * Shares as horizontal bars on a scale of percent: full to what is surely held, pale to what may be.
 *
 * Widths are percentages of the drawing's own, so it fits any page without being measured. It is one picture
 * to a screen reader; the table beside it holds the text.
 */
import { scaleBand, scaleLinear } from "d3-scale";
import type { ReactNode } from "react";
import type { Owner } from "../model.js";
import type { Settings } from "../settings.js";
import { exactShare } from "./Share.js";

const ROW_HEIGHT = 40;
const LABEL_HEIGHT = 16;
const BAR_HEIGHT = 12;
const AXIS_HEIGHT = 20;
const TICKS = 5;
const LONGEST_LABEL = 44;
const EVERYTHING = 100;

interface HolderBarsProps {
  readonly owners: readonly Owner[];
  readonly settings: Settings;
  readonly title: string;
}

/** What a bar shows, in percent; null where nothing of the share is known. */
export function spanOf(owner: Owner): { readonly sure: number; readonly possible: number } | null {
  const exact = exactShare(owner);
  if (exact !== null) return { sure: exact, possible: exact };
  if (owner.pct_min === null && owner.pct_max === null) return null;
  const sure = owner.pct_min ?? 0;
  return { sure, possible: owner.pct_max ?? EVERYTHING };
}

export function HolderBars({ owners, settings, title }: HolderBarsProps): ReactNode {
  const spans = owners.map((owner) => ({ owner, span: spanOf(owner) }));
  const widest = Math.max(0, ...spans.map(({ span }) => span?.possible ?? 0));
  const across = scaleLinear([0, widest || EVERYTHING], [0, EVERYTHING]).nice(TICKS);
  const bottom = owners.length * ROW_HEIGHT;
  const down = scaleBand(
    owners.map((owner) => owner.holder_id),
    [0, bottom],
  );
  return (
    <svg className="firmdata-bars" role="img" aria-label={title} width="100%" height={bottom + AXIS_HEIGHT}>
      {across.ticks(TICKS).map((tick) => (
        <Tick key={tick} at={across(tick)} words={settings.format.percent(tick)} bottom={bottom} />
      ))}
      {spans.map(({ owner, span }) => (
        <g key={owner.holder_id} transform={`translate(0 ${down(owner.holder_id) ?? 0})`}>
          {span !== null && (
            <>
              <rect
                className="firmdata-bar-possible"
                y={LABEL_HEIGHT}
                height={BAR_HEIGHT}
                width={`${across(span.possible)}%`}
              />
              <rect
                className="firmdata-bar"
                y={LABEL_HEIGHT}
                height={BAR_HEIGHT}
                width={`${across(span.sure)}%`}
              />
            </>
          )}
          <text className="firmdata-bar-label" y={LABEL_HEIGHT - 4}>
            {shortened(owner.holder_name ?? settings.words.protectedHolder)}
          </text>
        </g>
      ))}
    </svg>
  );
}

interface TickProps {
  readonly at: number;
  readonly words: string;
  readonly bottom: number;
}

function Tick({ at, words, bottom }: TickProps): ReactNode {
  const anchor = at === 0 ? "start" : at >= EVERYTHING ? "end" : "middle";
  return (
    <g className="firmdata-tick">
      <line x1={`${at}%`} x2={`${at}%`} y1={0} y2={bottom} />
      <text x={`${at}%`} y={bottom + AXIS_HEIGHT - 6} textAnchor={anchor}>
        {words}
      </text>
    </g>
  );
}

function shortened(name: string): string {
  const letters = [...name];
  return letters.length > LONGEST_LABEL ? `${letters.slice(0, LONGEST_LABEL - 1).join("")}…` : name;
}
