/**
 * Starts the console: removes the token from the URL, handles keys, links and the stream, and
 * renders the page.
 */
import "./style/tokens.css";
import "./style/base.css";
import "./parts/parts.css";
import "./parts/table.css";
import "./shell/shell.css";
import { render, type VNode } from "preact";
import { useReducer } from "preact/hooks";
import { moveTokenFromAddress } from "./api/token.ts";
import { startStream } from "./api/stream.ts";
import { listenForKeys } from "./keys/keys.ts";
import { followLink } from "./routing/links.ts";
import { Console } from "./shell/shell.tsx";
import { setRenderer } from "./state.ts";
import { language } from "./words/words.ts";

moveTokenFromAddress();
// The user may follow the printed link in a window that is already open.
addEventListener("hashchange", moveTokenFromAddress);
document.documentElement.lang = language;
document.addEventListener("click", followLink);
listenForKeys();
startStream();
render(<Whole />, document.getElementById("console") as HTMLElement);

/**
 * A root component that re-renders itself: ids of controls (`useId`) are unique only while the root
 * is the same.
 */
function Whole(): VNode {
  const [, again] = useReducer((times: number) => times + 1, 0);
  setRenderer(() => again(undefined));
  return <Console />;
}
