/** The events of a company on a page: the first page, older ones on demand, newer ones as time goes on. */
import { useEffect, useRef, useState } from "react";
import type { Client } from "../client/client.js";
import { ReadError, type Failure } from "../client/failure.js";
import { extended, renewed, type Feed } from "../client/feed.js";
import { eventsOf, nameOf, type EventChoice, type Place } from "../client/queries.js";
import type { EventPage } from "../model.js";
import { useResource, type Resource } from "./useResource.js";

export interface Followed {
  readonly resource: Resource<Feed>;
  /** Reads what is older; null where there is nothing older. */
  readonly older: (() => void) | null;
  readonly reading: boolean;
  readonly olderFailure: Failure | null;
  readonly renew: () => void;
}

interface Gathered {
  readonly name: string;
  readonly feed: Feed | null;
  readonly reading: boolean;
  readonly failure: Failure | null;
}

/** `refreshSeconds`: how often what is new is asked for while the page is seen; null: never. */
export function useFeed(
  place: Place,
  choice: EventChoice,
  refreshSeconds: number | null,
  client: Client,
): Followed {
  const query = eventsOf(place, choice);
  const { resource, renew } = useResource(query, client);
  const name = nameOf(query);
  const [held, hold] = useState<Gathered>(() => nothing(name));
  const stop = useRef<AbortController | null>(null);
  const page = resource.state === "ready" ? resource.value : null;
  const { feed, reading, failure } = of(name, held);

  useEffect(() => {
    if (page !== null)
      hold((before) => ({ ...of(name, before), feed: renewed(of(name, before).feed, page) }));
  }, [page, name]);
  useEffect(() => () => stop.current?.abort(), [name]);
  useRefresh(renew, mayRefresh(resource) ? refreshSeconds : null);

  const readOlder = (cursor: string): void => {
    stop.current = new AbortController();
    const { signal } = stop.current;
    hold((before) => ({ ...of(name, before), reading: true, failure: null }));
    client.read(eventsOf(place, { ...choice, cursor }), signal, false).then(
      (next) => signal.aborted || hold((before) => withPage(of(name, before), next)),
      (error: unknown) => {
        if (signal.aborted) return;
        if (!(error instanceof ReadError)) throw error;
        hold((before) => ({ ...of(name, before), reading: false, failure: error.failure }));
      },
    );
  };
  const cursor = feed?.cursor ?? null;
  return {
    resource: shown(resource, feed),
    older: cursor === null ? null : () => readOlder(cursor),
    reading,
    olderFailure: failure,
    renew,
  };
}

const nothing = (name: string): Gathered => ({ name, feed: null, reading: false, failure: null });

/** What was gathered under a name; what belongs to another question is let go. */
const of = (name: string, held: Gathered): Gathered => (held.name === name ? held : nothing(name));

function withPage(held: Gathered, page: EventPage): Gathered {
  return { ...held, feed: held.feed && extended(held.feed, page), reading: false };
}

/** A refusal of the service ends the refreshing; that it could not be reached does not. */
function mayRefresh(resource: Resource<unknown>): boolean {
  return resource.state === "ready" && (resource.failure === null || resource.failure.status === null);
}

function shown(resource: Resource<unknown>, feed: Feed | null): Resource<Feed> {
  if (resource.state === "failed") return resource;
  if (resource.state === "loading" || feed === null) return { state: "loading" };
  return { state: "ready", value: feed, failure: resource.failure };
}

// A timer holds no more: with a longer one, as with 0, a page would ask without a pause.
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Calls at every turn while the page is seen; an answer that has not changed is not counted by the service. 0, and more
 * than a timer holds: never.
 */
function useRefresh(renew: () => void, seconds: number | null): void {
  useEffect(() => {
    const turn = (seconds ?? 0) * 1000;
    if (!(turn > 0 && turn <= LONGEST_TIMER)) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") renew();
    }, turn);
    return () => clearInterval(timer);
  }, [renew, seconds]);
}
