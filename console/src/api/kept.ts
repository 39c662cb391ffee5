/** What this browser remembers of somebody's habits (keys off, times in UTC), as state. Nothing of the service is kept here. */
import { type State, state } from "../state.ts";

/** A habit with a few ways; `ways[0]` where nothing is remembered. */
export function kept<Way extends string>(name: string, ways: readonly [Way, ...Way[]]): State<Way> {
  const place = `ninefold.${name}`;
  let found: string | null = null;
  try {
    found = localStorage.getItem(place);
  } catch {
    // Nothing can be kept: it lasts as long as the page.
  }
  const chosen = state<Way>(ways.find((one) => one === found) ?? ways[0]);
  chosen.subscribe(() => {
    try {
      if (chosen.value === ways[0]) localStorage.removeItem(place);
      else localStorage.setItem(place, chosen.value);
    } catch {
      // As above.
    }
  });
  return chosen;
}
