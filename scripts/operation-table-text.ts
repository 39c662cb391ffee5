/** The table of routes in `docs/guides/operations.md`, from the definitions of the routes. */
import { routes } from "../src/admin/api/routes.ts";

const head = "| Request | Answer |\n|---|---|\n";
const place = /\| Request \| \|\n\|---\|---\|\n(?:\|.*\n)*/;

/** The page with the current table. */
export function withOperationTable(page: string): string {
  const rows = routes.map(
    ({ method, path, does }) => `| \`${method} ${path}\` | ${does.replaceAll("|", "\\|")} |\n`,
  );
  return page.replace(place, () => head + rows.join(""));
}
