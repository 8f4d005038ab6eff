/** A share of a company: exact, as a band, or unknown. A band whose ends are equal is one number. */
import type { ReactNode } from "react";
import { filled } from "../messages.js";
import type { Settings } from "../settings.js";
import { Value } from "./Value.js";

export interface Percentages {
  readonly pct: number | null;
  readonly pct_min: number | null;
  readonly pct_max: number | null;
}

/** The exact share; null where it is a band or unknown. */
export function exactShare({ pct, pct_min: from, pct_max: to }: Percentages): number | null {
  return pct ?? (from === to ? from : null);
}

interface ShareProps {
  readonly of: Percentages;
  readonly settings: Settings;
}

export function Share({ of, settings }: ShareProps): ReactNode {
  const { words, format } = settings;
  const { pct_min: from, pct_max: to } = of;
  const exact = exactShare(of);
  if (exact !== null || from === null || to === null) return <Value of={exact} as={format.percent} />;
  const band = { from: format.percent(from), to: format.percent(to) };
  return <Value of={`${from}/${to}`} as={() => filled(words.between, band)} />;
}
