/** What all components are inside: a named section with a heading, and the states before there is a value. */
import { createElement, useId, type ReactNode } from "react";
import type { Resource } from "../hooks/useResource.js";
import type { CompanyProps, Settings } from "../settings.js";
import { FailureNote } from "./FailureNote.js";

interface FrameProps<T> {
  readonly kind: string;
  readonly title: string;
  readonly props: CompanyProps;
  readonly settings: Settings;
  readonly resource: Resource<T>;
  readonly renew: () => void;
  /** What to say of a value that has nothing to show; null where it has. */
  readonly emptyWords: (value: T) => string | null;
  readonly children: (value: T) => ReactNode;
}

export function Frame<T>(frame: FrameProps<T>): ReactNode {
  const { kind, title, props, resource } = frame;
  const id = useId();
  const heading = createElement(`h${props.headingLevel ?? 2}`, { id, className: "firmdata-title" }, title);
  return (
    <section
      className={["firmdata", `firmdata-${kind}`, props.className].filter(Boolean).join(" ")}
      aria-labelledby={id}
      aria-busy={resource.state === "loading"}
      data-state={resource.state}
    >
      {heading}
      <Content {...frame} />
    </section>
  );
}

function Content<T>({ settings, resource, renew, emptyWords, children }: FrameProps<T>): ReactNode {
  if (resource.state === "loading") return <Loading words={settings.words.loading} />;
  if (resource.state === "failed") {
    return <FailureNote failure={resource.failure} format={settings.format} onRetry={renew} />;
  }
  const empty = emptyWords(resource.value);
  return (
    <>
      {resource.failure !== null && (
        <p className="firmdata-small" role="status">
          {settings.words.stale}
        </p>
      )}
      {empty === null ? children(resource.value) : <p className="firmdata-empty">{empty}</p>}
    </>
  );
}

function Loading({ words }: { readonly words: string }): ReactNode {
  return (
    <div className="firmdata-loading" role="status">
      <span className="firmdata-hidden">{words}</span>
      <span className="firmdata-bone" aria-hidden="true" />
      <span className="firmdata-bone" aria-hidden="true" />
      <span className="firmdata-bone" aria-hidden="true" />
    </div>
  );
}
