/** Plain data as the text of a file, in the requested format. Keys stay in insertion order. */
import { stringify } from "yaml";
import type { Json } from "../support/json.ts";

export function fileText(value: Json, format: string | undefined): string {
  if (format === "json") return `${JSON.stringify(value, null, 2)}\n`;
  // Long lines stay whole, so that one more word in a description is one changed line in a review.
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}
