/** The version of this package, from its `package.json`. */
import { readFileSync } from "node:fs";

/** Two folders up, both in a checkout (`src/cli`) and in an installed package (`dist/cli`). */
export function ownVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
