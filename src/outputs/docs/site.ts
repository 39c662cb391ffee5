/** The data of every page. */
import type { Model } from "../../model/model.ts";
import type { ClientPlan } from "../client/client-plan.ts";
import type { LayoutDiagram } from "../diagrams/layout.ts";
import type { Wire } from "../wire/wire.ts";
import { type Html, html } from "./html.ts";
import type { Links } from "./links.ts";

export interface Site {
  readonly model: Model;
  readonly wire: Wire;
  readonly links: Links;
  readonly lay: LayoutDiagram;
  /** The plan of the exported client, for its calls. */
  readonly client: ClientPlan;
  /** The address of the service, if it is known. */
  readonly url?: string;
  /** The sandbox that pages send requests to, if there is one. */
  readonly sandbox?: { readonly url: string; readonly spaceHeader: string };
}

export interface Page {
  /** `resource-Parcel.html`. */
  readonly path: string;
  readonly title: string;
  /** Plain text, for the head. */
  readonly description: string;
  readonly body: Html;
  readonly found: readonly SearchEntry[];
}

/** An entry of the search; its keys are short, because a site has thousands of entries. */
export interface SearchEntry {
  /** Address, title, kind, location, further words. */
  readonly u: string;
  readonly t: string;
  readonly k: string;
  readonly w: string;
  readonly x: string;
}

/** A link to the anchor, or only the text if the anchor doesn't exist. */
export function linkTo(site: Site, anchor: string, words: Html | string): Html {
  const href = site.links.to(anchor);
  return href === undefined ? html`${words}` : html`<a href="${href}">${words}</a>`;
}

/** A heading or name that links to itself. */
export function selfLink(anchor: string, words: Html | string): Html {
  return html`<a class="anchor" href="#${encodeURIComponent(anchor)}">${words}</a>`;
}

/** `1 gap`, `3 gaps`. */
export function countText(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
