/** What all components are inside: a named section with a heading, and the states before there is a value. */
import { createElement, useId, type ReactNode } from "react";
import { localFailure, type Failure } from "../client/failure.js";
import type { Resource } from "../hooks/useResource.js";
import type { CompanyProps, Settings } from "../settings.js";
import { FailureNote } from "./FailureNote.js";
import { Guard } from "./Guard.js";

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
  const failed = (failure: Failure): ReactNode => (
    <FailureNote failure={failure} format={settings.format} onRetry={renew} />
  );
  if (resource.state === "loading") return <Loading words={settings.words.loading} />;
  if (resource.state === "failed") return failed(resource.failure);
  const { value, failure } = resource;
  const draw = (): ReactNode => {
    const empty = emptyWords(value);
    return empty === null ? children(value) : <p className="firmdata-empty">{empty}</p>;
  };
  return (
    <>
      {failure !== null && (
        <p className="firmdata-small" role="status">
          {settings.words.stale}
        </p>
      )}
      <Guard value={value} draw={draw} instead={failed(localFailure("unreadable_answer"))} />
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
