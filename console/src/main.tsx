/** Starts the console: takes the token out of the address, listens to keys, links and the stream, and shows the page. */
import "./style/tokens.css";
import "./style/base.css";
import "./parts/parts.css";
import "./parts/table.css";
import "./shell/shell.css";
import { render, type VNode } from "preact";
import { useReducer } from "preact/hooks";
import { takeTokenFromAddress } from "./api/token.ts";
import { startStream } from "./api/stream.ts";
import { listenForKeys } from "./keys/keys.ts";
import { followLink } from "./routing/links.ts";
import { Console } from "./shell/shell.tsx";
import { showBy } from "./state.ts";
import { language } from "./words/words.ts";

takeTokenFromAddress();
// Somebody may follow the printed link in a window that is open already.
addEventListener("hashchange", takeTokenFromAddress);
document.documentElement.lang = language;
document.addEventListener("click", followLink);
listenForKeys();
startStream();
render(<Whole />, document.getElementById("console") as HTMLElement);

/** A root that is rendered again by itself: names of controls (`useId`) are one's own only as long as the root stays. */
function Whole(): VNode {
  const [, again] = useReducer((times: number) => times + 1, 0);
  showBy(() => again(undefined));
  return <Console />;
}
