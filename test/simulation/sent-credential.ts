/** Credential placement: adds a caller's credentials to a request. */
import { basicCredential, headerCredential } from "../../src/model/authentication/credential-text.ts";
import type { Placement } from "../../src/model/model.ts";

export interface SentCredential {
  readonly header?: [name: string, value: string];
  readonly query?: [name: string, value: string];
}

/** @param texts of the credentials, one after the other */
export function sentAt(placement: Placement, texts: readonly string[]): SentCredential {
  const [text = ""] = texts;
  switch (placement.kind) {
    case "basic":
      return {
        header: [
          "Authorization",
          `Basic ${Buffer.from(basicCredential(placement, texts)).toString("base64")}`,
        ],
      };
    case "query":
      return { query: [placement.name, text] };
    case "cookie":
      return { header: ["Cookie", `${placement.name}=${text}`] };
    case "header":
      return { header: [placement.name, headerCredential(placement, text)] };
  }
}
