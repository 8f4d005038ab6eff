/**
 * Why nothing is shown, in words for readers, with what support needs and, where it makes sense, another
 * attempt.
 */
import { useEffect, useState, type ReactNode } from "react";
import type { Failure } from "../client/failure.js";
import type { Format } from "../format.js";
import { filled, wordFor, type Messages } from "../messages.js";
import { useWords } from "../settings.js";

const SHORT_WAIT_SECONDS = 90;
// What asking again cannot mend: the page, its key or the account must change first.
const FINAL = new Set([
  "key_missing",
  "key_not_publishable",
  "key_malformed",
  "missing_api_key",
  "invalid_api_key",
  "revoked_api_key",
  "expired_api_key",
  "origin_required",
  "origin_not_allowed",
  "key_kind_not_allowed",
  "tier_required",
  "invalid_org_number",
  "company_not_found",
  "company_not_known_then",
  "market_not_available",
]);

interface FailureNoteProps {
  readonly failure: Failure;
  readonly format: Format;
  readonly onRetry: () => void;
}

export function FailureNote({ failure, format, onRetry }: FailureNoteProps): ReactNode {
  const words = useWords();
  const early = useEarly(failure.retryAt);
  return (
    <div className="firmdata-failure" role="alert" data-code={failure.code}>
      <p className="firmdata-failure-words">{wordsOf(failure, words)}</p>
      {failure.detail !== null && <p className="firmdata-small">{failure.detail}</p>}
      {failure.retryAt !== null && early && (
        <p className="firmdata-small">{waitOf(failure.retryAt, words, format)}</p>
      )}
      <p className="firmdata-small">
        <code>{failure.code}</code>
        {failure.requestId !== null && <code> {failure.requestId}</code>}
      </p>
      {!FINAL.has(failure.code) && (
        <button type="button" className="firmdata-button" onClick={onRetry} disabled={early}>
          {words.retry}
        </button>
      )}
    </div>
  );
}

/** The words for a code; failures are met on pages alone, so there is an origin to name. */
function wordsOf(failure: Failure, words: Messages): string {
  const message = wordFor(words.failures, failure.code) ?? words.failures.other;
  return filled(message, { origin: globalThis.location.origin });
}

function waitOf(retryAt: number, words: Messages, format: Format): string {
  const seconds = Math.ceil((retryAt - Date.now()) / 1000);
  return seconds <= SHORT_WAIT_SECONDS
    ? filled(words.waits.seconds, { seconds: format.count(Math.max(1, seconds)) })
    : filled(words.waits.until, { instant: format.instant(retryAt) });
}

// A timer holds no more milliseconds than this; a page that lives longer is asked by its reader.
const LONGEST_TIMER = 2 ** 31 - 1;

/** Whether the time that the service named has not come yet. */
function useEarly(retryAt: number | null): boolean {
  const [passed, setPassed] = useState<number | null>(null);
  useEffect(() => {
    if (retryAt === null) return undefined;
    const timer = setTimeout(
      () => setPassed(retryAt),
      Math.min(Math.max(0, retryAt - Date.now()), LONGEST_TIMER),
    );
    return () => clearTimeout(timer);
  }, [retryAt]);
  return retryAt !== null && passed !== retryAt;
}
