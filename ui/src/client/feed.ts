/**
 * Events of a company as they are gathered from pages, newest first.
 *
 * A first page read again brings what is new; further pages what is older. Pure: nothing is asked here.
 */
import type { CompanyEvent, EventPage } from "../model.js";

export interface Feed {
  /** By sequence, newest first, each once. */
  readonly events: readonly CompanyEvent[];
  /** Where older ones go on; null where there are none. */
  readonly cursor: string | null;
}

/**
 * The feed with the first page as it is now. Where the page no longer meets what is held, that is let go:
 * between them something may be missing.
 */
export function renewed(feed: Feed | null, page: EventPage): Feed {
  const first: Feed = { events: page.data, cursor: page.next_cursor };
  if (feed === null) return first;
  const held = new Set(feed.events.map((event) => event.event_id));
  const meets = page.data.some((event) => held.has(event.event_id));
  return meets ? { events: together(page.data, feed.events), cursor: feed.cursor } : first;
}

/** The feed with the page after it. */
export function extended(feed: Feed, page: EventPage): Feed {
  return { events: together(feed.events, page.data), cursor: page.next_cursor };
}

function together(newer: readonly CompanyEvent[], older: readonly CompanyEvent[]): CompanyEvent[] {
  const events = new Map([...older, ...newer].map((event) => [event.event_id, event]));
  return [...events.values()].sort((a, b) =>
    a.sequence < b.sequence ? 1 : a.sequence > b.sequence ? -1 : 0,
  );
}
