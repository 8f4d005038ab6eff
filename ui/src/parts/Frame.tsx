/** What all components are inside: a named section with a heading, and the states before there is a value. */
import { createElement, useEffect, useId, useRef, type ReactNode } from "react";
import { localFailure, type Failure } from "../client/failure.js";
import type { Resource } from "../hooks/useResource.js";
import type { CompanyProps, Settings, Slots } from "../settings.js";
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
  const { kind, title, props, settings, resource } = frame;
  const { classNames } = settings;
  const id = useId();
  const report = useReport(frame);
  const className = classes("firmdata-title", classNames.title);
  const heading = createElement(`h${props.headingLevel ?? 2}`, { id, className }, title);
  return (
    <section
      className={classes("firmdata", `firmdata-${kind}`, classNames.root, props.className)}
      aria-labelledby={id}
      aria-busy={resource.state === "loading"}
      data-state={resource.state}
    >
      {heading}
      {classNames.content === undefined ? (
        <Content {...frame} report={report} />
      ) : (
        <div className={classNames.content}>
          <Content {...frame} report={report} />
        </div>
      )}
    </section>
  );
}

export const classes = (...names: readonly (string | undefined)[]): string => names.filter(Boolean).join(" ");

type Report = (failure: Failure) => void;

/** Tells the page of each failure once; gives what tells it of another. */
function useReport<T>({ kind, settings, resource }: FrameProps<T>): Report {
  const failure = resource.state === "loading" ? null : resource.failure;
  const { onError, place } = settings;
  const report = useRef<Report>(() => undefined);
  useEffect(() => {
    report.current = (told) => onError?.(told, { component: kind, companyId: place.companyId || null });
  });
  useEffect(() => {
    if (failure !== null) report.current(failure);
  }, [failure]);
  return (told) => report.current(told);
}

type ContentProps<T> = FrameProps<T> & { readonly report: Report };

function Content<T>({ settings, resource, renew, emptyWords, children, report }: ContentProps<T>): ReactNode {
  const { words, slots, format } = settings;
  const failed = (failure: Failure): ReactNode =>
    slots.failure?.(failure, renew) ?? <FailureNote failure={failure} format={format} onRetry={renew} />;
  if (resource.state === "loading") return slots.loading?.(words) ?? <Loading words={words.loading} />;
  if (resource.state === "failed") return failed(resource.failure);
  const { value, failure } = resource;
  const draw = (): ReactNode => {
    const empty = emptyWords(value);
    return empty === null ? children(value) : <Empty text={empty} slots={slots} />;
  };
  const unreadable = localFailure("unreadable_answer");
  return (
    <>
      {failure !== null && (
        <p className="firmdata-small" role="status">
          {words.stale}
        </p>
      )}
      <Guard value={value} draw={draw} instead={failed(unreadable)} onBroken={() => report(unreadable)} />
    </>
  );
}

export function Empty({ text, slots }: { readonly text: string; readonly slots: Slots }): ReactNode {
  return slots.empty?.(text) ?? <p className="firmdata-empty">{text}</p>;
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
