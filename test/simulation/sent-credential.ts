/** Credential placement: adds a caller's credentials to a request. */
import type { Placement } from "../../src/model/model.ts";

export interface SentCredential {
  readonly header?: [name: string, value: string];
  readonly query?: [name: string, value: string];
}

/** @param texts of the credentials, one after the other */
export function sentAt(placement: Placement, texts: readonly string[]): SentCredential {
  const [text = ""] = texts;
  if (placement.kind === "basic") {
    const pair = placement.parts.map((_, at) => texts[at] ?? "").join(":");
    const sent = placement.parts.length === 1 ? `${pair}:` : pair;
    return { header: ["Authorization", `Basic ${Buffer.from(sent).toString("base64")}`] };
  }
  if (placement.kind === "query") return { query: [placement.name, text] };
  if (placement.kind === "cookie") return { header: ["Cookie", `${placement.name}=${text}`] };
  const [prefix] = "prefixes" in placement ? placement.prefixes : [];
  return { header: [placement.name, prefix ? `${prefix} ${text}` : text] };
}
