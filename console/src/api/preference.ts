/**
 * User preferences in the browser's storage (shortcuts off, times in UTC), as state. No data of the
 * service is stored.
 */
import { type WritableSignal, state } from "../state.ts";

/** A preference with a few choices; `choices[0]` is the default. */
export function preference<Choice extends string>(
  name: string,
  choices: readonly [Choice, ...Choice[]],
): WritableSignal<Choice> {
  const storageKey = `ninefold.${name}`;
  let stored: string | null = null;
  try {
    stored = localStorage.getItem(storageKey);
  } catch {
    // Storage is blocked: the choice lasts as long as the page.
  }
  const current = state<Choice>(choices.find((choice) => choice === stored) ?? choices[0]);
  current.subscribe(() => {
    try {
      if (current.value === choices[0]) localStorage.removeItem(storageKey);
      else localStorage.setItem(storageKey, current.value);
    } catch {
      // Storage is blocked, as above.
    }
  });
  return current;
}
