/** One question of a component: asked when it appears, dropped when it goes or asks another. */
import { useCallback, useEffect, useState } from "react";
import type { Client } from "../client/client.js";
import { ReadError, type Failure } from "../client/failure.js";
import { nameOf, type Query } from "../client/queries.js";

/** What is known of an answer. `failure` beside a value: it could not be renewed. */
export type Resource<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: T; readonly failure: Failure | null }
  | { readonly state: "failed"; readonly failure: Failure };

export interface ReadResult<T> {
  readonly resource: Resource<T>;
  /** Asks the service again; what is shown stays until it has answered. */
  readonly renew: () => void;
}

const LOADING = { state: "loading" } as const;

/**
 * Runs on pages alone: a server renders every component as loading, and so does the page at first.
 *
 * A query that is null is not asked: its answer stays loading.
 */
export function useResource<T>(query: Query<T> | null, client: Client): ReadResult<T> {
  const name = query === null ? "" : nameOf(query);
  const [held, hold] = useState<{ name: string; resource: Resource<T> }>({ name, resource: LOADING });
  const [turn, setTurn] = useState(0);

  useEffect(() => {
    if (query === null) return undefined;
    const stop = new AbortController();
    client.read(query, stop.signal, turn > 0).then(
      (value) => {
        if (!stop.signal.aborted) hold({ name, resource: { state: "ready", value, failure: null } });
      },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        if (!(error instanceof ReadError)) throw error;
        hold((before) => ({
          name,
          resource: failed(before.name === name ? before.resource : LOADING, error.failure),
        }));
      },
    );
    return () => stop.abort();
    // The name stands for the query.
  }, [name, turn, client]);

  const renew = useCallback(() => setTurn((before) => before + 1), []);
  return { resource: held.name === name ? held.resource : LOADING, renew };
}

function failed<T>(before: Resource<T>, failure: Failure): Resource<T> {
  return before.state === "ready" ? { ...before, failure } : { state: "failed", failure };
}
