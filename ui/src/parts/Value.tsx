/**
 * A value of an answer as readers see it, with the exact one beside it for machines; null as a dash, never as
 * 0.
 */
import type { ReactNode } from "react";
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
