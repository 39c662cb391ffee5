/** The resource of which each event makes a record (part 6, `Log: kept 30 days, as Notice`), found before part 6 is built. */
import type { DocumentNode } from "../../syntax/nodes.ts";
import { itemsOf, keyText } from "../../syntax/read.ts";

export function logResource({ parts }: DocumentNode): string | undefined {
  const sections = parts.events ? [parts.events, ...parts.events.sections] : [];
  const log = sections
    .flatMap((section) => itemsOf(section.body))
    .find((item) => keyText(item.key) === "log");
  return log && /(?:^|,)\s*as\s+`?(\w+)`?\s*$/.exec(log.value.text)?.[1];
}
