/** A scenario that is about to be tried: written here, or kept from a request that was answered. It lasts as long as the tab. */
import { signal } from "@preact/signals";
import { navigate } from "../../routing/address.ts";
import { linkTo } from "../../routing/links.ts";

export const draft = signal("");

/** Leads to where a scenario is tried, with this Markdown in it. */
export function tryMarkdown(markdown: string): void {
  draft.value = markdown;
  navigate(linkTo(["scenarios", "try"]));
}
