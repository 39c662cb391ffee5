/** A draft scenario to run: typed here, or copied from a request. It lasts as long as the tab. */
import { navigate } from "../../routing/address.ts";
import { linkTo } from "../../routing/links.ts";
import { state } from "../../state.ts";

export const draft = state("");

/** Whether to run it once, as soon as it is shown. */
export const runsOnOpen = state(false);

/** Opens the page that runs a draft, with this Markdown. */
export function tryMarkdown(markdown: string): void {
  draft.value = markdown;
  runsOnOpen.value = true;
  navigate(linkTo(["scenarios", "try"]));
}
