/** A scenario that is about to be tried: written here, or kept from a request that was answered. It lasts as long as the tab. */
import { navigate } from "../../routing/address.ts";
import { linkTo } from "../../routing/links.ts";
import { state } from "../../state.ts";

export const draft = state("");

/** It is tried as soon as it is shown, once. */
export const isToBeTried = state(false);

/** Leads to where a scenario is tried, with this Markdown in it. */
export function tryMarkdown(markdown: string): void {
  draft.value = markdown;
  isToBeTried.value = true;
  navigate(linkTo(["scenarios", "try"]));
}
