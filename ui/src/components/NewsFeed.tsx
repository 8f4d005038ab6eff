"use client";
/** What a company and the wires published about it, newest first, each with a link to its publisher. */
import type { ReactNode } from "react";
import type { Feed } from "../client/feed.js";
import { useFeed } from "../hooks/useFeed.js";
import { EventList, Older } from "../parts/EventList.js";
import { Frame } from "../parts/Frame.js";
import { useSettings, type CompanyProps } from "../settings.js";

export interface NewsFeedProps extends CompanyProps {
  /** Items of one page, 1 to 100; 10 where it is left out. */
  readonly limit?: number | undefined;
}

const LIMIT = 10;
const TYPES = ["news.published"] as const;

export function NewsFeed(props: NewsFeedProps): ReactNode {
  const settings = useSettings(props);
  const { words, place } = settings;
  const followed = useFeed(place, { types: TYPES, limit: props.limit ?? LIMIT }, null, settings.client);
  const { resource, renew } = followed;
  const emptyWords = (feed: Feed): string | null => (feed.events.length === 0 ? words.noNews : null);
  return (
    <Frame kind="news" title={words.news} {...{ props, settings, resource, renew, emptyWords }}>
      {(feed) => (
        <>
          <EventList events={feed.events} settings={settings} typed={false} />
          <Older {...{ followed, settings }} />
        </>
      )}
    </Frame>
  );
}
