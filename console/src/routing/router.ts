/** The page of the URL. */
import { pages } from "../pages/index.ts";
import type { Page } from "../pages/page.ts";
import { path } from "./address.ts";
import { derived } from "../state.ts";
import { matchPath } from "./match.ts";

export interface Place {
  readonly page: Page;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Undefined where there is no page. */
export const place = derived(path, (path): Place | undefined => {
  for (const page of pages) {
    for (const pattern of page.paths) {
      const parameters = matchPath(pattern, path);
      if (parameters) return { page, parameters };
    }
  }
  return undefined;
});
