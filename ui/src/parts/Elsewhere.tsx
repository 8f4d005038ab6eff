/**
 * Links to what others publish: addresses come from registers and wires, so only those of the web become
 * links.
 */
import type { ReactNode } from "react";
import { useWords } from "../settings.js";

/** The address where it is one of http or https; null for anything else, `javascript:` above all. */
export function webAddress(text: string | null | undefined): string | null {
  const found = text ? addressIn(text) : null;
  return found !== null && (found.protocol === "https:" || found.protocol === "http:") ? found.href : null;
}

function addressIn(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

interface ElsewhereProps {
  readonly address: string | null | undefined;
  readonly children: ReactNode;
}

/** The children as a link; as they are where the address is none. */
export function Elsewhere({ address, children }: ElsewhereProps): ReactNode {
  const words = useWords();
  const href = webAddress(address);
  if (href === null) return children;
  return (
    <a className="firmdata-link" href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
      <span className="firmdata-hidden"> ({words.opensElsewhere})</span>
    </a>
  );
}
