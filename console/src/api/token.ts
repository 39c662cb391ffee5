/**
 * The token that lets this browser in. It comes in the link that `serve` prints, behind `#`, which no server is sent; here it leaves the
 * address bar at once, so that no picture of the screen and no shared link has it, and is kept for this address alone.
 */
import { state } from "../state.ts";

const place = "ninefold.token";
const form = /^[\w.~+/=-]{16,512}$/;

function kept(): string | undefined {
  try {
    return localStorage.getItem(place) ?? undefined;
  } catch {
    // Browsers may keep nothing (a private window, a policy): then it lasts as long as the page.
    return undefined;
  }
}

/** Undefined where none is known. */
export const token = state<string | undefined>(kept());

/** The server has refused the token that is known. */
export const isTokenRefused = state(false);

export function keepToken(text: string): void {
  token.value = text;
  isTokenRefused.value = false;
  try {
    localStorage.setItem(place, text);
  } catch {
    // As above.
  }
}

/** The token in what somebody pastes: the whole link, or what stands behind `#t=`. */
export function tokenIn(text: string): string | undefined {
  const found = /(?:^|#t=)([^#\s]*)$/.exec(text.trim())?.[1] ?? "";
  return form.test(found) ? found : undefined;
}

/** Takes the token out of the address. */
export function takeTokenFromAddress(): void {
  if (!location.hash.startsWith("#t=")) return;
  const found = tokenIn(location.hash);
  history.replaceState(null, "", location.pathname + location.search);
  if (found !== undefined) keepToken(found);
}
