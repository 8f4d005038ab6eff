/** A list of events, newest first, and the way to older ones. */
import type { ReactNode } from "react";
import type { Followed } from "../hooks/useFeed.js";
import type { CompanyEvent } from "../model.js";
import type { Settings } from "../settings.js";
import { Elsewhere } from "./Elsewhere.js";
import { FailureNote } from "./FailureNote.js";
import { toldBy, typeName } from "./told.js";

interface EventListProps {
  readonly events: readonly CompanyEvent[];
  readonly settings: Settings;
  /** Whether each says of which type it is. */
  readonly typed: boolean;
}

export function EventList({ events, settings, typed }: EventListProps): ReactNode {
  return (
    <ol className="firmdata-events">
      {events.map((event) => (
        <li key={event.event_id} data-event={event.event_id}>
          <EventLine event={event} settings={settings} typed={typed} />
        </li>
      ))}
    </ol>
  );
}

const MIDNIGHT = "T00:00:00Z";

function EventLine({
  event,
  settings,
  typed,
}: Omit<EventListProps, "events"> & { event: CompanyEvent }): ReactNode {
  const { words, format } = settings;
  const told = toldBy(event, words, format);
  const at = event.occurred_at;
  // What is known by the day only is told at midnight (docs/contract/contract.md 4.6).
  const when = at.endsWith(MIDNIGHT) ? format.day(at.slice(0, 10)) : format.instant(at);
  return (
    <>
      <p className="firmdata-small">
        <time dateTime={at}>{when}</time>
        {typed && <span className="firmdata-tag">{typeName(event, words)}</span>}
      </p>
      <p className="firmdata-event" lang={told.language}>
        <Elsewhere address={told.address}>{told.title}</Elsewhere>
      </p>
      {told.note !== null && <p className="firmdata-small">{told.note}</p>}
    </>
  );
}

interface OlderProps {
  readonly followed: Followed;
  readonly settings: Settings;
}

export function Older({ followed, settings }: OlderProps): ReactNode {
  const { older, reading, olderFailure } = followed;
  if (older === null) return null;
  if (olderFailure !== null)
    return <FailureNote failure={olderFailure} format={settings.format} onRetry={older} />;
  // It stays where it is while pages are read: a button that goes takes the keyboard's place with it.
  return (
    <button
      type="button"
      className="firmdata-button"
      onClick={reading ? undefined : older}
      aria-disabled={reading}
    >
      {settings.words.older}
    </button>
  );
}
