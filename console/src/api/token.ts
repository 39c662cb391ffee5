/**
 * The operations token of this browser. It comes in the fragment of the link that `serve` prints,
 * which browsers never send to a server. The console removes it from the URL at once, so that no
 * screenshot and no shared link has it, and stores it for this origin only.
 */
import { state } from "../state.ts";

const place = "ninefold.token";
const form = /^[\w.~+/=-]{16,512}$/;

function storedToken(): string | undefined {
  try {
    return localStorage.getItem(place) ?? undefined;
  } catch {
    // Storage may be blocked (a private window, a policy): then the token lasts as long as the
    // page.
    return undefined;
  }
}

/** Undefined without a token. */
export const token = state<string | undefined>(storedToken());

/** Whether the server has rejected the token. */
export const isTokenRejected = state(false);

export function storeToken(text: string): void {
  token.value = text;
  isTokenRejected.value = false;
  try {
    localStorage.setItem(place, text);
  } catch {
    // Storage is blocked, as above.
  }
}

/** The token in a pasted text: the whole link, or the text after `#t=`. */
export function tokenIn(text: string): string | undefined {
  const candidate = /(?:^|#t=)([^#\s]*)$/.exec(text.trim())?.[1] ?? "";
  return form.test(candidate) ? candidate : undefined;
}

/** Moves the token from the URL into the storage. */
export function moveTokenFromAddress(): void {
  if (!location.hash.startsWith("#t=")) return;
  const tokenInAddress = tokenIn(location.hash);
  history.replaceState(null, "", location.pathname + location.search);
  if (tokenInAddress !== undefined) storeToken(tokenInAddress);
}
