/** A link to the line of the document that decided something. */
import type { VNode } from "preact";
import { linkToLine } from "../routing/links.ts";
import { t } from "../words/words.ts";

export function DocumentLine({ line }: { readonly line: number }): VNode {
  return (
    <a class="document-line" href={linkToLine(line)}>
      {t("parts.line", { line: String(line) })}
    </a>
  );
}
