/** Starts the console: takes the token out of the address, listens to keys, links and the stream, and shows the page. */
import "./style/tokens.css";
import "./style/base.css";
import "./parts/parts.css";
import "./parts/table.css";
import "./shell/shell.css";
import { render } from "preact";
import { takeTokenFromAddress } from "./api/token.ts";
import { startStream } from "./api/stream.ts";
import { listenForKeys } from "./keys/keys.ts";
import { followLink } from "./routing/links.ts";
import { Console } from "./shell/shell.tsx";
import { language } from "./words/words.ts";

takeTokenFromAddress();
// Somebody may follow the printed link in a window that is open already.
addEventListener("hashchange", takeTokenFromAddress);
document.documentElement.lang = language;
document.addEventListener("click", followLink);
listenForKeys();
startStream();
render(<Console />, document.getElementById("console") as HTMLElement);
