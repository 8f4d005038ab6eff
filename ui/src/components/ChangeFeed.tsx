"use client";
/** What changed about a company, newest first; what is new comes by itself while the page is seen. */
import { useEffect, useState, type ReactNode } from "react";
import type { Feed } from "../client/feed.js";
import { eventsOf, nameOf } from "../client/queries.js";
import { useFeed } from "../hooks/useFeed.js";
import { filled } from "../messages.js";
import type { EventType } from "../model.js";
import { EventList, Older } from "../parts/EventList.js";
import { Frame } from "../parts/Frame.js";
import { useSettings, type CompanyProps } from "../settings.js";

export interface ChangeFeedProps extends CompanyProps {
  /** Only these types; left out: all of them. */
  readonly eventTypes?: readonly EventType[] | undefined;
  /** Changes of one page, 1 to 100; 25 where it is left out. */
  readonly limit?: number | undefined;
  /** How often what is new is asked for; 60 where it is left out, null or 0: never. */
  readonly refreshSeconds?: number | null | undefined;
}

const LIMIT = 25;
const REFRESH_SECONDS = 60;

export function ChangeFeed(props: ChangeFeedProps): ReactNode {
  const { eventTypes, limit = LIMIT, refreshSeconds = REFRESH_SECONDS } = props;
  const settings = useSettings(props);
  const { words, place, format } = settings;
  const choice = { types: eventTypes, limit };
  const followed = useFeed(place, choice, refreshSeconds, settings.client);
  const { resource, renew } = followed;
  const arrived = useArrived(nameOf(eventsOf(place, choice)), resource.state === "ready" ? resource.value : null);
  const emptyWords = (feed: Feed): string | null => (feed.events.length === 0 ? words.noChanges : null);
  return (
    <Frame kind="changes" title={words.changes} {...{ props, settings, resource, renew, emptyWords }}>
      {(feed) => (
        <>
          <p className="firmdata-small" role="status">
            {arrived > 0 && filled(words.arrived, { count: format.count(arrived) })}
          </p>
          <EventList events={feed.events} settings={settings} typed />
          <Older {...{ followed, settings }} />
        </>
      )}
    </Frame>
  );
}

interface Seen {
  /** The question (`nameOf`): what another question brings is no news. */
  readonly question: string;
  readonly newest: number | bigint;
}

/** How many came since the feed of a question was first shown. */
function useArrived(question: string, feed: Feed | null): number {
  const [seen, see] = useState<Seen | null>(null);
  const isOther = seen?.question !== question;
  useEffect(() => {
    if (feed !== null && isOther) see({ question, newest: feed.events[0]?.sequence ?? 0 });
  }, [question, feed, isOther]);
  if (feed === null || seen === null || isOther) return 0;
  return feed.events.filter((event) => event.sequence > seen.newest).length;
}
