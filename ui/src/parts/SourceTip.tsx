/**
 * Where a field comes from, on hover or focus of a small button: register, record, when it was read, its licence.
 *
 * It stays while the pointer is on it, and Escape takes it away (WCAG 1.4.13).
 */
import { useId, useState, type KeyboardEvent, type ReactNode } from "react";
import { filled } from "../messages.js";
import type { ProfileSource } from "../model.js";
import type { Settings } from "../settings.js";

interface SourceTipProps {
  readonly field: string;
  readonly sources: readonly ProfileSource[];
  readonly settings: Settings;
}

export function SourceTip({ field, sources, settings }: SourceTipProps): ReactNode {
  const id = useId();
  const [isOpen, open] = useState(false);
  if (sources.length === 0) return null;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") open(false);
  };
  return (
    <span
      className="firmdata-source"
      onMouseEnter={() => open(true)}
      onMouseLeave={() => open(false)}
      onKeyDown={onKeyDown}
    >
      <button
        type="button"
        className="firmdata-source-button"
        aria-label={filled(settings.words.provenance, { field })}
        aria-describedby={isOpen ? id : undefined}
        onFocus={() => open(true)}
        onBlur={() => open(false)}
      >
        <span aria-hidden="true">i</span>
      </button>
      {isOpen && (
        <span role="tooltip" id={id} className="firmdata-tip">
          {sources.map((source) => (
            <span className="firmdata-below" key={source.register + source.native_id} data-source={source.register}>
              {told(source, settings)}
            </span>
          ))}
        </span>
      )}
    </span>
  );
}

function told(source: ProfileSource, { words, format }: Settings): string {
  const { register, native_id: record, retrieved_at: at, licence } = source;
  const known = [
    register,
    record && filled(words.recordNumber, { id: record }),
    at && filled(words.retrieved, { instant: format.instant(at) }),
    licence && filled(words.licence, { licence }),
  ];
  return known.filter(Boolean).join(" · ");
}
