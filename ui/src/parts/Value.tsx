/**
 * A value of an answer as readers see it, with the exact one beside it for machines; null as a dash, never as
 * 0.
 */
import type { ReactNode } from "react";
import type { Period } from "../model.js";
import { useWords } from "../settings.js";

interface ValueProps<T> {
  readonly of: T | null | undefined;
  readonly as: (value: T) => string;
}

export function Value<T extends number | bigint | string>({ of, as }: ValueProps<T>): ReactNode {
  if (of === null || of === undefined) return <Unknown />;
  const shown = as(of);
  const exact = String(of);
  return (
    <data className="firmdata-value" value={exact} title={shown === exact ? undefined : exact}>
      {shown}
    </data>
  );
}

export function Unknown(): ReactNode {
  const words = useWords();
  return (
    <span className="firmdata-unknown">
      <span aria-hidden="true">{words.unknown}</span>
      <span className="firmdata-hidden">{words.unknownSpoken}</span>
    </span>
  );
}

/** Marks a figure of a period that was computed, not reported; nothing beside any other. */
export function DerivedMark({ period, figure }: { readonly period: Period; readonly figure: string }): ReactNode {
  const words = useWords();
  const { derived }: { readonly derived?: readonly string[] } = period; // which a page's own answer may lack
  if (derived === undefined || !derived.includes(figure)) return null;
  return (
    <span className="firmdata-mark" title={words.derived}>
      <span aria-hidden="true">*</span>
      <span className="firmdata-hidden"> ({words.derived})</span>
    </span>
  );
}

/** A day, `YYYY-MM-DD`, or an instant. */
export function Time({
  at,
  as,
}: {
  readonly at: string | null | undefined;
  readonly as: (at: string) => string;
}): ReactNode {
  return at === null || at === undefined ? <Unknown /> : <time dateTime={at}>{as(at)}</time>;
}
