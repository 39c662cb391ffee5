/** The types of part 2 as text, for resources that are in no response. */
import type { FieldType } from "../../fields/type.ts";
import { inlineCode } from "./highlight.ts";
import { type Html, html, joinHtml } from "./html.ts";
import { linkTo, type Site } from "./site.ts";

export function fieldTypeWords(site: Site, type: FieldType): Html {
  switch (type.kind) {
    case "list":
    case "map":
      return html`${type.kind} of ${fieldTypeWords(site, type.of)}`;
    case "enum":
      return html`one of ${joinHtml(
        type.values.map((value) => inlineCode(value)),
        ", ",
      )}`;
    case "state":
      return html`state`;
    case "reference":
    case "value":
      return linkTo(site, type.resource, type.resource);
    case "not shown":
      return html`<span class="chip open">not shown</span>`;
    default:
      return html`${type.kind}`;
  }
}
