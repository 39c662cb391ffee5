/** The table of routes in `docs/guides/operations.md`, from the definitions of the routes. */
import { routes } from "../src/admin/api/routes.ts";

const head = "| Request | Answer |\n|---|---|\n";
const place = /\| Request \| Answer \|\n\|---\|---\|\n(?:\|.*\n)*/;

/**
 * The page with the current table.
 * @throws Error if the page has no such table
 */
export function withOperationTable(page: string): string {
  if (!place.test(page)) throw new Error("The page has no table with the headings Request and Answer.");
  const rows = routes.map(
    ({ method, path, does }) => `| \`${method} ${path}\` | ${does.replaceAll("|", "\\|")} |\n`,
  );
  return page.replace(place, () => head + rows.join(""));
}
