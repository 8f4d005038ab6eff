"use client";
/** A company's filings, newest first, with links to the documents. */
import { useState, type ReactNode } from "react";
import { filingsOf } from "../companyQueries.js";
import { useResource } from "../hooks/useResource.js";
import { filled, wordFor } from "../messages.js";
import type { FilingEntry, Filings } from "../model.js";
import { Elsewhere } from "../parts/Elsewhere.js";
import { FailureNote } from "../parts/FailureNote.js";
import { Frame } from "../parts/Frame.js";
import { Time } from "../parts/Value.js";
import { useSettings, type CompanyProps, type Settings } from "../settings.js";

export interface FilingListProps extends CompanyProps {
  /** Filings of one page, 1 to 100; 10 where it is left out. */
  readonly limit?: number | undefined;
}

const LIMIT = 10;

export function FilingList(props: FilingListProps): ReactNode {
  const limit = props.limit ?? LIMIT;
  const settings = useSettings(props);
  const { words, place, client } = settings;
  const { resource, renew } = useResource(filingsOf(place, { limit }), client);
  const emptyWords = (found: Filings): string | null => (found.data.length === 0 ? words.noFilings : null);
  return (
    <Frame kind="filings" title={words.filings} {...{ props, settings, resource, renew, emptyWords }}>
      {(found) => (
        <ol className="firmdata-events" aria-label={filled(words.filingsOf, { name: found.name })}>
          <Page key={place.companyId} {...{ found, settings, limit }} />
        </ol>
      )}
    </Frame>
  );
}

interface PageProps {
  readonly found: Filings;
  readonly settings: Settings;
  readonly limit: number;
}

/** One page of filings, and the pages after it as they are asked for. */
function Page({ found, settings, limit }: PageProps): ReactNode {
  const [isOpen, open] = useState(false);
  const { next_cursor: cursor } = found;
  return (
    <>
      {found.data.map((filing) => (
        <li key={filing.filing_id} data-filing={filing.filing_id}>
          <Line {...{ filing, settings }} />
        </li>
      ))}
      {cursor !== null && !isOpen && (
        <li>
          <button type="button" className="firmdata-button" onClick={() => open(true)}>
            {settings.words.older}
          </button>
        </li>
      )}
      {cursor !== null && isOpen && <Further {...{ cursor, settings, limit }} />}
    </>
  );
}

function Further({ cursor, settings, limit }: Omit<PageProps, "found"> & { readonly cursor: string }): ReactNode {
  const { resource, renew } = useResource(filingsOf(settings.place, { limit, cursor }), settings.client);
  if (resource.state === "ready") return <Page {...{ settings, limit }} found={resource.value} />;
  return (
    <li role="status">
      {resource.state === "loading" ? (
        settings.words.loading
      ) : (
        <FailureNote failure={resource.failure} format={settings.format} onRetry={renew} />
      )}
    </li>
  );
}

function Line({ filing, settings }: { readonly filing: FilingEntry; readonly settings: Settings }): ReactNode {
  const { words, format } = settings;
  const type = wordFor(words.filingTypes, filing.filing_type) ?? filing.filing_type;
  const title = [type, filing.period].filter(Boolean).join(" ");
  const version = filing.versions.find((one) => one.filing_id === filing.filing_id);
  const [source] = filing.sources;
  return (
    <>
      <p className="firmdata-small">
        <Time at={filing.filed_at} as={format.day} />
        {version !== undefined && filing.versions.length > 1 && (
          <span className="firmdata-tag">
            {filled(words.versionOf, {
              version: format.count(version.version),
              count: format.count(filing.versions.length),
            })}
          </span>
        )}
      </p>
      <p className="firmdata-event">
        <Elsewhere address={filing.document_url ?? source?.url}>{title}</Elsewhere>
      </p>
      {source !== undefined && (
        <p className="firmdata-small">{filled(words.filingSource, { register: source.register })}</p>
      )}
    </>
  );
}
