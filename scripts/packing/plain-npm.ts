/**
 * Runs before `npm pack` or `npm publish` in a checkout, whose `package.json` states no address:
 * prints a line for the first, and rejects the second.
 *
 *   node scripts/packing/plain-npm.ts pack|publish
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { addressOf, NoAddress } from "./address.ts";

const root = join(import.meta.dirname, "..", "..");
const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const isPublished = process.argv[2] === "publish";
console.error(isPublished ? `Not published: ${wayOut()}` : wayOut());
if (isPublished) process.exitCode = 1;

function wayOut(): string {
  try {
    const { page } = addressOf(root, { version });
    const further = isPublished ? `, then \`npm publish ${name}-${version}.tgz\`` : "";
    return `npm alone states no address. \`npm run package\` states ${page}${further}.`;
  } catch (error) {
    if (!(error instanceof NoAddress)) throw error;
    return `no address is stated: ${error.message}`;
  }
}
