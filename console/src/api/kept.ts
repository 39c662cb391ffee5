/**
 * User preferences in the browser's storage (shortcuts off, times in UTC), as state. No data of the
 * service is stored.
 */
import { type State, state } from "../state.ts";

/** A preference with a few choices; `ways[0]` is the default. */
export function kept<Way extends string>(name: string, ways: readonly [Way, ...Way[]]): State<Way> {
  const place = `ninefold.${name}`;
  let found: string | null = null;
  try {
    found = localStorage.getItem(place);
  } catch {
    // Storage is blocked: the choice lasts as long as the page.
  }
  const chosen = state<Way>(ways.find((one) => one === found) ?? ways[0]);
  chosen.subscribe(() => {
    try {
      if (chosen.value === ways[0]) localStorage.removeItem(place);
      else localStorage.setItem(place, chosen.value);
    } catch {
      // Storage is blocked, as above.
    }
  });
  return chosen;
}
